"""Limits on slow input: tables that grow, and quotes that are scanned again and again."""

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, blockquote, table

TABLE_CELLS = 20_000
"""Cells of a table at most; a larger one stays plain text."""
QUOTED_LINES = 100_000
"""Lines that all quotes of a text may scan for their ends; later quotes stay plain text. A line in
several quotes counts for each.
"""
LOOKED_THROUGH = "looked through"
"""Where the parser counts these lines, in its `env`."""


def _small_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a table unless it could exceed `TABLE_CELLS`: short rows are filled up."""
    columns = state.src.count("|", state.bMarks[start], state.eMarks[start]) + 1
    return columns * (end - start) <= TABLE_CELLS and table(state, start, end, silent)


def _affordable_quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a quote unless those before it have scanned `QUOTED_LINES`.

    A quote scans to the next empty line, even if it ends after its first line because a block in
    it is closed. Then the next quote scans the same lines again.
    """
    spent = state.env.get(LOOKED_THROUGH, 0) > QUOTED_LINES
    return not spent and blockquote(state, start, end, silent)


class _Blocks(ParserBlock):
    """Parses blocks, and counts the lines that quotes scan for their ends."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        """Parse these lines. If they are a quote's, it has just scanned them."""
        if state.parentType == "blockquote":
            looked_through = state.env.get(LOOKED_THROUGH, 0)
            state.env[LOOKED_THROUGH] = looked_through + endLine - startLine
        super().tokenize(state, startLine, endLine)


def bound(parser: MarkdownIt) -> None:
    """Add these limits to a parser."""
    blocks = _Blocks()
    blocks.ruler = parser.block.ruler
    parser.block = blocks
    parser.block.ruler.at("table", _small_table, {"alt": ["paragraph", "reference"]})
    ends = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.at("blockquote", _affordable_quote, {"alt": ends})
