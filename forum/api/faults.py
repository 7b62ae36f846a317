"""What is wrong with a request, in sentences in the reader's language."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from ninja.errors import HttpError

from forum.web.problems import Problem

SENTENCES = {
    "missing": gettext_lazy("This is missing."),
    "extra_forbidden": gettext_lazy("There is no such field."),
    "unstorable": gettext_lazy("This has characters that can't be stored."),
    "day": gettext_lazy("This is not a date like 2026-11-24."),
    "enum": gettext_lazy("Choose one of these: %(expected)s."),
    "literal_error": gettext_lazy("Choose one of these: %(expected)s."),
    "greater_than_equal": gettext_lazy("This must be at least %(ge)s."),
    "less_than_equal": gettext_lazy("This must be at most %(le)s."),
    "string_too_short": gettext_lazy("This is too short: the least is %(min_length)s."),
    "string_too_long": gettext_lazy("This is too long: the most is %(max_length)s."),
    "string_type": gettext_lazy("This must be text."),
    "string_unicode": gettext_lazy("This has characters that can't be stored."),
    "list_type": gettext_lazy("This must be a list."),
    "int_type": gettext_lazy("This must be a whole number."),
    "int_parsing": gettext_lazy("This must be a whole number."),
    "int_parsing_size": gettext_lazy("This must be a whole number."),
    "int_from_float": gettext_lazy("This must be a whole number."),
    "bool_type": gettext_lazy("This must be true or false."),
    "bool_parsing": gettext_lazy("This must be true or false."),
    "model_type": gettext_lazy("This must be an object."),
    "model_attributes_type": gettext_lazy("This must be an object."),
}
"""A sentence for each kind of error of Pydantic."""


def sentence(fault: dict[str, Any]) -> str:
    """Return the name of a wrong field or parameter, and what is wrong with it."""
    name = [part for part in fault["loc"] if isinstance(part, str)][-1]
    details = fault.get("ctx", {})
    if "expected" in details:
        choices = details["expected"].replace(" or ", ", ").replace("'", "")
        details = details | {"expected": choices}
    text = SENTENCES.get(fault["type"], gettext_lazy("This value isn't allowed."))
    return f"{name}: {text % details}"


def refuse_unstorable(request: HttpRequest) -> None:
    """Raise HttpError for an address with a NUL character, which SQL can't store."""
    wrong = [name for name, values in request.GET.lists() if "\0" in "".join([name, *values])]
    if "\0" in request.path:
        wrong.append(_("address"))
    if wrong:
        raise HttpError(422, f"{', '.join(wrong)}: {SENTENCES['unstorable']}")


def unreadable(request: HttpRequest) -> Problem:
    """Return the problem with a request's body that isn't JSON."""
    if request.content_type in {"application/json", ""}:
        return Problem(400, _("The body isn't valid JSON."))
    return Problem(415, _("Send JSON, with the header Content-Type: application/json."))
