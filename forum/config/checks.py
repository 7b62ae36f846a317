"""System checks, which `manage.py check` runs before a reload and after an upgrade."""

from typing import Any

from django.core.checks import Error
from django.core.exceptions import ImproperlyConfigured

from forum.text import links, same_page


def address_rules(**_options: Any) -> list[Error]:
    """Return an error if a rule in `same_page.toml` contradicts its examples."""
    try:
        same_page.check_examples(links.RULES, links.key)
    except ImproperlyConfigured as error:
        return [Error(str(error), id="forum.E001")]
    return []
