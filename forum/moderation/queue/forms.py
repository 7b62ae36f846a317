"""The form to decide about a queue item."""

from typing import Any

from django import forms

from forum.moderation.queue.services import Decision
from forum.web.forms.reasons import ReasonField

NEEDS_REASON = {Decision.REMOVE, Decision.RESTORE_FLAGGED, Decision.LOCK}


class DecisionForm(forms.Form):
    """Asks for a decision about a queue item, and for its reason."""

    decision = forms.ChoiceField(choices=[(one.value, one.value) for one in Decision])
    reason = ReasonField(required=False)
    is_private = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = dict(super().clean() or {})
        if cleaned.get("decision") in NEEDS_REASON and not cleaned.get("reason"):
            self.add_error("reason", self.fields["reason"].error_messages["required"])
        return cleaned
