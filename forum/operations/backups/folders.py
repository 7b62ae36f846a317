"""The folder of a backup or export: its files, and its temporary name while it is incomplete."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path

from django.core.management import CommandError
from django.utils.translation import gettext as _

CHECKSUMS = "SHA256SUMS"
"""The file with the checksums, for `sha256sum --check`. A folder without it is incomplete."""
REDIS = "votes.rdb"
SECRET = "secret-key"  # noqa: S105 - a file's name, here as in FORUM_DATA
UNFINISHED = ".unfinished"
"""A suffix of the folder's name while it is incomplete."""


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield an empty temporary folder, and rename it to `folder` after the block.

    If the block fails, the temporary folder is removed.
    """
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = folder.with_name(folder.name + UNFINISHED)
    if unfinished.exists():  # a killed command left it: only one runs at a time
        shutil.rmtree(unfinished)
    unfinished.mkdir(mode=0o700)
    try:
        yield unfinished
        unfinished.rename(folder)
    except BaseException:
        shutil.rmtree(unfinished)
        raise


def write_checksums(folder: Path) -> None:
    """Write the checksums of a folder's files, and make all files private."""
    files = sorted(file for file in folder.iterdir() if file.name != CHECKSUMS)
    lines = [f"{_checksum(file)}  {file.name}\n" for file in files]
    (folder / CHECKSUMS).write_text("".join(lines))
    for file in folder.iterdir():
        file.chmod(0o600)
    os.sync()


def verify(folder: Path) -> frozenset[str]:
    """Check the checksums of a backup or export, and return the names of its files.

    Raises CommandError if it is incomplete, damaged or not readable.
    """
    try:
        return frozenset(_verified(folder))
    except OSError as error:
        sentence = _("%(file)s can't be read: %(why)s.")
        raise CommandError(sentence % {"file": error.filename, "why": error.strerror}) from error


def _verified(folder: Path) -> Iterator[str]:
    try:
        lines = (folder / CHECKSUMS).read_text(errors="replace").splitlines()
    except (FileNotFoundError, NotADirectoryError) as error:
        sentence = _("%(folder)s is incomplete: it has no %(file)s.")
        raise CommandError(sentence % {"folder": folder, "file": CHECKSUMS}) from error
    for line in lines:
        expected, _space, name = line.partition("  ")
        file = folder / name
        if not file.is_file() or _checksum(file) != expected:
            sentence = _("%(file)s is missing or damaged: use another copy.")
            raise CommandError(sentence % {"file": file})
        yield name


def _checksum(file: Path) -> str:
    with file.open("rb") as content:
        return file_digest(content, "sha256").hexdigest()
