"""Folds texts to the form in which search finds them. SQL stores the folded text of each post.

The search indexes of SQLite and PostgreSQL can't find texts of fewer than three characters. So a
word of one or two letters, such as "Go" or "C#", is searched together with the spaces around it,
and only finds the whole word. Some scripts, such as Chinese, don't put spaces between words.
Folding puts spaces around each character of these scripts, and around each symbol, such as an
emoji. Then search can find a single character.
"""

import re
import unicodedata

from forum.text.plain import plain_text
from forum.text.scripts import UNSPACED
from forum.text.terms import INVISIBLE

ACCENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e8\u06ea-\u06ed\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]"
)
"""Latin, Greek and Cyrillic accents, Hebrew and Arabic vowel signs, and variants of emoji.

Search ignores them. The marks of other scripts stay, because they distinguish words.
"""
APART = re.compile(f"[{UNSPACED}\u2190-\u2bff\U0001f000-\U0001faff]")
"""A character that counts as a word of its own."""
SHORT_WORD = re.compile(r"(?<![^\W_])[^\W_]{1,2}(?![^\W_])[+#]*")
"""A word of one or two letters or digits, with the signs of names like C# and C++."""
SHORTEST = 3
"""The number of characters of the shortest text that the indexes can find."""


def fold(text: str) -> str:
    """Return a text without accents, upper case, invisible characters and needless spaces.

    Puts spaces around each character that is a word of its own, such as an emoji.
    """
    decomposed = unicodedata.normalize("NFKD", text.translate(INVISIBLE)).casefold()
    plain = unicodedata.normalize("NFKC", ACCENTS.sub("", decomposed))
    return " ".join(APART.sub(r" \g<0> ", plain).split())


def pattern(word: str) -> str:
    """Return a word or phrase in the form that the search texts in SQL contain.

    A word of one or two characters gets a space on both sides. A longer text gets one before its
    first character or after its last if that character is a word of its own, such as an emoji or a
    Chinese character. Returns "" if `fold` removes all characters.
    """
    folded = fold(word)
    if not folded:
        return ""
    whole = len(folded) < SHORTEST
    before = " " if whole or APART.match(folded[0]) else ""
    after = " " if whole or APART.match(folded[-1]) else ""
    return f"{before}{folded}{after}"


def of_post(title: str, url: str, html: str) -> str:
    """Return the stored text of a post. Its first line has the title."""
    return f"{_indexed(title)}\n{_indexed(f'{url} {plain_text(html)}')}"


def of_comment(html: str) -> str:
    """Return the text of a comment as SQL stores it for search."""
    return _indexed(plain_text(html))


def _indexed(text: str) -> str:
    """Return a text without case and accents, in which search can find all short words.

    Search looks for short words between spaces. So the text gets a space at both ends, and a short
    word that stands next to punctuation, like "Go" in "(Go)", is repeated at the end.
    """
    folded = f" {fold(text)} "
    short = dict.fromkeys(word for word in SHORT_WORD.findall(folded) if len(word) < SHORTEST)
    hidden = [word for word in short if f" {word} " not in folded]
    return folded + "".join(f"{word} " for word in hidden)
