"""The form for preferences about notifications and lists."""

from typing import Any

from django import forms
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from forum.actions.notifications import MUTABLE
from forum.models import InboxItem, User
from forum.queries.email_addresses import confirmed_address, unconfirmed_address

Kind = InboxItem.Kind
LABELS = {
    Kind.REPLY: _("Replies to me"),
    Kind.MENTION: _("Mentions of me"),
    Kind.WATCHED: _("Comments on threads I watch"),
    Kind.FOLLOWER: _("New followers"),
    Kind.ACCEPTED: _("My accepted answers"),
    Kind.FLAG: _("Decisions about my flags"),
}


class PreferencesForm(forms.ModelForm):  # type: ignore[type-arg]
    """The form for preferences. Unticked kinds of notifications are muted."""

    told = forms.MultipleChoiceField(
        label=_("Notify me about"),
        required=False,
        choices=[(kind.value, LABELS[kind]) for kind in MUTABLE],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("You always get messages from moderators."),
    )

    class Meta:
        model = User
        fields = (
            "watches_own",
            "mails_replies",
            "mails_mentions",
            "mails_watched",
            "mails_moderators",
            "digest",
            "keeps_history",
            "hides_read",
        )
        widgets = {"digest": forms.RadioSelect}
        help_texts = {
            "mails_replies": _("One email per reply, with an unsubscribe link."),
            "mails_mentions": _("One email per mention, with an unsubscribe link."),
            "mails_watched": _("One email per new comment, with an unsubscribe link."),
            "mails_moderators": _(
                "One email per message, and one email per action by moderators on your posts,"
                " comments or account. Each has an unsubscribe link."
            ),
            "digest": _("Your unread notifications and the best posts of the day or week."),
            "keeps_history": _("The last 60 posts you opened. Only you can see them."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["told"].initial = [k.value for k in MUTABLE if k not in self.instance.muted]

    def clean(self) -> dict[str, Any]:
        """Return the cleaned data. `muted` contains the unticked kinds of notifications."""
        cleaned = dict(super().clean() or {})
        told = cleaned.pop("told", ())
        return cleaned | {"muted": [kind for kind in MUTABLE if kind not in told]}

    @cached_property
    def address(self) -> str:
        """Return the person's confirmed email address; "" if there is none."""
        return confirmed_address(self.instance)

    @cached_property
    def unconfirmed(self) -> str:
        """Return the person's unconfirmed email address.

        Return "" if there is none, or if the person has a confirmed address.
        """
        return "" if self.address else unconfirmed_address(self.instance)
