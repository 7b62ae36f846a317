"""The reason of a moderator's action, as a form field."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from forum.screening.policy import reasons


class ReasonField(forms.CharField):
    """Why a moderator acts: one of the site's reasons, or free text.

    The page has the suggestions in `templates/moderation/reasons.html`.
    """

    def __init__(self, **options: Any) -> None:
        widget = forms.TextInput(attrs={"list": "reasons", "autocomplete": "off"})
        super().__init__(label=_("Reason"), max_length=1_000, widget=widget, **options)


class ReasonForm(forms.Form):
    """A form with a reason."""

    reason = ReasonField()

    @property
    def reasons(self) -> list[str]:
        """Return the reasons to suggest. Usually no query."""
        return reasons()
