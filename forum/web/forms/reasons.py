"""The form field for a moderator's reason. It suggests the reasons in the moderation policy."""

from typing import Any, ClassVar

from django import forms
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from forum.actions.policy import reasons
from forum.models import ModAction
from forum.web.forms.fields import UncutField

LIST = "reasons"
"""The HTML id of the list of suggested reasons. A page has only one form with a reason."""


class ReasonInput(forms.TextInput):
    """A text box that suggests the reasons in the moderation policy, even without JavaScript."""

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        box = super().render(name, value, {**(attrs or {}), "list": LIST}, renderer)
        options = format_html_join(
            "", '<option value="{}"></option>', ((one,) for one in reasons())
        )
        return format_html('{}<datalist id="{}">{}</datalist>', box, LIST, options)


class ReasonField(UncutField):
    """The reason for an action. The person concerned and all readers of the public log see the
    reason.
    """

    default_error_messages: ClassVar = {
        "required": _("Give a reason. Everybody can read it in the moderation log.")
    }

    def __init__(self, **more: Any) -> None:
        usual: dict[str, Any] = {
            "label": _("Reason"),
            "max_length": ModAction._meta.get_field("reason").max_length,
            "widget": ReasonInput(attrs={"autocomplete": "off"}),
            "help_text": _(
                "The person concerned and everybody who opens the"
                " moderation log can read the reason."
            ),
        }
        super().__init__(**(usual | more))


class ReasonForm(forms.Form):
    """A form with only a reason. Without `required`, the reason may be empty."""

    reason = ReasonField()

    def __init__(self, *args: Any, required: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = required
