"""Forms to submit and edit posts."""

from typing import Any

from django import forms
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from forum.models import Group, Post
from forum.web.forms.fields import BODY_HELP, AddressField, BodyField, SeenField, TitleField
from forum.web.forms.groups import GroupChoices, GroupsField, refuse_closed
from forum.web.forms.reasons import ReasonField

KINDS = [
    (Post.Kind.LINK, _("Link: a page on another site")),
    (Post.Kind.TEXT, _("Text: something you write")),
    (Post.Kind.QUESTION, _("Question: something you ask")),
]


class GroupsForm(forms.Form):
    """A form with a field for a post's groups."""

    groups = GroupsField()

    def clean_groups(self) -> list[Group]:
        """Refuse groups that accept no new posts, except groups that the post is already in."""
        groups: list[Group] = self.cleaned_data["groups"]
        refuse_closed(groups, self.initial.get("groups", ()))
        return groups

    @property
    def typed(self) -> dict[str, Any]:
        """Return the submitted values, valid or not, to fill in the form again."""
        return {name: self[name].data or "" for name in self.fields}

    @cached_property
    def choices(self) -> GroupChoices:
        """Return the data that the template needs to show checkboxes for groups."""
        return GroupChoices(self)


class EditForm(GroupsForm):
    """The form to edit a post: its title, text and groups, and the URL of a link.

    Authors can change the URL for an hour after posting, moderators at any time. Moderators must
    give a reason.
    """

    url = AddressField(
        required=True, help_text=_("You can correct the URL for an hour after posting.")
    )
    title = TitleField()
    body = BodyField()
    seen = SeenField()
    reason = ReasonField()

    def __init__(
        self, *args: Any, kind: str, correctable: bool, own: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if own:
            del self.fields["reason"]
        elif correctable:
            self.fields["url"].help_text = ""
        self.fields["body"].required = kind == Post.Kind.TEXT
        if not correctable:
            del self.fields["url"]

    @cached_property
    def changed_data(self) -> list[str]:
        """Return the names of the changed fields of the post. "reason" isn't among them."""
        return [name for name in super().changed_data if name != "reason"]


class SubmitForm(GroupsForm):
    """The form to submit a post."""

    kind = forms.ChoiceField(label=_("Kind"), choices=KINDS, widget=forms.RadioSelect)
    title = TitleField()
    url = AddressField()
    body = BodyField(help_text=BODY_HELP)

    @property
    def left_out(self) -> str:
        """Return the URL that was ignored because the post is a text or question, or ""."""
        typed = str(self.data.get("url", "")).strip()
        return "" if self.cleaned_data["kind"] == Post.Kind.LINK else typed

    def clean(self) -> dict[str, Any]:
        """Check the fields that the kind of post requires. Ignore the URL of a text or question."""
        data = super().clean() or self.cleaned_data
        kind = data.get("kind")
        if kind in {Post.Kind.TEXT, Post.Kind.QUESTION}:
            self.errors.pop("url", None)
            data["url"] = ""
        if kind == Post.Kind.LINK and not data.get("url") and "url" not in self.errors:
            self.add_error("url", _("Please enter the link's URL."))
        if kind == Post.Kind.TEXT and not data.get("body") and "body" not in self.errors:
            self.add_error("body", _("Please write some text."))
        return data
