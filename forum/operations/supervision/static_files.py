"""Collects static files, compresses them, and names them after their content."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect_static() -> None:
    """Collect static files if a file was added, removed or changed since the last time.

    Checking takes 0.02 s, collecting 1.6 s. Older versions of files stay, because pages that are
    open in browsers still use them.
    """
    sources = list(_sources())
    note = settings.STATIC_ROOT.with_suffix(".collected")
    current = sha256("\n".join(sorted(_state(path) for _name, path in sources)).encode())
    if settings.STATIC_ROOT.exists() and note.exists() and note.read_text() == current.hexdigest():
        return
    note.unlink(missing_ok=True)  # so that an interrupted collection is repeated
    for name, _path in sources:
        # Django doesn't replace a file that is younger than its source, but a source that was
        # copied from another machine may be new and have an old time.
        (settings.STATIC_ROOT / name).unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, verbosity=0)
    note.write_text(current.hexdigest())


def _sources() -> Iterator[tuple[str, Path]]:
    """Yield the name and path of each static file."""
    for finder in get_finders():
        for name, storage in finder.list([]):
            yield name, Path(storage.path(name))


def _state(path: Path) -> str:
    found = path.stat()
    return f"{path} {found.st_size} {found.st_mtime_ns}"
