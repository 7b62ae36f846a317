"""The form for a label and a note about another person."""

from django import forms
from django.utils.translation import gettext_lazy as _

from forum.models import PersonNote
from forum.web.forms.fields import UncutField


class PersonNoteForm(forms.Form):
    """A label and a note about a person. Both empty deletes them."""

    label = forms.CharField(
        label=_("Label"),
        required=False,
        max_length=PersonNote._meta.get_field("label").max_length,
        help_text=_("A few words, which you see beside the name: “met at PyCon”."),
    )
    note = UncutField(
        label=_("Note"),
        required=False,
        max_length=PersonNote._meta.get_field("note").max_length,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("You see it on the profile."),
    )
