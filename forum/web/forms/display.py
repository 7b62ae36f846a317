"""The form for the look of pages."""

from django import forms
from django.utils.translation import gettext_lazy as _


class DisplayForm(forms.Form):
    """The choices of `forum.web.display`, with their labels."""

    theme = forms.ChoiceField(
        label=_("Theme"),
        widget=forms.RadioSelect,
        choices={"system": _("System"), "light": _("Light"), "dark": _("Dark")},
    )
    contrast = forms.ChoiceField(
        label=_("Contrast"),
        widget=forms.RadioSelect,
        choices={"normal": _("Normal"), "high": _("High")},
    )
    text = forms.ChoiceField(
        label=_("Text size"),
        widget=forms.RadioSelect,
        choices={
            "small": _("Smaller"),
            "normal": _("Normal"),
            "large": _("Larger"),
        },
    )
    density = forms.ChoiceField(
        label=_("Spacing"),
        widget=forms.RadioSelect,
        choices={"comfortable": _("Comfortable"), "compact": _("Compact")},
    )
    avatars = forms.ChoiceField(
        label=_("Patterns beside names"),
        widget=forms.RadioSelect,
        choices={"on": _("Visible"), "off": _("Hidden")},
    )
    keys = forms.ChoiceField(
        label=_("Keyboard shortcuts"),
        widget=forms.RadioSelect,
        choices={"on": _("On"), "off": _("Off")},
        help_text=_("For members: press ? on a page with posts or comments to see them."),
    )
