"""The form to flag a post, comment or person."""

from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from forum.models import Flag
from forum.web.forms.fields import UncutField


class FlagForm(forms.Form):
    """The form to flag a post, comment or person. Asks what is wrong."""

    kind = forms.ChoiceField(
        label=_("What is wrong?"),
        choices=[one for one in Flag.Kind.choices if one[0] != Flag.Kind.VOTES],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose what is wrong.")},
    )
    words = UncutField(
        label=_("In your own words"),
        required=False,
        max_length=Flag._meta.get_field("words").max_length,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Optional. Only moderators read it."),
    )
    to_admins = forms.BooleanField(
        label=_("Send only to the site's moderators, not to the group's moderators"), required=False
    )
    use_required_attribute = False
    errors_of_other: ClassVar = _("Say what is wrong in your own words.")

    def __init__(self, *args: Any, in_groups: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not in_groups:
            del self.fields["to_admins"]

    def clean(self) -> dict[str, Any]:
        cleaned = dict(super().clean() or {})
        if cleaned.get("kind") == Flag.Kind.OTHER and not cleaned.get("words"):
            self.add_error("words", self.errors_of_other)
        return cleaned
