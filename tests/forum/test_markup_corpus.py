"""Each markdown text in `corpus/markup.txt` renders as the HTML in the same file."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from forum.text import markup

CORPUS = Path(__file__).parent / "corpus" / "markup.txt"
PEOPLE = ("ada", "bob", "lin_x", "mary-jane")
REL = ' rel="ugc nofollow noopener"'
SCRIPTS = (
    *("LATIN", "CYRILLIC", "GREEK", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "ARABIC", "HEBREW"),
    *("THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "DEVANAGARI", "BENGALI", "TAMIL", "ARMENIAN"),
    *("GEORGIAN", "ETHIOPIC"),
)


def cases() -> Iterator[tuple[str, str]]:
    """Yield each text of the corpus as a pair of markdown and HTML."""
    found = re.finditer(r"^written: (.*)\nshown:   (.*)$", CORPUS.read_text("utf-8"), re.MULTILINE)
    for case in found:
        yield case[1].replace("⏎", "\n"), case[2].replace("⏎", "\n")


def known(names: Sequence[str]) -> dict[str, str]:
    return {name: name for name in names if name in PEOPLE}


@pytest.mark.parametrize(("written", "shown"), list(cases()))
def test_text_is_rendered_as_expected(written: str, shown: str) -> None:
    text = markup.read(written, known)
    assert text.html.replace(REL, "").rstrip("\n") == shown
    linked = dict.fromkeys(re.findall(r'href="/u/([^/"]+)/"', text.html))
    assert list(text.notified) == list(linked), "exactly the linked people are notified"
    assert text.html.count("<a ") == text.html.count(REL)


def test_corpus_has_many_scripts() -> None:
    written = [one for one, _shown in cases()]
    letters = {letter for one in written for letter in one if letter.isalpha()}
    scripts = {re.split("[ -]", unicodedata.name(letter))[0] for letter in letters}
    assert len(written) >= 300
    assert scripts.issuperset(SCRIPTS)
