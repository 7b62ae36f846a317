"""Reads the names of the site's settings in the README."""

import re
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def settings_in_readme() -> set[str]:
    """Return the names in the first column of the README's table of settings."""
    table = README.read_text().partition("## Settings")[2].partition("\n## ")[0]
    rows = re.findall(r"^\|([^|]+)\|", table, re.MULTILINE)
    return set(re.findall(r"`([A-Z][A-Z_]+)`", "".join(rows)))
