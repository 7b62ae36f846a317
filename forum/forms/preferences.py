"""The form for preferences about notifications and lists."""

from typing import Any

from allauth.account.models import EmailAddress
from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from forum.inbox.notifications import MUTABLE
from forum.models import InboxItem, User
from forum.queries.email_addresses import confirmed_address

Kind = InboxItem.Kind
LABELS = {
    Kind.REPLY: _("Replies to me"),
    Kind.MENTION: _("Mentions of me"),
    Kind.WATCHED: _("Comments on threads I watch"),
    Kind.FOLLOWER: _("New followers"),
    Kind.ACCEPTED: _("My answers accepted"),
    Kind.FLAG: _("What became of my flags"),
}


MAILS = ("mails_replies", "mails_mentions", "mails_watched", "mails_moderators")


class PreferencesForm(forms.ModelForm):  # type: ignore[type-arg]
    """The form for preferences. Kinds of notifications that aren't ticked are muted."""

    told = forms.MultipleChoiceField(
        label=_("Notify me about"),
        required=False,
        choices=[(kind.value, LABELS[kind]) for kind in MUTABLE],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Messages from moderators are always delivered."),
    )

    class Meta:
        model = User
        fields = ("watches_own", *MAILS, "digest", "keeps_history", "hides_read")
        widgets = {"digest": forms.RadioSelect}
        help_texts = {
            "mails_replies": _("One email per reply, with an unsubscribe link."),
            "mails_mentions": _("One email per mention, with an unsubscribe link."),
            "mails_watched": _("One email per new comment, with an unsubscribe link."),
            "mails_moderators": _("One email per message or action, with an unsubscribe link."),
            "digest": _("Your unread notifications and the best posts of the day or week."),
            "keeps_history": _("The last 60 posts you opened. Only you can see them."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["told"].initial = [k.value for k in MUTABLE if k not in self.instance.muted]
        self._digest_before = self.instance.digest

    def clean(self) -> dict[str, Any]:
        """Require an email address if the person wants any emails."""
        cleaned = dict(super().clean() or {})
        wants_notices = any(cleaned.get(name) for name in MAILS)
        wants_mail = wants_notices or cleaned.get("digest") != User.Digest.NONE
        if wants_mail and not self.address:
            self.add_error(None, self._why_no_mail())
        return cleaned

    @cached_property
    def address(self) -> str:
        """Return the person's confirmed email address; "" if there is none."""
        return confirmed_address(self.instance)

    @cached_property
    def unconfirmed(self) -> str:
        """Return the person's unconfirmed email address; "" if none, or another is confirmed."""
        if self.address:
            return ""
        added = EmailAddress.objects.filter(user=self.instance, verified=False)
        newest = added.order_by("-primary", "-pk").values_list("email", flat=True).first()
        return str(newest or self.instance.email)

    def _why_no_mail(self) -> ValidationError:
        if self.unconfirmed:
            first = _("Please confirm %(address)s first: open the link in the email we sent there.")
            return ValidationError(first, params={"address": self.unconfirmed})
        return ValidationError(_("Your account has no email address. Add one to get email."))

    def save(self, commit: bool = True) -> User:
        """Save the preferences. The first digest is sent one whole period later."""
        person: User = super().save(commit=False)
        person.muted = [k.value for k in MUTABLE if k not in self.cleaned_data["told"]]
        if person.digest != self._digest_before:
            person.digest_at = timezone.now()
        if commit:
            person.save(update_fields=[*self.Meta.fields, "muted", "digest_at"])
        return person
