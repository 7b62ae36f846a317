"""The folder of a backup: what is in it, and whether it is still what was written."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from tempfile import mkdtemp

from django.core.management import CommandError
from django.utils.translation import gettext as _

CHECKSUMS = "SHA256SUMS"
"""As `sha256sum --check` reads it."""
REDIS = "votes.rdb"
SECRET = "secret-key"  # noqa: S105 - a file's name, here as in FORUM_DATA
UNFINISHED = ".unfinished"
"""The end of the name of a backup's folder until it is whole."""
LOCK = "being-written"
"""A file that is locked while its folder is written; network disks can't lock the folder itself."""


def unfinished(folder: Path) -> Path:
    """Return where a backup is written that will be in a folder."""
    return folder.with_name(folder.name + UNFINISHED)


def is_whole(folder: Path) -> bool:
    """Say whether a folder is a backup that was written to its end."""
    return (folder / CHECKSUMS).is_file()


@contextmanager
def being_written(folder: Path) -> Iterator[Path]:
    """Give the unfinished folder of a backup, locked while this process lives. It becomes `folder`
    at the end of the block, and goes where that fails.
    """
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    here = Path(mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        with (here / LOCK).open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            here = here.rename(unfinished(folder))  # which nobody ever sees without its lock
            yield here
            here = here.rename(folder)
            (here / LOCK).unlink()
    except BaseException:
        shutil.rmtree(here)
        raise


def drop_if_left(folder: Path) -> bool:
    """Remove what was to be a backup, and say so; False where a process is writing it."""
    try:
        with (folder / LOCK).open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except FileNotFoundError:
        pass
    shutil.rmtree(folder)
    return True


def seal(folder: Path) -> None:
    """Write the checksums of all files, and have everything on disk."""
    files = sorted(file for file in folder.iterdir() if file.name not in {CHECKSUMS, LOCK})
    lines = [f"{_checksum(file)}  {file.name}\n" for file in files]
    (folder / CHECKSUMS).write_text("".join(lines))
    for file in (*files, folder / CHECKSUMS):
        file.chmod(0o600)
        sync(file)
    sync(folder)


def verify(folder: Path) -> frozenset[str]:
    """Return the names of the files that a backup has. Raises CommandError where it is damaged, or
    not ours to read, as files are that somebody else has copied here.
    """
    try:
        return _verified(folder)
    except OSError as error:
        sentence = _("%(file)s can't be read: %(why)s.")
        raise CommandError(sentence % {"file": error.filename, "why": error.strerror}) from error


def _verified(folder: Path) -> frozenset[str]:
    try:
        lines = (folder / CHECKSUMS).read_text(errors="replace").splitlines()
    except (FileNotFoundError, NotADirectoryError) as error:
        sentence = _("%(folder)s is no whole backup: it has no %(file)s.")
        raise CommandError(sentence % {"folder": folder, "file": CHECKSUMS}) from error
    names = set()
    for line in lines:
        expected, _space, name = line.partition("  ")
        file = folder / name
        if not file.is_file() or _checksum(file) != expected:
            sentence = _("%(file)s is not what was backed up: take another backup.")
            raise CommandError(sentence % {"file": file})
        names.add(name)
    return frozenset(names)


def _checksum(file: Path) -> str:
    with file.open("rb") as content:
        return file_digest(content, "sha256").hexdigest()


def sync(path: Path) -> None:
    """Bring a file or the list of a folder's files to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
