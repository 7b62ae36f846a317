"""Limits on what takes the parser long: tables that grow, and quotes looked through repeatedly."""

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, blockquote, table

TABLE_CELLS = 20_000
"""Cells a table could have at most; a larger one stays plain text."""
QUOTED_LINES = 100_000
"""Lines that the quotes of a text may look through for their ends; one after that stays plain text.
A line within several quotes counts for each.
"""
LOOKED_THROUGH = "looked through"
"""Where the parser counts these lines."""


def _small_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a table unless it could grow beyond `TABLE_CELLS`: short rows are filled up."""
    columns = state.src.count("|", state.bMarks[start], state.eMarks[start]) + 1
    return columns * (end - start) <= TABLE_CELLS and table(state, start, end, silent)


def _affordable_quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a quote unless those before it have looked through `QUOTED_LINES`.

    A quote looks as far as the next empty line, though it may end after its first where a block
    inside is closed: then the next quote looks through the same lines again.
    """
    spent = state.env.get(LOOKED_THROUGH, 0) > QUOTED_LINES
    return not spent and blockquote(state, start, end, silent)


class _Blocks(ParserBlock):
    """Parses blocks, and counts the lines that quotes looked through to find their ends."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        """Parse these lines; where they are a quote's, it has just looked through them."""
        if state.parentType == "blockquote":
            looked_through = state.env.get(LOOKED_THROUGH, 0)
            state.env[LOOKED_THROUGH] = looked_through + endLine - startLine
        super().tokenize(state, startLine, endLine)


def bound(parser: MarkdownIt) -> None:
    """Put these limits on a parser."""
    blocks = _Blocks()
    blocks.ruler = parser.block.ruler
    parser.block = blocks
    parser.block.ruler.at("table", _small_table, {"alt": ["paragraph", "reference"]})
    ends = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.at("blockquote", _affordable_quote, {"alt": ends})
