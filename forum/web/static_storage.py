"""Static files: minified, named by their content, and compressed."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.core.files.base import ContentFile
from rcssmin import cssmin
from rjsmin import jsmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

MINIFIERS = {".css": cssmin, ".js": jsmin}
MINIFIED = ".min."
"""In the name of a file that was minified by its makers."""


class StaticStorage(CompressedManifestStaticFilesStorage):
    """Takes comments and white space from stylesheets and scripts before they are compressed.

    That makes the site's own stylesheet a fifth smaller on the wire, and the script a third.
    """

    def save(self, name: str, content: Any, max_length: int | None = None) -> str:
        """Save a file, minified if it can be, and return its name."""
        minify = next((MINIFIERS[end] for end in MINIFIERS if name.endswith(end)), None)
        if minify and MINIFIED not in name:
            content = ContentFile(minify(content.read().decode()).encode())
        return str(super().save(name, content, max_length))

    def post_process(
        self, paths: Iterable[str], dry_run: bool = False, **options: Any
    ) -> Iterator[Any]:
        """Name and compress what was saved here, where Django would read the sources again."""
        yield from super().post_process({name: (self, name) for name in paths}, dry_run, **options)
