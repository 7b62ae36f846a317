"""Limits on text that is slow to parse: large tables, deep nesting, and quotes and brackets.

A line that begins with a spoiler (`>!text!<`) is no quote.
"""

from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, blockquote, list_block, table
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, image, link

from forum.text import spoilers

TABLE_CELLS = 20_000
"""Maximum number of cells in a table; a larger table stays plain text."""
QUOTED_LINES = 100_000
"""Maximum number of lines that are scanned to find the ends of all quotes in a text.

A line scanned for several quotes counts once for each. Quotes beyond the limit stay plain text.
"""
OPENERS = 1_000
"""Maximum number of `[` in a text. If it has more, they begin no links or images.

Without this limit, 40,000 characters of `![` take ten times as long as ordinary text.
"""
OPENED = "opened brackets"
"""Key in the parser's `env` for the number of `[` in a text."""
LOOKED_THROUGH = "looked through"
"""Key in the parser's `env` for the number of lines that were scanned for quotes."""

InlineRule = Callable[[StateInline, bool], bool]


def _small_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a table unless it has more than `TABLE_CELLS` cells.

    The missing cells of short rows count too, since the parser adds them.
    """
    columns = state.src.count("|", state.bMarks[start], state.eMarks[start]) + 1
    return columns * (end - start) <= TABLE_CELLS and table(state, start, end, silent)


def _affordable_quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a quote, unless the parser has already scanned too many lines for other quotes.

    The limit is `QUOTED_LINES`. The parser may scan the same lines for several quotes, because it
    always scans up to the next empty line, even if a quote ends earlier.
    """
    spent = state.env.get(LOOKED_THROUGH, 0) > QUOTED_LINES
    if spent or not _fits(state, start, 1) or not state.src.startswith(">", _begin(state, start)):
        return False
    if spoilers.begins_at(state, _begin(state, start)):
        return False
    return blockquote(state, start, end if silent else _before_spoiler(state, start, end), silent)


def _shallow_list(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a list, unless it is nested too deeply. A list takes two levels."""
    return _fits(state, start, 2) and list_block(state, start, end, silent)


def _fits(state: StateBlock, line: int, levels: int) -> bool:
    """Return whether a line can be nested this many levels deeper than the text around it.

    The parser drops the text at its limit and all that follows, so nothing may be nested that deep.
    A line that is indented less continues an outer list, so it is not nested deeper.
    """
    outside = state.sCount[line] < state.blkIndent
    return outside or state.level + levels < state.md.options.maxNesting


def _before_spoiler(state: StateBlock, start: int, end: int) -> int:
    """Return the line with a spoiler that ends the quote at `start`; `end` if there is none."""
    for line in range(start + 1, end):
        if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            return end
        if spoilers.begins_at(state, _begin(state, line)):
            return line
    return end


def _begin(state: StateBlock, line: int) -> int:
    return state.bMarks[line] + state.tShift[line]


def _count_openers(state: StateCore) -> None:
    """Count the brackets that may begin links or images, outside code blocks."""
    state.env[OPENED] = sum(
        token.content.count("[") for token in state.tokens if token.type == "inline"
    )


def _bounded(rule: InlineRule) -> InlineRule:
    """Return a rule for links or images that ignores texts with too many brackets."""

    def bounded(state: StateInline, silent: bool) -> bool:
        return state.env[OPENED] <= OPENERS and rule(state, silent)

    return bounded


class _Blocks(ParserBlock):
    """A block parser that also counts the lines that it scans to find where quotes end."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        if state.parentType == "blockquote":
            looked_through = state.env.get(LOOKED_THROUGH, 0)
            state.env[LOOKED_THROUGH] = looked_through + endLine - startLine
        super().tokenize(state, startLine, endLine)


def bound(parser: MarkdownIt) -> None:
    """Set the limits on tables, quotes, lists and brackets in a parser."""
    blocks = _Blocks()
    blocks.ruler = parser.block.ruler
    parser.block = blocks
    parser.block.ruler.at("table", _small_table, {"alt": ["paragraph", "reference"]})
    ends = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.at("blockquote", _affordable_quote, {"alt": ends})
    parser.block.ruler.at("list", _shallow_list, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.core.ruler.before("inline", "openers", _count_openers)
    parser.inline.ruler.at("link", _bounded(link))
    parser.inline.ruler.at("image", _bounded(image))
