"""The form to decide about a queue item."""

from typing import Any

from django import forms

from forum.moderation.actions.table import ACTIONS
from forum.moderation.queue.services import DECISIONS
from forum.web.forms.reasons import ReasonField


class DecisionForm(forms.Form):
    """Asks for a decision about a queue item, and for its reason."""

    decision = forms.ChoiceField(choices=[(kind.value, kind.value) for kind in DECISIONS])
    reason = ReasonField(required=False)
    is_private = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = dict(super().clean() or {})
        decision = cleaned.get("decision")
        if decision and ACTIONS[decision].reason and not cleaned.get("reason"):
            self.add_error("reason", self.fields["reason"].error_messages["required"])
        return cleaned
