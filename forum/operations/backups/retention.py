"""The site's own folder of backups, FORUM_DATA/backups, and which of them to keep.

A backup is named by the time (UTC) when it began. Anything else in the folder is left alone.
"""

import re
import shutil
from pathlib import Path
from time import gmtime, strftime

from django.conf import settings

from forum.operations.backups.folders import CHECKSUMS, UNFINISHED

FAILED = ".failed"
"""The end of the name of a backup that could not be restored."""
NAME = r"\d{8}-\d{6}"


def place() -> Path:
    """Return the folder of the site's backups."""
    return Path(settings.FORUM_DATA / "backups")


def new_folder() -> Path:
    """Return the folder for a backup that begins now."""
    return place() / strftime("%Y%m%d-%H%M%S", gmtime())


def mark_failed(folder: Path) -> None:
    """Rename a backup that could not be restored, so that it doesn't push out good ones.

    Only the last such backup is kept.
    """
    for earlier in _named(FAILED):
        shutil.rmtree(earlier)
    folder.rename(folder.with_name(folder.name + FAILED))


def remove_old(newest: Path, keep: int) -> list[Path]:
    """Remove all complete backups but the `keep` newest, and unfinished ones; return what went.

    `newest` stays even if its name is not the latest, as after the clock was wrong.
    """
    others = [path for path in _named() if path != newest and (path / CHECKSUMS).is_file()]
    removed = others[: max(0, len(others) + 1 - keep)] + _named(UNFINISHED)
    for folder in removed:
        shutil.rmtree(folder)
    return removed


def _named(end: str = "") -> list[Path]:
    """Return the folders whose names are a time with this end, the oldest first."""
    pattern = re.compile(NAME + re.escape(end))
    return sorted(path for path in place().iterdir() if pattern.fullmatch(path.name))
