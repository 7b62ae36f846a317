"""Markdown in scripts without spaces: emphasis next to full-width punctuation, and line breaks.

CommonMark decides by spaces whether `**` begins or ends emphasis, so it does not recognise
`**“引用”**的`. This module treats Chinese, Japanese, Korean and South-East Asian characters like
spaces, and the punctuation of these scripts like letters. The "CJK-friendly" amendment to
CommonMark proposes the same. Other scripts are parsed as in CommonMark.

We don't use the existing plugin for this amendment. It patches the parser's class for the whole
process, and does not support our version of the parser. It also keeps the space after a line that
ends with emphasis.
"""

import re
from collections.abc import MutableMapping
from typing import Any

from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token

from forum.text.scripts import CHINESE_JAPANESE, UNSPACED

LETTER = re.compile(f"[{UNSPACED}]")
JOINED = re.compile(f"[{CHINESE_JAPANESE}]")
QUOTES = frozenset("\u2014\u2018\u2019\u201c\u201d\u2026")
"""Chinese punctuation that other scripts use too."""
TEXT_TOKENS = frozenset({"text", "code_inline"})
"""Types of tokens with text that readers see."""


class _State(StateInline):
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803
        """Return whether the `*`, `_` or `~` marks at `start` may begin or end emphasis."""
        scanned = super().scanDelims(start, canSplitWord)
        end = start + scanned.length
        before = self.src[start - 1] if start else " "
        after = self.src[end] if end < self.posMax else " "
        beside_before, beside_after = bool(LETTER.match(before)), bool(LETTER.match(after))
        if not (beside_before or beside_after):
            return scanned
        before_divides = beside_before or _divides(before)
        after_divides = beside_after or _divides(after)
        opens = not _is_space(after) and (beside_after or not _is_mark(after) or before_divides)
        closes = not _is_space(before) and (beside_before or not _is_mark(before) or after_divides)
        if canSplitWord:
            return Scanned(opens, closes, scanned.length)
        return Scanned(
            opens and (not closes or before_divides),
            closes and (not opens or after_divides),
            scanned.length,
        )


class InlineParser(ParserInline):
    """markdown-it's parser for the text of a paragraph, with our rules for emphasis."""

    def parse(
        self, src: str, md: Any, env: MutableMapping[str, Any], tokens: list[Token]
    ) -> list[Token]:
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _is_mark(character: str) -> bool:
    return isMdAsciiPunct(ord(character)) or isPunctChar(character)


def _is_space(character: str) -> bool:
    return isWhiteSpace(ord(character))


def _divides(character: str) -> bool:
    return _is_space(character) or _is_mark(character)


def join_lines(state: StateCore) -> None:
    """Drop line breaks between Chinese or Japanese characters, since browsers would show spaces."""
    for token in state.tokens:
        if token.children and any(part.type == "softbreak" for part in token.children):
            token.children = _joined(token.children)


def _joined(parts: list[Token]) -> list[Token]:
    """Return a paragraph's tokens without line breaks between Chinese or Japanese characters."""
    afters = _first_characters(parts)
    kept: list[Token] = []
    before = ""
    for part, after in zip(parts, afters, strict=True):
        if part.type == "softbreak" and _is_one_text(before, after):
            continue
        if part.type in TEXT_TOKENS and part.content:
            before = part.content[-1]
        kept.append(part)
    return kept


def _first_characters(parts: list[Token]) -> list[str]:
    """Return, for each token, the first visible character after the token; "" if there is none."""
    found: list[str] = []
    after = ""
    for part in reversed(parts):
        found.append(after)
        if part.type in TEXT_TOKENS and part.content:
            after = part.content[0]
    return found[::-1]


def _is_one_text(before: str, after: str) -> bool:
    """Return whether two characters belong together without a space.

    This is true of two Chinese or Japanese characters, and of one such character next to a
    character in `QUOTES`.
    """
    both = [bool(JOINED.match(one)) for one in (before, after)]
    return all(both) or (any(both) and (before in QUOTES or after in QUOTES))
