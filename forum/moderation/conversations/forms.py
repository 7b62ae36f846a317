"""The form with which people and moderators write messages to each other."""

from django import forms
from django.utils.translation import gettext_lazy as _

from forum.models import Message
from forum.web.forms.fields import BodyField

LONGEST = Message._meta.get_field("body").max_length or 0


class MessageForm(forms.Form):
    """Asks for the text of a message."""

    body = BodyField(
        label=_("Your message"),
        max_length=LONGEST,
        rows=6,
        required=True,
    )
