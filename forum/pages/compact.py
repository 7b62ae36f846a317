"""Rendering what is remembered in as few bytes as its template allows."""

import re
from typing import Any

from django.template.loader import render_to_string

BREAK = re.compile(r"\s*\n\s*")


def squeezed(template: str, shown: dict[str, Any]) -> str:
    """Render what is remembered, without the breaks between the lines of its template."""
    return BREAK.sub(" ", render_to_string(template, shown).strip())
