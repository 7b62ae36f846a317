"""The forms with which moderators write notes about people, and warn, ban and message people."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from forum.models import Group, ModNote
from forum.models.powers import Powers
from forum.moderation.conversations.forms import MessageForm
from forum.queries.groups import directory
from forum.web.forms.fields import UncutField
from forum.web.forms.reasons import ReasonField

SITE = ""
"""The form value that stands for the whole site. Other values name a group."""
LONGEST_BAN = 3_650
"""The most days of a ban that isn't permanent."""


class PlaceForm(forms.Form):
    """Base class of forms in which a moderator chooses one of their groups, or the whole site."""

    place = forms.ChoiceField(label=_("Where"), required=False)

    def __init__(self, *args: Any, powers: Powers, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["place"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = _places(powers)
        field.required = not powers.is_site_moderator

    def group(self) -> Group | None:
        """Return the chosen group, or None for the site."""
        slug = self.cleaned_data["place"]
        return Group.objects.get(slug=slug) if slug else None


def _places(powers: Powers) -> Sequence[tuple[str, str]]:
    """Return a moderator's choices: their groups and, for a site moderator, the site.

    Each choice is a pair: the group's short name ("" for the site) and its title.
    """
    topics = directory.topics().values()
    groups = [one for one in topics if powers.moderates_in(one.id)]
    site = [(SITE, settings.SITE_NAME)] if powers.is_site_moderator else []
    return [*site, *((one.slug, one.title) for one in groups)]


class NoteForm(PlaceForm):
    """Asks for a private note about a person."""

    text = UncutField(
        label=_("New note"),
        max_length=ModNote._meta.get_field("text").max_length,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_(
            "Only moderators of the group or site can read the note. The person never sees it."
        ),
    )


class WarningForm(PlaceForm):
    """Asks for the reason for a warning. The warned person can read the reason."""

    reason = ReasonField()


class DurationForm(forms.Form):
    """Asks how long a ban lasts: a number of days, or permanently."""

    days = forms.IntegerField(
        label=_("Number of days"), required=False, min_value=1, max_value=LONGEST_BAN, initial=7
    )
    permanent = forms.BooleanField(label=_("Permanently"), required=False)

    def clean(self) -> dict[str, Any]:
        """Require a number of days unless the ban is permanent."""
        cleaned = dict(super().clean() or {})
        if not (cleaned.get("permanent") or cleaned.get("days") or self.has_error("days")):
            raise ValidationError(_("Enter a number of days, or choose a permanent ban."))
        return cleaned

    def until(self) -> datetime | None:
        """Return when the ban ends, or None if it is permanent."""
        if self.cleaned_data["permanent"]:
            return None
        return timezone.now() + timedelta(days=self.cleaned_data["days"])


class BioField(forms.BooleanField):
    """Asks whether to remove a person's bio, too."""

    def __init__(self, **more: Any) -> None:
        usual: dict[str, Any] = {
            "label": _("Also remove the bio"),
            "help_text": _("If you undo the action, the bio is back."),
            "required": False,
        }
        super().__init__(**(usual | more))


class VoidsField(forms.BooleanField):
    """Asks whether to continue with the page on which moderators void votes."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Then void votes of the account"),
            help_text=_("The next page first shows what would change."),
            required=False,
        )


class BanForm(DurationForm, PlaceForm):
    """Asks for the group, reason and duration of a ban."""

    reason = ReasonField()
    blanks_bio = BioField(
        help_text=_(
            "For a permanent ban from the whole site. If you undo the ban, the bio is back."
        )
    )

    voids = VoidsField()

    field_order = ("place", "days", "permanent", "blanks_bio", "reason", "voids")

    def __init__(self, *args: Any, powers: Powers, **kwargs: Any) -> None:
        super().__init__(*args, powers=powers, **kwargs)
        if not powers.is_site_moderator:
            del self.fields["blanks_bio"]

    def clean(self) -> dict[str, Any]:
        """Refuse to remove the bio unless the ban is permanent and from the whole site."""
        cleaned = super().clean()
        if cleaned.get("blanks_bio") and (cleaned.get("place") or not cleaned.get("permanent")):
            sentence = _("Only a permanent ban from the whole site can also remove the bio.")
            self.add_error("blanks_bio", sentence)
        return cleaned


class MessageToPersonForm(PlaceForm, MessageForm):
    """Asks for a message to a person from the moderators of a group or of the site."""

    field_order = ("place", "body")
