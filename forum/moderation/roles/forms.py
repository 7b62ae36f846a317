"""The form to appoint a moderator of a group."""

from django import forms
from django.utils.translation import gettext_lazy as _

from forum.web.forms.people import PersonField


class AppointForm(forms.Form):
    """Asks for the name of a person to appoint as moderator."""

    name = PersonField(label=_("User name"))
