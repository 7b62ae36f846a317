"""The form for deleting an account."""

from django import forms
from django.utils.translation import gettext_lazy as _

KEEP, REMOVE = "keep", "remove"


class DeletionForm(forms.Form):
    """Asks whether a person's posts and comments stay without the name."""

    texts = forms.ChoiceField(
        label=_("Posts and comments"),
        choices=[
            (KEEP, _("Keep them, by “[deleted]”, so that threads stay readable")),
            (REMOVE, _("Remove them. Threads below removed posts disappear, too.")),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose what happens to posts and comments.")},
    )

    @property
    def keeps_texts(self) -> bool:
        """Whether posts and comments stay."""
        return bool(self.cleaned_data["texts"] == KEEP)
