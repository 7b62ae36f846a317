"""The form to mute a word or domain."""

from django import forms
from django.utils.translation import gettext_lazy as _

from forum.models import Mute


class MuteForm(forms.Form):
    """A word or domain to mute."""

    kind = forms.ChoiceField(
        label=_("Hide posts"),
        choices=[
            (Mute.Kind.WORD, _("if the title contains this word or phrase")),
            (Mute.Kind.DOMAIN, _("if the post links to this domain")),
        ],
        initial=Mute.Kind.WORD,
        widget=forms.RadioSelect,
    )
    text = forms.CharField(
        label=_("Word or domain"),
        max_length=Mute._meta.get_field("text").max_length,
        help_text=_("* stands for any letters: crypto*. A domain includes its subdomains."),
    )
