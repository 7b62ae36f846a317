"""Folds texts to the form in which search finds them. SQL stores the folded text of each post.

The search indexes of SQLite and PostgreSQL can't find texts of fewer than three characters. So a
word of one or two letters, such as "Go" or "C#", is searched together with the spaces around it,
and only finds the whole word. Some scripts, such as Chinese, don't put spaces between words.
Folding puts spaces around each character of these scripts, and around each symbol, such as an
emoji. Then search can find a single character.

Marks, such as commas and quotes, are no parts of words. So folding drops them, in stored texts and
in searches alike. It keeps only the signs of names: node.js, .net, C++, C#, @ada, a_b and don't.
"""

import re
import unicodedata
from collections.abc import Mapping

from forum.text.plain import plain_text
from forum.text.scripts import UNSPACED
from forum.text.spoilers import SPOILER
from forum.text.terms import INVISIBLE

ACCENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e8\u06ea-\u06ed\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]"
)
"""Latin, Greek and Cyrillic accents, Hebrew and Arabic vowel signs, and variants of emoji.

Search ignores them. The marks of other scripts stay, because they distinguish words.
"""
WITH_ACCENT = re.compile(r"(LATIN SMALL LETTER [A-Z]|CYRILLIC SMALL LETTER [\w ]+?) WITH ")
"""The beginning of the name of a letter with an accent. The group is the name without it."""
LETTERS: Mapping[int, str] = {
    code: unicodedata.lookup(match[1])
    for code in (
        *range(0xC0, 0x530),
        *range(0x1D00, 0x1F00),
        *range(0x2C60, 0x2C80),
        *range(0xA720, 0xAB70),
    )
    if (match := WITH_ACCENT.match(unicodedata.name(chr(code), "")))
} | str.maketrans(
    dict(zip("ıȷðþæœŋə", ("i", "j", "d", "th", "ae", "oe", "n", "e"), strict=True))
    | dict.fromkeys("\u2018\u2019\u201b\u2032\u02b9\u02bb\u02bc\u02bd", "'")
)
"""Plain letters for those that Unicode doesn't decompose, such as ø; and "'" for apostrophes."""
UNUSUAL: dict[int, str | None] = INVISIBLE | str.maketrans({"\u00b4": "'", "™": " ", "℠": " "})
"""Invisible characters, and marks that Unicode would decompose to letters or accents."""
APART = re.compile(f"[{UNSPACED}\u2190-\u2bff\U0001f000-\U0001faff]")
"""A character that counts as a word of its own."""
SHORT_WORD = re.compile(r"(?<![^\W_])[^\W_]{1,2}(?![^\W_])[+#]*")
"""A word of one or two letters or digits, with the signs of names like C# and C++."""
SHORTEST = 3
"""The number of characters of the shortest text that the indexes can find."""
SIGNS = re.compile(r"\+\+|[.'@_+#]")
"""Finds marks that may be signs of a name."""
SIGN_OF_NAME = re.compile(
    r"(?<=\w)(?:\+\+|[.'](?=\w))"  # C++, node.js, don't
    r"|(?<![\w.])\.(?=[^\W\d_])"  # .net
    r"|@(?=[^\W_])"  # @ada
    r"|(?<=[^\W_])_(?=[^\W_])"  # snake_case
    r"|(?:(?<=(?<![^\W_])[^\W\d_])|(?<=(?<![^\W_])[^\W\d_]{2}))[+#](?![^\W\d_])"  # C#
)
"""Says whether a mark that `SIGNS` finds is a sign of a name, by the characters beside it."""


class _Marks(dict[int, int | str | None]):
    """Maps marks to a space, invisible characters to None, and other characters to themselves.

    Keeps marks that may be signs of a name, and symbols that are words of their own, like emoji.
    """

    def __missing__(self, code: int) -> int | str | None:
        self[code] = self._of(chr(code))
        return self[code]

    @staticmethod
    def _of(character: str) -> int | str | None:
        category = unicodedata.category(character)
        if category == "Cf":
            return None
        word = category == "So" and APART.match(character)
        return ord(character) if category[0] not in "PS" or word else " "


_marks = _Marks({ord(sign): sign for sign in ".'@_+#"})


def fold(text: str) -> str:
    """Return a text without accents, marks, upper case, invisible characters and needless spaces.

    Puts spaces around each character that is a word of its own, such as an emoji. Keeps marks that
    are signs of a name, as in C++.
    """
    return " ".join(APART.sub(r" \g<0> ", _without_marks(plain(text))).split())


def plain(text: str) -> str:
    """Return a text without accents, upper case and some invisible characters."""
    decomposed = unicodedata.normalize("NFKD", text.translate(UNUSUAL)).casefold()
    return unicodedata.normalize("NFKC", ACCENTS.sub("", decomposed).translate(LETTERS))


def words(text: str) -> list[str]:
    """Return the words of a text without any marks, not even those that are signs of a name."""
    spaced = unicodedata.normalize("NFKC", text).translate(_marks)
    return SIGNS.sub(" ", spaced).split()


def pattern(word: str) -> str:
    """Return a word or phrase in the form that the search texts in SQL contain.

    If its first word has only one or two characters, the result begins with a space, and if its
    last word is so short, with a space after it. Returns "" if `fold` removes all characters.
    """
    folded = fold(word)
    if not folded:
        return ""
    first, *_rest, last = f"{folded} {folded}".split()
    before = " " if len(first) < SHORTEST else ""
    after = " " if len(last) < SHORTEST else ""
    return f"{before}{folded}{after}"


def _without_marks(text: str) -> str:
    return SIGNS.sub(_sign, text.translate(_marks))


def _sign(mark: re.Match[str]) -> str:
    return mark[0] if SIGN_OF_NAME.match(mark.string, mark.start()) else " "


def of_post(title: str, url: str, html: str) -> str:
    """Return the stored text of a post. Its first line has the title."""
    return f"{_indexed(title)}\n{_indexed(f'{url} {_searched(html)}')}"


def of_comment(html: str) -> str:
    """Return the text of a comment as SQL stores it for search."""
    return _indexed(_searched(html))


def _searched(html: str) -> str:
    """Return HTML as plain text without spoilers: a search must not say what they are."""
    return plain_text(SPOILER.sub(" ", html))


def _indexed(text: str) -> str:
    """Return a text without case and accents, in which search can find all short words.

    Search looks for short words between spaces. So the text gets a space at both ends, and a short
    word that stands next to punctuation, like "Go" in "(Go)", is repeated at the end.
    """
    folded = f" {fold(text)} "
    short = dict.fromkeys(word for word in SHORT_WORD.findall(folded) if len(word) < SHORTEST)
    hidden = [word for word in short if f" {word} " not in folded]
    return folded + "".join(f"{word} " for word in hidden)
