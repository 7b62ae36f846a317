"""The form to decide about an application."""

from django import forms

from forum.moderation.actions.applications import DECISIONS
from forum.web.forms.reasons import ReasonField


class ApplicationForm(forms.Form):
    """A decision about an application. Declining needs a reason."""

    decision = forms.ChoiceField(choices=[(kind.value, kind.label) for kind in DECISIONS])
    reason = ReasonField(required=False)
