"""The form to choose a group's moderators."""

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from forum.models import User
from forum.queries.people import find_person
from forum.text import usernames


class AppointForm(forms.Form):
    """Names a person who becomes a moderator. `cleaned_data["name"]` is the person."""

    name = forms.CharField(
        label=_("User name"),
        max_length=usernames.LONGEST,
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )

    def clean_name(self) -> User:
        """Return the person with this name."""
        person = find_person(self.cleaned_data["name"])
        if person is None:
            raise ValidationError(_("Nobody has this user name."))
        return person
