"""The site's own folder of backups, FORUM_DATA/backups, and which of them to keep.

A backup is named after the time (UTC) when it began. Other files in the folder are left alone.
"""

import re
import shutil
from pathlib import Path
from time import gmtime, strftime

from django.conf import settings

from forum.operations.backups.folders import CHECKSUMS, UNFINISHED

FAILED = ".failed"
"""The suffix of the name of a backup that could not be restored."""
NAME = r"\d{8}-\d{6}"


def place() -> Path:
    """Return the folder that contains the site's backups."""
    return Path(settings.FORUM_DATA / "backups")


def new_folder() -> Path:
    """Return the folder for a backup that begins now."""
    return place() / strftime("%Y%m%d-%H%M%S", gmtime())


def mark_failed(folder: Path) -> None:
    """Rename a backup that could not be restored, so that no good backup is removed in its favour.

    Of such backups, only the last one is kept.
    """
    for earlier in _named(FAILED):
        shutil.rmtree(earlier)
    folder.rename(folder.with_name(folder.name + FAILED))


def remove_old(newest: Path, keep: int) -> list[Path]:
    """Remove unfinished backups and all but the latest `keep` complete ones; return those removed.

    The backup `newest` stays even if its name isn't the latest, for example after the clock was
    wrong.
    """
    others = [path for path in _named() if path != newest and (path / CHECKSUMS).is_file()]
    removed = others[: max(0, len(others) + 1 - keep)] + _named(UNFINISHED)
    for folder in removed:
        shutil.rmtree(folder)
    return removed


def _named(end: str = "") -> list[Path]:
    """Return the folders whose names are a time followed by the suffix `end`, oldest first."""
    pattern = re.compile(NAME + re.escape(end))
    return sorted(path for path in place().iterdir() if pattern.fullmatch(path.name))
