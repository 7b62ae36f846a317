"""Files that a restore replaces: renamed first, and renamed back if the restore fails.

A note in FORUM_DATA exists until the restore has succeeded, so that the next start can undo a
restore that was killed.
"""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import strftime

from forum.config.data_directory import write_durably

NOTE = "restore.json"


@contextmanager
def renamed_aside(data: Path, paths: Sequence[Path]) -> Iterator[Callable[[], None]]:
    """Rename the files and folders at `paths` to make room for others.

    If the block fails, remove what it has created there and rename them back, unless the block has
    called the function that it is given: then they stay aside.
    """
    existing = [str(path) for path in paths if path.exists()]
    missing = [str(path) for path in paths if not path.exists()]
    suffix = f".replaced-{strftime('%Y%m%d-%H%M%S')}"
    note = data / NOTE
    settle = partial(note.unlink, missing_ok=True)
    try:
        state = {"suffix": suffix, "existing": existing, "missing": missing}
        write_durably(note, json.dumps(state))
        for path in existing:
            Path(path).rename(path + suffix)
        yield settle
        settle()
    except BaseException:
        undo(data)
        raise


def undo(data: Path) -> None:
    """Undo a restore that did not succeed, if there was one. Can be interrupted and repeated."""
    note = data / NOTE
    if not note.exists():
        return
    state = json.loads(note.read_text())
    for path in state["missing"]:
        _remove(Path(path))
    for path in state["existing"]:
        aside = Path(path + state["suffix"])
        if aside.exists():
            _remove(Path(path))
            aside.rename(path)
    note.unlink()


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
