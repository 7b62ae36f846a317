"""Form fields for posts and comments. All forms use these fields and so make the same checks."""

import unicodedata
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from forum.models import Post
from forum.text import links, markup, titles, visible

BODY_LONGEST = Post._meta.get_field("body").max_length or 0
BODY_HELP = _("Optional for links and questions.")
EDIT_CONFLICT = _(
    "The text was changed after you opened this form, so your changes are not saved yet. Compare"
    " your text with the current version below, then save again."
)
TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Bidirectional control characters. In a title, they could reorder the text around the title."""


class UncutField(forms.CharField):
    """A text field without `maxlength`, because `maxlength` makes browsers cut off pasted text.

    Our script counts the characters instead.
    """

    default_error_messages: ClassVar = {
        "max_length": _("Too long: %(show_value)s characters (maximum %(limit_value)s).")
    }

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        attrs: dict[str, Any] = super().widget_attrs(widget)
        most = {"data-most": attrs["maxlength"]} if "maxlength" in attrs else {}
        return {name: value for name, value in attrs.items() if name != "maxlength"} | most


class TitleField(UncutField):
    """A title field: one line of 3 to 200 characters. White space is collapsed."""

    def __init__(self) -> None:
        super().__init__(label=_("Title"), max_length=titles.LONGEST)

    def to_python(self, value: Any) -> str:
        return titles.fold(str(super().to_python(value) or ""))

    def validate(self, value: str) -> None:
        super().validate(value)
        if any(c in TURNING or unicodedata.category(c) == "Cc" for c in value):
            raise ValidationError(_("The title can't contain control characters."), "control")
        if visible.count(value) < titles.SHORTEST:
            raise ValidationError(
                _("The title must have at least %(least)s characters."),
                "short",
                {"least": titles.SHORTEST},
            )


class AddressField(forms.CharField):
    """A field for a URL. The URL is normalised."""

    def __init__(self, *, required: bool = False, help_text: Any = "") -> None:
        spelling = {"inputmode": "url", "autocapitalize": "none", "spellcheck": "false"}
        super().__init__(
            label=_("URL"),
            required=required,
            widget=forms.TextInput(attrs=spelling | {"placeholder": "https://"}),
            help_text=help_text,
        )

    def to_python(self, value: Any) -> str:
        return links.trim(str(super().to_python(value) or ""))

    def clean(self, value: Any) -> str:
        text = super().clean(value)
        return links.normalise(text) if text else ""


class BodyField(UncutField):
    """A field for Markdown. Normalises line ends, and removes blank lines at the start and end.

    The rendered text must have visible characters.
    """

    def __init__(self, *, rows: int = 12, **more: Any) -> None:
        usual: dict[str, Any] = {"label": _("Text"), "required": False, "max_length": BODY_LONGEST}
        usual |= {"strip": False, "widget": forms.Textarea(attrs={"rows": rows})}
        super().__init__(**(usual | more))

    def to_python(self, value: Any) -> str:
        text = str(super().to_python(value) or "")
        if not visible.count(text):
            return ""
        lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip().split("\n")
        first = next((number for number, line in enumerate(lines) if line.strip()), 0)
        return "\n".join(lines[first:])

    def clean(self, value: Any) -> str:
        text = str(super().clean(value))
        if text and not visible.shows(markup.render(text)):
            raise ValidationError(_("This text has no visible characters."), "invisible")
        return text


class SeenField(forms.Field):
    """A hidden field with a fingerprint of the text at the time when its form was opened.

    If the saved text has another fingerprint, somebody has changed it meanwhile. The field may be
    missing in forms opened before an update of the site.
    """

    def __init__(self) -> None:
        super().__init__(required=False, widget=forms.HiddenInput)

    def clean(self, value: Any) -> str:
        return str(value or "")

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return False, because nobody types into a hidden field."""
        return False
