"""The HTML checker finds no error on any page, in both languages.

To install the checker, run `.ci/html-checker`. If the checker is not installed, the tests are
skipped, or fail if `REQUIRE_HTML_CHECKER=1` is set.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Collection, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from django.conf import settings

from forum.models import User
from forum.operations.supervision.bootstrap import BASE
from tests.forum.library import Library, library, short_pages
from tests.forum.page_types import DOZEN, PAGES, Visitor

pytestmark = pytest.mark.django_db(transaction=True)
CHECKER = BASE / ".venv/html-checker/node_modules/vnu-jar/build/dist/vnu.jar"
WRONG = """<!doctype html>
<html lang="en"><title>Wrong</title><time datetime="2026-01-01T10:00:00.123456Z">now</time></html>
"""
NO_FAULT = "Article lacks heading.*"
"""A warning that the tests ignore, because a comment is an `<article>` without a heading."""
MISSING = "The HTML checker is not installed: run .ci/html-checker, which needs npm and Java."


@pytest.fixture
def checker() -> Path:
    """Return the path of the HTML checker; skip the test if it is not installed."""
    if not (CHECKER.exists() and shutil.which("java")):
        if os.environ.get("REQUIRE_HTML_CHECKER") == "1":
            pytest.fail(f"REQUIRE_HTML_CHECKER=1. {MISSING}", pytrace=False)
        pytest.skip(MISSING)
    return CHECKER


@pytest.fixture
def site(ada: User, bob: User, settings: Any) -> Iterator[Library]:
    """A site on which every type of page has content."""
    with short_pages(settings):
        yield library(ada, bob)


def checker_messages(checker: Path, folder: Path) -> list[str]:
    """Check the files in a folder; return the checker's messages, each with file and line."""
    options = ["--format", "json", "--stdout", "--exit-zero-always", "--filterpattern", NO_FAULT]
    command = ["java", "-jar", str(checker), *options, str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return [
        f"{unquote(Path(message['url']).name)}, line {message['lastLine']}: {message['message']}"
        for message in json.loads(run.stdout)["messages"]
    ]


def problems_of(
    checker: Path, site: Library, named: Mapping[Visitor, Collection[str]], folder: Path
) -> list[str]:
    """Check pages in all languages, and a page with a fault, which the checker must find.

    `named` has the names of the pages to check, by visitor.
    """
    pages = {"wrong": WRONG.encode()}
    for language, visitor in product(dict(settings.LANGUAGES), named):
        window = site.browser(visitor)
        window.cookies[settings.LANGUAGE_COOKIE_NAME] = language
        addresses = site.pages(visitor)
        for name in named[visitor]:
            page = window.get(addresses[name], follow=True).content
            assert f'<html lang="{language}"'.encode() in page
            pages[f"{visitor} {language} {name}"] = page
    for name, page in pages.items():
        (folder / f"{name}.html").write_bytes(page)
    problems = checker_messages(checker, folder)
    faults = [each for each in problems if not each.startswith("wrong.html")]
    assert len(problems) > len(faults), "the checker finds the invalid time"
    return faults


@pytest.mark.short
@pytest.mark.long
def test_the_html_checker_finds_nothing_on_a_dozen_pages(
    checker: Path, site: Library, tmp_path: Path
) -> None:
    assert problems_of(checker, site, DOZEN, tmp_path) == []


@pytest.mark.long
def test_the_html_checker_finds_nothing_on_any_page(
    checker: Path, site: Library, tmp_path: Path
) -> None:
    assert problems_of(checker, site, PAGES, tmp_path) == []
