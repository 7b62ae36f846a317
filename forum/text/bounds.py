"""Limits on text that is slow to parse: large tables, and quotes that are scanned repeatedly.

A line that begins with a spoiler (`>!text!<`) is no quote.
"""

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, blockquote, table

from forum.text import spoilers

TABLE_CELLS = 20_000
"""Maximum number of cells in a table; a larger table stays plain text."""
QUOTED_LINES = 100_000
"""Maximum number of lines that are scanned to find the ends of all quotes in a text.

A line scanned for several quotes counts once for each. Quotes beyond the limit stay plain text.
"""
LOOKED_THROUGH = "looked through"
"""Key in the parser's `env` for the number of lines that were scanned for quotes."""


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
    if spent or not state.src.startswith(">", _begin(state, start)):
        return False
    if spoilers.begins_at(state, _begin(state, start)):
        return False
    return blockquote(state, start, end if silent else _before_spoiler(state, start, end), silent)


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


class _Blocks(ParserBlock):
    """A block parser that also counts the lines that it scans to find where quotes end."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        if state.parentType == "blockquote":
            looked_through = state.env.get(LOOKED_THROUGH, 0)
            state.env[LOOKED_THROUGH] = looked_through + endLine - startLine
        super().tokenize(state, startLine, endLine)


def bound(parser: MarkdownIt) -> None:
    """Set the limits on tables and quotes in a parser."""
    blocks = _Blocks()
    blocks.ruler = parser.block.ruler
    parser.block = blocks
    parser.block.ruler.at("table", _small_table, {"alt": ["paragraph", "reference"]})
    ends = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.at("blockquote", _affordable_quote, {"alt": ends})
