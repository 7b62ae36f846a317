"""The form for a person's bio."""

from django import forms
from django.utils.translation import gettext_lazy as _

from forum.forms.fields import UncutField
from forum.models import User


class AboutForm(forms.Form):
    """The bio on a person's profile."""

    about = UncutField(
        label=_("Bio"),
        required=False,
        max_length=User._meta.get_field("about").max_length,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text=_("Markdown. Visible to everyone."),
    )
