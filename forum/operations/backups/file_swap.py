"""The files of a site that is being replaced: out of the way, and back where that fails.

They are in a folder whose name says how far this has come, so that what was cut off can be undone:
`NAME.moving` has some of them, on their way out or back, and the others are in their places;
`NAME.moved` has all, and what stands in their places is half made; `NAME` alone has what was
replaced for good.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from forum.operations.backups.folders import sync

REPLACED = "replaced-"
"""How the names of such folders begin; nothing else in the data is ours to move or drop."""
MOVING, MOVED = ".moving", ".moved"
PLACES = "places"
"""The file that says where the others were, each in a line."""
PART = ".part"
"""The end of the name of what is not all there yet."""


@contextmanager
def put_aside(paths: Sequence[Path], place: Path) -> Iterator[Callable[[], None]]:
    """Move those of the files and folders that there are to `place`, for the block to make others.

    Where the block fails, what it made goes and what was there comes back, unless it has called
    what it is given: then it is replaced for good.
    """
    moving, moved = (place.with_name(place.name + end) for end in (MOVING, MOVED))

    def settle() -> None:
        if moved.exists():
            moved.rename(place)
            if [path.name for path in place.iterdir()] == [PLACES]:
                shutil.rmtree(place)

    moving.mkdir(mode=0o700)
    try:
        (moving / PLACES).write_text("\n".join(map(str, paths)))
        for written in (moving / PLACES, moving):  # after a power cut, too, it says where they were
            sync(written)
        for path in paths:
            if path.exists():
                _keep(path, moving / path.name)
        moving.rename(moved)
        yield settle
        settle()
    except BaseException:
        bring_back(place.parent)
        raise


def is_cut_off(data: Path) -> bool:
    """Say whether files are aside that are neither back nor replaced for good."""
    return bool(_folders(data, MOVING) + _folders(data, MOVED))


def bring_back(data: Path) -> None:
    """Bring back to their places what such folders in `data` have. May be cut off and repeated."""
    for moved in _folders(data, MOVED):
        for path in _places(moved):
            _drop(path)
        moved.rename(moved.with_suffix(MOVING))
    for folder in _folders(data, MOVING):
        for path in _places(folder):
            kept = folder / path.name
            if kept.exists():
                _drop(path)  # somebody made it since: whoever reads the settings makes a secret key
                shutil.move(kept, path)
        shutil.rmtree(folder)


def _folders(data: Path, end: str) -> list[Path]:
    return list(data.glob(f"{REPLACED}*{end}"))


def _places(folder: Path) -> list[Path]:
    """Return where the files were; nowhere where it was cut off before it could say."""
    file = folder / PLACES
    return [Path(line) for line in file.read_text().splitlines()] if file.exists() else []


def _keep(path: Path, kept: Path) -> None:
    """Move a file or folder to where it is whole whenever it is there, on another disk too."""
    try:
        path.rename(kept)
    except OSError:
        part = kept.with_name(kept.name + PART)
        copy = shutil.copytree if path.is_dir() else shutil.copy2
        copy(path, part)
        part.rename(kept)
        _drop(path)


def _drop(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
