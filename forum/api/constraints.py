"""Enums and lengths for the OpenAPI document, read from the forms and choices that check them.

They only describe values. The forms of the site's pages check what programs send.
"""

from collections.abc import Iterable
from typing import Any

from django import forms
from pydantic import WithJsonSchema


def checked_by(form: type[forms.Form], name: str, **more: object) -> WithJsonSchema:
    """Return the schema of the values that a form's field accepts. `more` is added to it."""
    field = form.base_fields[name]
    schema: dict[str, Any] = {"type": "string"}
    if isinstance(field, forms.IntegerField):
        schema = {"type": "integer", "minimum": field.min_value, "maximum": field.max_value}
    elif isinstance(field, forms.ChoiceField):
        choices: Any = field.choices
        schema["enum"] = [value for value, _label in choices]
    elif isinstance(field, forms.CharField) and field.max_length:
        schema["maxLength"] = field.max_length
    return WithJsonSchema(schema | more)


def one_of(values: Iterable[str | int]) -> WithJsonSchema:
    """Return the schema of a value that is one of these."""
    choices = list(values)
    kind = "string" if isinstance(choices[0], str) else "integer"
    return WithJsonSchema({"type": kind, "enum": choices})
