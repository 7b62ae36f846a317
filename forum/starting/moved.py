"""The note that a site has moved away: nothing starts on what it left without its new settings."""

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import gmtime, strftime
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from forum.environment import text

NOTE = "moved.json"


def write(data: Path, names: Iterable[str]) -> None:
    """Note that what these settings name has taken the place of what is in `data`; what moved
    before stays noted.
    """
    fresh = data / f"{NOTE}.new"
    at = strftime("%Y-%m-%d %H:%M UTC", gmtime())
    fresh.write_text(json.dumps({"at": at, "settings": sorted({*names, *_read(data)["settings"]})}))
    fresh.rename(data / NOTE)


def refusal(data: Path) -> str | None:
    """Return why nothing may run here with this environment; None where it may."""
    note = _read(data)
    if missing := [name for name in note["settings"] if _is_old(text(name))]:
        return (
            f"This site moved away on {note['at']}: set {' and '.join(missing)} and start"
            f" again. To go back to what was here then, without anything newer, delete"
            f" {data / NOTE}."
        )
    return None


def refuse(data: Path) -> None:
    """Raise ImproperlyConfigured where the site has moved and the environment does not follow."""
    if sentence := refusal(data):
        raise ImproperlyConfigured(sentence)


def _read(data: Path) -> dict[str, Any]:
    """Return the note; one of nothing where there is none."""
    with suppress(FileNotFoundError):
        return dict(json.loads((data / NOTE).read_text()))
    return {"settings": []}


def _is_old(address: str) -> bool:
    return not address or address.startswith("sqlite")
