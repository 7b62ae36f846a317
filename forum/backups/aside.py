"""The files of a site that is being replaced: out of the way, and back where that fails."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


@contextmanager
def put_aside(paths: Sequence[Path], place: Path) -> Iterator[ExitStack]:
    """Move those of the files and folders that there are to `place`, for the block to make others.

    Gives the way back: where the block fails, what it made goes and what was there comes back,
    unless it gave up the way back by `pop_all`.
    """
    with ExitStack() as way_back:
        way_back.callback(_drop_if_empty, place)
        for path in paths:
            if path.exists():
                place.mkdir(mode=0o700, exist_ok=True)
                shutil.move(path, place / path.name)
                way_back.callback(shutil.move, place / path.name, path)
            way_back.callback(_drop, path)
        yield way_back
        way_back.pop_all()


def _drop(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _drop_if_empty(place: Path) -> None:
    with suppress(OSError):
        place.rmdir()
