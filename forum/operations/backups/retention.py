"""The site's own place for backups, FORUM_DATA/backups: the newest stay there.

A folder is named by the second at which its backup began, or by the next that no other has. What
else lies there is left alone.
"""

import re
import shutil
from pathlib import Path
from time import gmtime, strftime, time

from django.conf import settings

from forum.operations.backups import folders

FAILED = ".failed"
"""The end of the name of a backup that could not be brought back."""
NAMED = re.compile(r"(\d{8}-\d{6})(\.\w+)?")


def place() -> Path:
    """Return the folder of the site's backups."""
    return Path(settings.FORUM_DATA / "backups")


def new_folder() -> Path:
    """Return where a backup that begins now goes."""
    taken = {path.stem for path in place().glob("*")}
    moment = time()
    while (name := strftime("%Y%m%d-%H%M%S", gmtime(moment))) in taken:
        moment += 1
    return place() / name


def mark_failed(folder: Path) -> None:
    """Have a backup that could not be brought back take nobody's place among those that can; the
    one of which that was said before goes.
    """
    for former in _with_end(FAILED):
        shutil.rmtree(former)
    folder.rename(folder.with_name(folder.name + FAILED))


def keep(newest: Path, number: int) -> list[Path]:
    """Remove all backups but `number`, of which `newest` is one whatever its name says, and what
    killed backups left. Return what was removed.
    """
    others = [folder for folder in _with_end("") if folder != newest and folders.is_whole(folder)]
    gone = others[: max(0, len(others) + 1 - number)]
    for folder in gone:
        # Half removed it must not look like one.
        shutil.rmtree(folder.rename(folders.unfinished(folder)))
    gone += [left for left in _with_end(folders.UNFINISHED) if folders.drop_if_left(left)]
    return gone


def _with_end(end: str) -> list[Path]:
    """Return the folders whose names are a time with this end, the oldest first."""
    named = [(NAMED.fullmatch(path.name), path) for path in place().iterdir() if path.is_dir()]
    return sorted(path for match, path in named if match and (match[2] or "") == end)
