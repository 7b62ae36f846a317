"""Everything that the docs mention exists: files, link targets, and names in code."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from forum import __version__

BASE = Path(__file__).resolve().parent.parent
PAGES = sorted(
    [*BASE.glob("*.md"), *(BASE / "docs").glob("*.md"), *(BASE / "benchmarks").glob("*.md")]
)
TOPS = "forum|voting|templates|static|locale|tests|docs|deploy|benchmarks"
PATH = re.compile(rf"`((?:{TOPS}|\.ci)/[\w./-]*)(?::(\w+))?`")
"""A path in backticks. `file:name` also gives a name in that file, such as a class."""
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
RATING = re.compile(r"^\| \d+\.\d+\.\d+ \|[^|]+\| (met|partly|no|\N{EN DASH}) \|", re.MULTILINE)
"""A row of the table of requirements in security.md, and whether the requirement is met."""
TERM = re.compile(r"^\| (?!term |---)([^|]+) \|", re.MULTILINE)


def of(doc: Path) -> str:
    """Return the file name of a page of the docs, which pytest shows as the id of the test."""
    return doc.name


@pytest.mark.parametrize("doc", PAGES, ids=of)
def test_every_path_and_name_in_the_docs_exists(doc: Path) -> None:
    for path, name in PATH.findall(doc.read_text()):
        assert (BASE / path).exists(), f"{doc.name} names {path}, which does not exist"
        if name:
            defined = rf"^\s*(?:async )?(?:(?:def|class) )?{name}\b"
            text = (BASE / path).read_text()
            assert re.search(defined, text, re.MULTILINE), f"{doc.name}: no {name} in {path}"


@pytest.mark.parametrize("doc", PAGES, ids=of)
def test_every_link_in_the_docs_leads_to_a_file(doc: Path) -> None:
    for target in LINK.findall(doc.read_text()):
        assert (doc.parent / target).exists(), f"{doc.name} links to {target}"


def test_every_page_of_docs_is_linked_from_the_readme() -> None:
    linked = set(LINK.findall((BASE / "README.md").read_text()))
    pages = {f"docs/{page.name}" for page in (BASE / "docs").glob("*.md")}
    assert pages <= linked, f"not linked: {sorted(pages - linked)}"


def test_the_changelog_begins_with_the_version_that_the_command_prints() -> None:
    command = [sys.executable, str(BASE / "manage.py"), "version"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == f"{__version__}\n"
    changelog = (BASE / "CHANGELOG.md").read_text()
    assert re.findall(r"^## (\S+) - \d{4}-\d\d-\d\d$", changelog, re.MULTILINE)[0] == __version__


def test_the_glossary_defines_each_term_once() -> None:
    terms = TERM.findall((BASE / "docs" / "glossary.md").read_text())
    assert 30 < len(terms) < 60
    assert len(set(terms)) == len(terms)


def test_the_security_page_counts_the_ratings_of_its_table() -> None:
    text = (BASE / "docs" / "security.md").read_text()
    found = Counter(RATING.findall(text))
    met, partly, unmet, other = (found[one] for one in ("met", "partly", "no", "\N{EN DASH}"))
    assert (
        f"Of {found.total()} requirements {met} are met, {partly} partly, {unmet} not at all, and"
        f" {other} don't apply." in text
    )
