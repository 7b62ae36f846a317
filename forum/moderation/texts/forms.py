"""The form with which moderators choose an action on a post or comment."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from forum.moderation.texts.services import CHOICES
from forum.web.forms.reasons import ReasonField


class ActionForm(forms.Form):
    """Asks for an action on a post or comment, and for the reason."""

    reason = ReasonField(required=False)
    is_private = forms.BooleanField(
        label=gettext_lazy("Don't show the text or its author in the public log"),
        help_text=gettext_lazy(
            "Use this only if you remove something for legal or privacy reasons."
        ),
        required=False,
    )
    action = forms.ChoiceField(widget=forms.HiddenInput)

    def __init__(
        self, actions: list[tuple[str, str]], data: Any = None, *, initial: dict[str, Any]
    ) -> None:
        super().__init__(data, initial=initial)
        self.actions = actions
        self.fields["action"].choices = actions  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Require a reason for the actions that need one."""
        sent = super().clean() or self.cleaned_data
        action = sent.get("action")
        if action and CHOICES[action].reason and not sent.get("reason"):
            self.add_error("reason", self.fields["reason"].error_messages["required"])
        return sent
