"""The note that a site has moved away: nothing starts on what it left without its new settings."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import gmtime, strftime

from django.core.exceptions import ImproperlyConfigured

from forum.config.data_directory import write_durably
from forum.config.environment import text

NOTE = "moved.json"


@contextmanager
def noted(data: Path, names: Iterable[str]) -> Iterator[None]:
    """Note that what these settings name has taken the place of what is in `data`; what moved
    before stays noted. Where the block fails, the note is again what it was.
    """
    at, before = _read(data)
    try:
        _write(data, strftime("%Y-%m-%d %H:%M UTC", gmtime()), {*before, *names})
        yield
    except BaseException:
        if before:
            _write(data, at, before)
        else:
            (data / NOTE).unlink(missing_ok=True)
        raise


def refusal(data: Path) -> str | None:
    """Return why nothing may run here with this environment; None where it may."""
    try:
        at, names = _read(data)
    except ImproperlyConfigured as error:
        return str(error)
    if missing := [name for name in names if _is_old(text(name))]:
        return (
            f"This site moved away on {at}: set {' and '.join(missing)} and start"
            f" again. To go back to what was here then, without anything newer, delete"
            f" {data / NOTE}."
        )
    return None


def refuse(data: Path) -> None:
    """Raise ImproperlyConfigured where the site has moved and the environment does not follow."""
    if sentence := refusal(data):
        raise ImproperlyConfigured(sentence)


def _write(data: Path, at: str, names: Iterable[str]) -> None:
    write_durably(data / NOTE, json.dumps({"at": at, "settings": sorted(names)}))


def _read(data: Path) -> tuple[str, list[str]]:
    """Return when the site moved, and the settings it needs since; none where there is no note.

    Raises ImproperlyConfigured where it can't be read. A directory that one may not look into has
    none: whoever needs the directory says what is wrong with it.
    """
    if not os.path.exists(data / NOTE):  # noqa: PTH110 - which raises where one may not look
        return "", []
    try:
        note = json.loads((data / NOTE).read_text())
        return str(note["at"]), [str(name) for name in note["settings"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ImproperlyConfigured(
            f"{data / NOTE} can't be read ({error}), and it says that this site moved away. Delete"
            " it and start with the settings of where it moved to, or without them to go back."
        ) from error


def _is_old(address: str) -> bool:
    return not address or address.startswith("sqlite")
