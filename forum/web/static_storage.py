"""Storage of static files: minifies and compresses them, and names them by their content."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile
from rcssmin import cssmin
from rjsmin import jsmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

MINIFIERS = {".css": cssmin, ".js": jsmin}
MINIFIED = ".min."
"""Part of the names of files that their authors have already minified."""


class StaticStorage(CompressedManifestStaticFilesStorage):
    """Removes comments and white space from stylesheets and scripts, then compresses the files.

    This makes the compressed stylesheet a fifth smaller, and the compressed script a third smaller.
    For a guest with an empty cache, that saves a fifth of the front page's weight (4 of 20 kB).
    """

    def save(self, name: str, content: Any, max_length: int | None = None) -> str:
        """Save a file, minified if it is a stylesheet or script, and return its name."""
        minify = next((MINIFIERS[end] for end in MINIFIERS if name.endswith(end)), None)
        if minify and MINIFIED not in name:
            content = ContentFile(minify(content.read().decode()).encode())
        return str(super().save(name, content, max_length))

    def post_process(
        self, paths: Iterable[str], dry_run: bool = False, **options: Any
    ) -> Iterator[Any]:
        """Add content hashes to the names of the minified files, and compress these files.

        Without this method, Django would process the original files.
        """
        yield from super().post_process({name: (self, name) for name in paths}, dry_run, **options)
        if not dry_run:
            _let_the_group_read(Path(self.location))


def _let_the_group_read(folder: Path) -> None:
    """Let the owner's group read a folder and its files, and others nothing.

    A proxy may serve these files, whatever the umask of the process that collects them.
    """
    for path in [folder, *folder.rglob("*")]:
        mode = 0o750 if path.is_dir() else 0o640
        if path.stat().st_mode & 0o777 != mode:
            path.chmod(mode)
