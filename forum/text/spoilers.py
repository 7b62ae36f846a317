"""Spoilers: `>!text!<` is hidden until readers click it or move the focus to it.

Outside the site's pages, for example in feeds and excerpts, a word replaces the text.
"""

import re
from collections.abc import Sequence
from typing import Literal

from django.utils.html import escape
from django.utils.translation import gettext as _
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

OPEN, CLOSE = ">!", "!<"
BEGIN, END = '<span class="spoiler" tabindex="0"><span>', "</span></span>"
"""The HTML around a hidden text. No other HTML that texts may have ends like a spoiler."""
SPOILER = re.compile(f"{BEGIN}.*?(?:{END}|\\Z)", re.DOTALL)
"""Finds spoilers in HTML. One that is cut off in the middle goes to the end."""
LAST_CLOSE = "last close"
"""Key in the parser's `env` for the position of a text's last `!<`; -1 if there is none."""
MARKS = "spoiler marks"
"""Key in the parser's `env` for a paragraph, its first `>!` and its last `!<`."""


def without_spoilers(html: str) -> str:
    """Return HTML from `markup.render` with a word in place of each hidden text."""
    return SPOILER.sub(escape(_("[spoiler]")), html) if BEGIN in html else html


def begins_at(state: StateBlock, begin: int) -> bool:
    """Return whether the line whose text begins at `begin` has a spoiler there, and not a quote."""
    if not state.src.startswith(OPEN, begin):
        return False
    if LAST_CLOSE not in state.env:
        state.env[LAST_CLOSE] = state.src.rfind(CLOSE)
    return bool(begin < state.env[LAST_CLOSE])


def mark_spoiler(state: StateInline, silent: bool) -> bool:
    """Read `>!` or `!<` as a token, which `pair_spoilers` replaces.

    `>!<` is a `>` and the end of a spoiler if the last mark before it is a beginning.
    """
    mark = state.src[state.pos : state.pos + 2]
    if mark not in {OPEN, CLOSE}:
        return False
    is_both = mark == OPEN and state.src.startswith(CLOSE, state.pos + 1)
    if is_both and not silent and _last_mark(state.tokens) == OPEN:
        return False
    first, last = _marks(state)
    if not (state.pos < last if mark == OPEN else state.pos > first >= 0):
        return False
    if not silent:
        state.push("spoiler", "", 0).content = mark
    state.pos += 2
    return True


def _last_mark(tokens: Sequence[Token]) -> str:
    """Return the last mark among the tokens of a paragraph; "" if there is none."""
    return next((token.content for token in reversed(tokens) if token.type == "spoiler"), "")


def _marks(state: StateInline) -> tuple[int, int]:
    """Return the positions of the first `>!` and the last `!<` in a paragraph; -1 for none."""
    known: tuple[str, int, int] | None = state.env.get(MARKS)
    if known is None or known[0] is not state.src:
        known = state.src, state.src.find(OPEN), state.src.rfind(CLOSE)
        state.env[MARKS] = known
    return known[1:]


def pair_spoilers(state: StateInline) -> None:
    """Turn pairs of marks into spoilers, and other marks into text.

    Both marks of a pair are outside links and inside the same emphasis. A spoiler has no spoilers
    inside it.
    """
    pairs: list[tuple[int, int]] = []
    begins: list[int | None] = [None]
    links = 0
    for index, token in enumerate(state.tokens):
        links += token.nesting if token.tag == "a" else 0
        if token.nesting > 0:
            begins.append(None)
        elif token.nesting < 0:
            begins.pop()
        elif token.type == "spoiler":
            token.type = "text"
            if not links:
                _pair(state.tokens, index, begins, pairs)
    for begin, end in pairs:
        _become(state.tokens[begin], "spoiler_open", 1)
        _become(state.tokens[end], "spoiler_close", -1)


def _pair(
    tokens: Sequence[Token], index: int, begins: list[int | None], pairs: list[tuple[int, int]]
) -> None:
    """Note the mark at `index` as a beginning, or add it and its beginning to `pairs`."""
    begin = begins[-1]
    if tokens[index].content == OPEN:
        begins[-1] = index if begin is None else begin
    elif begin is not None and index > begin + 1:
        while pairs and pairs[-1][0] > begin:
            pairs.pop()
        pairs.append((begin, index))
        begins[-1] = None


def _become(token: Token, name: str, nesting: Literal[-1, 1]) -> None:
    token.type, token.nesting, token.tag, token.content = name, nesting, "span", ""
