"""The forms for voiding the votes that some accounts cast in a time span."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from forum.models import User
from forum.models.powers import Powers
from forum.moderation.people.forms import PlaceForm
from forum.queries.names import former_names

FORMAT = "%Y-%m-%dT%H:%M:%S"
MOST = 1_000
"""The most accounts whose votes one action voids."""
SEPARATORS = str.maketrans(",;\n\r\t", "     ")


class AccountsField(forms.CharField):
    """A field for user names, separated by commas or spaces. Its value is a list of people."""

    def __init__(self) -> None:
        box = forms.Textarea(
            attrs={
                "rows": 3,
                "autocapitalize": "none",
                "spellcheck": "false",
                "autocomplete": "off",
            }
        )
        super().__init__(
            label=gettext_lazy("Accounts"),
            widget=box,
            help_text=gettext_lazy("User names, separated by commas or spaces."),
        )

    def clean(self, value: Any) -> list[User]:
        """Return the people. Raises ValidationError if nobody has one of the names."""
        names = {name.lower(): name for name in super().clean(value).translate(SEPARATORS).split()}
        if len(names) > MOST:
            sentence = ngettext("Name at most %(n)d account.", "Name at most %(n)d accounts.", MOST)
            raise ValidationError(sentence % {"n": MOST})
        current = User.objects.alias(small=Lower("username")).filter(small__in=names)
        former = former_names().alias(small=Lower("name")).select_related("user")
        renamed = {one.name.lower(): one.user for one in former.filter(small__in=names) if one.user}
        people = renamed | {one.username.lower(): one for one in current}
        missing = [names[one] for one in names.keys() - people.keys()]
        if missing:
            unknown = {"names": _(", ").join(sorted(missing))}
            raise ValidationError(_("Nobody has these user names: %(names)s.") % unknown)
        return sorted(set(people.values()), key=lambda one: one.username.lower())


def _time_field(label: Any, **more: Any) -> forms.DateTimeField:
    widget = forms.DateTimeInput(format=FORMAT, attrs={"type": "datetime-local", "step": 1})
    return forms.DateTimeField(label=label, widget=widget, **more)


class VotesForm(PlaceForm):
    """Asks for accounts, for a group or the site, and for a time span."""

    accounts = AccountsField()
    since = _time_field(gettext_lazy("From (UTC)"))
    until = _time_field(
        gettext_lazy("Until (UTC)"),
        required=False,
        help_text=gettext_lazy("If you leave the end empty, the time span lasts until now."),
    )

    field_order = ("accounts", "place", "since", "until")

    def __init__(self, data: Any = None, *, powers: Powers, initial: dict[str, Any]) -> None:
        super().__init__(data, powers=powers, initial=initial)

    def clean(self) -> dict[str, Any]:
        """Use the current time if the end of the time span is missing.

        Then the votes that are voided can't include votes cast after the preview.
        """
        cleaned = dict(super().clean() or {})
        if "until" in cleaned and cleaned["until"] is None:
            cleaned["until"] = timezone.now()
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and since > until:
            self.add_error("until", _("The end must be after the beginning."))
        return cleaned
