"""The form that filters the log."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from forum.models import ModAction
from forum.moderation.log.queries import LogFilter
from forum.queries.groups import directory
from forum.queries.people import find_person

ALL = ("", _("All"))


class NameField(forms.CharField):
    """The user name of a person; its value is their id, or None. Two queries at most."""

    def __init__(self, label: Any) -> None:
        spelling = {"autocapitalize": "none", "spellcheck": "false", "autocomplete": "off"}
        widget = forms.TextInput(attrs=spelling)
        super().__init__(label=label, required=False, max_length=150, widget=widget)

    def clean(self, value: Any) -> int | None:
        name = super().clean(value)
        if not name:
            return None
        person = find_person(name)
        if person is None:
            raise ValidationError(_("No one has this name."))
        return person.pk


class LogForm(forms.Form):
    """Chooses which actions to list."""

    group = forms.ChoiceField(label=_("Group"), required=False)
    kind = forms.ChoiceField(label=_("Action"), required=False)
    moderator = NameField(label=_("Moderator"))
    person = NameField(label=_("Person concerned"))

    def __init__(self, data: Any, *, names_moderators: bool) -> None:
        super().__init__(data)
        topics = directory.topics().values()
        groups, kinds = self.fields["group"], self.fields["kind"]
        groups.choices = [ALL, *((one.slug, one.title) for one in topics)]  # type: ignore[attr-defined]
        kinds.choices = [ALL, *((k, capfirst(label)) for k, label in ModAction.Kind.choices)]  # type: ignore[attr-defined]
        if not names_moderators:
            del self.fields["moderator"]

    def wanted(self) -> LogFilter:
        """Return the chosen filter. Usually no query."""
        chosen = self.cleaned_data
        topic = directory.find(chosen["group"]) if chosen["group"] else None
        return LogFilter(
            group_id=topic.id if topic else None,
            kind=chosen["kind"],
            by_id=chosen.get("moderator"),
            person_id=chosen["person"],
        )
