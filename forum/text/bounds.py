"""Limits on text that is slow to parse: growing tables, and quotes that are scanned repeatedly."""

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, blockquote, table

TABLE_CELLS = 20_000
"""Most cells of a table; a larger table stays plain text."""
QUOTED_LINES = 100_000
"""Most lines that the quotes of a text may scan for their ends.

A line scanned by several quotes counts for each. Later quotes stay plain text.
"""
LOOKED_THROUGH = "looked through"
"""Key in the parser's `env` for the number of lines that quotes have scanned."""


def _small_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a table, unless it has more than `TABLE_CELLS` cells once short rows are filled up."""
    columns = state.src.count("|", state.bMarks[start], state.eMarks[start]) + 1
    return columns * (end - start) <= TABLE_CELLS and table(state, start, end, silent)


def _affordable_quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a quote unless the quotes before it have scanned `QUOTED_LINES` lines.

    A quote scans to the next empty line, even if it ends earlier because a block in it is closed.
    Then the next quote scans the same lines again.
    """
    spent = state.env.get(LOOKED_THROUGH, 0) > QUOTED_LINES
    return not spent and blockquote(state, start, end, silent)


class _Blocks(ParserBlock):
    """The block parser, which also counts the lines that quotes scan for their ends."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        """Parse these lines. If they are inside a quote, count them as scanned by it."""
        if state.parentType == "blockquote":
            looked_through = state.env.get(LOOKED_THROUGH, 0)
            state.env[LOOKED_THROUGH] = looked_through + endLine - startLine
        super().tokenize(state, startLine, endLine)


def bound(parser: MarkdownIt) -> None:
    """Add the limits on tables and quotes to a parser."""
    blocks = _Blocks()
    blocks.ruler = parser.block.ruler
    parser.block = blocks
    parser.block.ruler.at("table", _small_table, {"alt": ["paragraph", "reference"]})
    ends = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.at("blockquote", _affordable_quote, {"alt": ends})
