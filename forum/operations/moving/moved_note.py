"""A file in FORUM_DATA which says that the site has moved. Commands then refuse the old data."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import gmtime, strftime

from django.core.exceptions import ImproperlyConfigured

from forum.config.data_directory import replace_text
from forum.config.environment import text

NOTE = "moved.json"


@contextmanager
def noted(data: Path, names: Iterable[str]) -> Iterator[None]:
    """Write a note that the site has moved, and that it now needs the settings named in `names`.

    If an earlier move wrote a note, the new note also contains the settings named in the old one.
    If the `with` block fails, the old note is restored.
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
    """Return why the site can't run with its current settings; None if it can."""
    try:
        at, names = _read(data)
    except ImproperlyConfigured as error:
        return str(error)
    if missing := [name for name in names if text(name, "sqlite").startswith("sqlite")]:
        return (
            f"This site moved on {at}: set {' and '.join(missing)} and start"
            f" again. To go back to the old data, delete {data / NOTE}: anything newer is then"
            " missing."
        )
    return None


def refuse(data: Path) -> None:
    """Raise ImproperlyConfigured if the site has moved and its new settings are missing."""
    if sentence := refusal(data):
        raise ImproperlyConfigured(sentence)


def _write(data: Path, at: str, names: Iterable[str]) -> None:
    replace_text(data / NOTE, json.dumps({"at": at, "settings": sorted(names)}))


def _read(data: Path) -> tuple[str, list[str]]:
    """Return when the site moved and which settings it needs; "" and [] if it didn't move.

    Raises ImproperlyConfigured if the note exists but can't be read.
    """
    if not os.path.exists(data / NOTE):  # noqa: PTH110 - exists() of Path raises without permission
        return "", []
    try:
        note = json.loads((data / NOTE).read_text())
        return str(note["at"]), [str(name) for name in note["settings"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ImproperlyConfigured(
            f"{data / NOTE} can't be read ({error}). The file says that this site has"
            " moved. Delete the file. Then start with the new settings, or start without them to go"
            " back to the old data."
        ) from error
