"""When the site starts, it collects its static files again if any of them has changed."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles.finders import get_finder

from forum.operations.supervision.static_files import collect_static

FINDER = "django.contrib.staticfiles.finders.FileSystemFinder"
MANIFEST = "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"
LAST_YEAR = 1_763_000_000
Served = Callable[[], dict[str, str]]


@pytest.fixture
def sources(tmp_path: Path, settings: Any) -> Path:
    """The only source folder of static files. Its only file has already been collected."""
    folder = tmp_path / "sources"
    folder.mkdir()
    settings.STATICFILES_DIRS, settings.STATICFILES_FINDERS = [folder], [FINDER]
    settings.STATIC_ROOT = tmp_path / "static"
    get_finder.cache_clear()  # type: ignore[attr-defined]
    (folder / "site.css").write_text("first")
    collect_static()
    return folder


@pytest.fixture
def served(sources: Path) -> Served:
    """Return a function that returns the collected files as a dict from file name to text."""
    place = sources.parent / "static"
    return lambda: {file.name: file.read_text() for file in place.iterdir()}


def test_changed_file_is_collected(sources: Path, served: Served) -> None:
    assert served() == {"site.css": "first"}
    (sources / "site.css").write_text("second")
    collect_static()
    assert served() == {"site.css": "second"}


def test_changed_file_with_an_old_time_is_collected(sources: Path, served: Served) -> None:
    (sources / "site.css").write_text("older")
    os.utime(sources / "site.css", (LAST_YEAR, LAST_YEAR))
    collect_static()
    assert served() == {"site.css": "older"}


def test_new_file_is_collected(sources: Path, served: Served) -> None:
    (sources / "more.js").write_text("more")
    collect_static()
    assert served() == {"site.css": "first", "more.js": "more"}


def test_collected_file_that_was_removed_is_collected_again(sources: Path, served: Served) -> None:
    (sources.parent / "static" / "site.css").unlink()
    (sources.parent / "static").rmdir()
    collect_static()
    assert served() == {"site.css": "first"}


def test_older_pages_still_find_their_files(sources: Path, served: Served, settings: Any) -> None:
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": MANIFEST}}
    for words in ("older", "newer"):
        (sources / "site.css").write_text(words)
        collect_static()
    named = {name: text for name, text in served().items() if name.count(".") == 2}
    assert {text for name, text in named.items() if name.endswith(".css")} == {"older", "newer"}


def test_nothing_is_collected_if_nothing_has_changed(sources: Path, served: Served) -> None:
    (sources.parent / "static" / "site.css").write_text("what only a collection would overwrite")
    collect_static()
    assert served() == {"site.css": "what only a collection would overwrite"}
