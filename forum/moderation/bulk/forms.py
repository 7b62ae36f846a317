"""The form for removing everything that a person wrote in a time span."""

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from forum.models.powers import Powers
from forum.moderation.people.forms import BioField, PlaceForm
from forum.web.forms.reasons import ReasonField

FORMAT = "%Y-%m-%dT%H:%M"
USUAL = timedelta(days=1)


def _time_field(label: Any, **more: Any) -> forms.DateTimeField:
    widget = forms.DateTimeInput(format=FORMAT, attrs={"type": "datetime-local"})
    return forms.DateTimeField(label=label, widget=widget, **more)


class RemoveEverythingForm(PlaceForm):
    """Asks for a group or the site, a time span and a reason."""

    since = _time_field(_("From (UTC)"))
    until = _time_field(
        _("Until (UTC)"),
        required=False,
        help_text=_("If you leave the end empty, the time span lasts until now."),
    )
    blanks_bio = BioField()
    reason = ReasonField()
    is_private = forms.BooleanField(
        label=_("Don't show texts, titles or the author in the public log"),
        help_text=_("Use this only if you remove something for legal or privacy reasons."),
        required=False,
    )

    def __init__(self, data: Any = None, *, powers: Powers, initial: dict[str, Any]) -> None:
        since = (timezone.now() - USUAL).replace(second=0, microsecond=0)
        super().__init__(data, powers=powers, initial={"since": since} | initial)
        if not powers.is_site_moderator:
            del self.fields["blanks_bio"]

    def clean(self) -> dict[str, Any]:
        """Use the current time if the end of the time span is missing.

        Then the removal can't include posts and comments written after the preview.
        """
        cleaned = dict(super().clean() or {})
        if "until" in cleaned and cleaned["until"] is None:
            cleaned["until"] = timezone.now()
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and since > until:
            self.add_error("until", _("The end must be after the beginning."))
        if cleaned.get("blanks_bio") and cleaned.get("place"):
            self.add_error("blanks_bio", _("Choose the whole site to also remove the bio."))
        return cleaned
