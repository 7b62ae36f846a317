"""The forms for a person's bio and user name, and the field that names a person."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from forum.models import User
from forum.queries.people import find_person
from forum.text import usernames
from forum.web.forms.fields import UncutField


class AboutForm(forms.Form):
    """The bio on a person's profile."""

    about = UncutField(
        label=_("Bio"),
        required=False,
        max_length=User._meta.get_field("about").max_length,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text=_("Markdown. Visible to everyone."),
    )


class NameForm(forms.Form):
    """A new user name. The action checks whether it is allowed."""

    name = forms.CharField(
        label=_("User name"),
        max_length=usernames.LONGEST,
        help_text=usernames.HELP,
        widget=forms.TextInput(
            attrs={"autocapitalize": "none", "spellcheck": "false", "autocomplete": "username"}
        ),
    )


class PersonField(forms.CharField):
    """A field for a user name. Its value is the person, or None if the field is empty."""

    def __init__(self, **more: Any) -> None:
        attributes = {"autocapitalize": "none", "spellcheck": "false", "autocomplete": "off"}
        widget = forms.TextInput(attrs=attributes)
        longest = User._meta.get_field("username").max_length
        super().__init__(max_length=longest, widget=widget, **more)

    def clean(self, value: Any) -> User | None:
        name = super().clean(value)
        person = find_person(name) if name else None
        if name and person is None:
            raise ValidationError(_("Nobody has this user name."))
        return person
