"""The site's folder of backups, FORUM_DATA/backups, and the rules for removing old backups.

Each backup is named after the UTC time when it began. Other files in the folder aren't touched.
"""

import re
import shutil
from pathlib import Path
from time import gmtime, strftime

from django.conf import settings

from forum.operations.backups.folders import CHECKSUMS, UNFINISHED

FAILED = ".failed"
"""The suffix that marks a backup that could not be restored."""
NAME = r"\d{8}-\d{6}"


def place() -> Path:
    """Return the folder that contains all backups of the site."""
    return Path(settings.FORUM_DATA / "backups")


def new_folder() -> Path:
    """Return the folder for a backup that begins now."""
    return place() / strftime("%Y%m%d-%H%M%S", gmtime())


def mark_failed(folder: Path) -> None:
    """Rename a backup that could not be restored, and remove earlier failed backups.

    `remove_old` ignores renamed backups.
    """
    for earlier in _named(FAILED):
        shutil.rmtree(earlier)
    folder.rename(folder.with_name(folder.name + FAILED))


def remove_old(newest: Path, keep: int) -> list[Path]:
    """Keep the latest `keep` backups. Remove older backups and incomplete backups.

    Returns the removed folders. Never removes the backup `newest`, even if a wrong clock gave this
    backup an early date.
    """
    others = [path for path in _named() if path != newest and (path / CHECKSUMS).is_file()]
    removed = others[: max(0, len(others) + 1 - keep)] + _named(UNFINISHED)
    for folder in removed:
        shutil.rmtree(folder)
    return removed


def _named(end: str = "") -> list[Path]:
    """Return the backup folders whose name is a time followed by the suffix `end`, oldest first."""
    pattern = re.compile(NAME + re.escape(end))
    return sorted(path for path in place().iterdir() if pattern.fullmatch(path.name))
