"""Static files, collected at a start of the site."""

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
    """A folder of static files, the only one."""
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
    """What is given to browsers, by name."""
    place = sources.parent / "static"
    return lambda: {file.name: file.read_text() for file in place.iterdir()}


def test_a_style_sheet_that_changed_is_served_after_the_next_start(
    sources: Path, served: Served
) -> None:
    assert served() == {"site.css": "first"}
    (sources / "site.css").write_text("second")
    collect_static()
    assert served() == {"site.css": "second"}


def test_a_style_sheet_of_last_year_from_another_machine_is_served_too(
    sources: Path, served: Served
) -> None:
    (sources / "site.css").write_text("older")
    os.utime(sources / "site.css", (LAST_YEAR, LAST_YEAR))
    collect_static()
    assert served() == {"site.css": "older"}


def test_a_file_that_is_new_is_served_after_the_next_start(sources: Path, served: Served) -> None:
    (sources / "more.js").write_text("more")
    collect_static()
    assert served() == {"site.css": "first", "more.js": "more"}


def test_what_somebody_removed_from_the_data_comes_back(sources: Path, served: Served) -> None:
    (sources.parent / "static" / "site.css").unlink()
    (sources.parent / "static").rmdir()
    collect_static()
    assert served() == {"site.css": "first"}


def test_who_has_a_page_open_since_before_still_finds_its_style_sheet(
    sources: Path, served: Served, settings: Any
) -> None:
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": MANIFEST}}
    for words in ("older", "newer"):
        (sources / "site.css").write_text(words)
        collect_static()
    named = {name: text for name, text in served().items() if name.count(".") == 2}
    assert {text for name, text in named.items() if name.endswith(".css")} == {"older", "newer"}


def test_a_start_that_finds_all_as_it_was_writes_nothing(sources: Path, served: Served) -> None:
    (sources.parent / "static" / "site.css").write_text("what only a start would write over")
    collect_static()
    assert served() == {"site.css": "what only a start would write over"}
