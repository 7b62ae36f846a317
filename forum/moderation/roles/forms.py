"""The form to choose a group's moderators."""

from django import forms
from django.utils.translation import gettext_lazy as _

from forum.forms.people import PersonField


class AppointForm(forms.Form):
    """Names a person who becomes a moderator."""

    name = PersonField(label=_("User name"))
