"""Markdown to safe HTML.

Two walls: the parser never lets HTML through, and a strict allow-list cleans what it made.
The work is bounded whatever the text: nesting, tables, quotes and length have limits, and addresses
are found by one linear expression (the usual library takes 10 s for 40 kB of `://`). The parser's
other rules take no more than a text's length explains, as far as tests of repeated pieces show.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from django.urls import reverse
from django.utils.html import linebreaks
from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, blockquote, table
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from nh3 import Cleaner

from forum.text.bare_links import BareLinks

LONGEST = 50_000
"""Characters that are parsed; a longer text is shown as plain paragraphs."""
NESTING = 20
"""Quotes in lists in quotes ...: what is deeper stays plain text."""
TABLE_CELLS = 20_000
"""Cells a table could have at most; a larger one stays plain text."""
QUOTED_LINES = 100_000
"""Lines that the quotes of a text may look through for their ends; one after that stays plain text.
A line within several quotes counts for each.
"""
LOOKED_THROUGH = "looked through"
"""Where the parser counts these lines."""

MENTION = re.compile(r"(?<![\w@/.])@([A-Za-z0-9][A-Za-z0-9_-]{1,29})(?![\w@-])")
"""A name as `forum.text.usernames` allows it, not within an address."""

NAMES = 50
"""Names of one text that may become links."""
SPELT = "spelt"
"""Where the parser is told who there is."""

HEADINGS = ("h2", "h3", "h4")
"""What headings become by how deep they stand; a page's own title is its h1."""

Spelt = Callable[[Sequence[str]], Mapping[str, str]]
"""Tells of names in small letters how the people who have them spell them."""

_cleaner = Cleaner(
    tags={
        *("a", "blockquote", "br", "code", "del", "em", "h2", "h3", "h4", "hr", "li", "ol", "p"),
        *("pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
    },
    clean_content_tags={"script", "style"},
    attributes={"a": {"href"}, "ol": {"start"}},
    tag_attribute_values={
        "td": {"align": {"left", "center", "right"}},
        "th": {"align": {"left", "center", "right"}},
    },
    set_tag_attribute_values={
        "pre": {"tabindex": "0"},  # it scrolls, and so does a table
        "table": {"tabindex": "0", "dir": "auto"},
        # Bars and bullets stand where the text begins, as the first column does.
        **{name: {"dir": "auto"} for name in ("blockquote", "ol", "ul")},
    },
    url_schemes={"http", "https", "mailto"},
    link_rel="ugc nofollow noopener",
)


def render(markdown_text: str, spelt: Spelt | None = None) -> str:
    """Return safe HTML; under a second for the worst 40,000 characters that are known.

    Every @name of somebody whom `spelt` knows is a link to them. It is asked once, if at all.
    """
    if len(markdown_text) > LONGEST:
        return str(linebreaks(markdown_text, autoescape=True))
    return str(_cleaner.clean(_parser.render(markdown_text, {SPELT: spelt})))


def words(markdown_text: str) -> str:
    """Return what a text says in words: no code, no addresses of links, a line a block."""
    if len(markdown_text) > LONGEST:
        return ""
    blocks = (token.children or [] for token in _parser.parse(markdown_text))
    return "\n".join(
        "".join(" " if part.type != "text" else part.content for part in block) for block in blocks
    )


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


def _fit_page(state: StateCore) -> None:
    """Make headings, columns, images and names fit a page; three passes over the tokens. Headings
    leave no level out, whichever their writer began with.
    """
    above: list[str] = []
    for token in state.tokens:
        if token.type == "heading_open":
            above = [*(tag for tag in above if tag < token.tag), token.tag]
        if token.type in {"heading_open", "heading_close"}:
            token.tag = HEADINGS[min(len(above), len(HEADINGS)) - 1]
        elif token.type in {"th_open", "td_open"}:
            _align(token)
        elif token.children:
            token.children = _without_images(token.children)
    people = _people(state)
    for token in state.tokens if people else []:
        token.children = _with_mentions(token.children or [], people)


def _people(state: StateCore) -> Mapping[str, str]:
    """Return how people spell the names that are mentioned, by the names in small letters."""
    spelt: Spelt | None = state.env.get(SPELT)
    parts = (part for token in state.tokens for part in token.children or [])
    texts = (part.content for part in parts if part.type == "text")
    names = dict.fromkeys(name.lower() for text in texts for name in MENTION.findall(text))
    return spelt(list(names)[:NAMES]) if spelt and names else {}


def _align(token: Token) -> None:
    """Say a column's side by attribute: the content policy forbids inline style."""
    style = token.attrs.pop("style", None)
    if style:
        token.attrSet("align", str(style).removeprefix("text-align:"))


def _without_images(tokens: list[Token]) -> list[Token]:
    """Turn every image into a link to it; inside a link only its words stay."""
    result: list[Token] = []
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type in {"link_open", "link_close"} else 0
        if token.type == "image":
            result += _as_link(token, inside_link=depth > 0)
        else:
            result.append(token)
    return result


def _as_link(image: Token, *, inside_link: bool) -> list[Token]:
    source = str(image.attrs["src"])
    words = Token("text", "", 0, content=image.content or source)
    if inside_link:
        return [words]
    opening = Token("link_open", "a", 1, attrs={"href": source})
    return [opening, words, Token("link_close", "a", -1)]


def _with_mentions(tokens: list[Token], people: Mapping[str, str]) -> list[Token]:
    """Turn every @name of somebody, outside a link, into a link to the person."""
    result: list[Token] = []
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type in {"link_open", "link_close"} else 0
        if token.type == "text" and depth == 0 and "@" in token.content:
            result += _linked(token.content, people)
        else:
            result.append(token)
    return result


def _linked(text: str, people: Mapping[str, str]) -> list[Token]:
    """Return a text with names of people as links; what is left between them is plain."""
    result: list[Token] = []
    end = 0
    for found in MENTION.finditer(text):
        name = people.get(found[1].lower())
        if name is None:
            continue
        address = reverse("profile", args=[name])
        result += [
            Token("text", "", 0, content=text[end : found.start()]),
            Token("link_open", "a", 1, attrs={"href": address}),
            Token("text", "", 0, content=found[0]),
            Token("link_close", "a", -1),
        ]
        end = found.end()
    return [*result, Token("text", "", 0, content=text[end:])]


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": True, "maxNesting": NESTING})
    blocks = _Blocks()
    blocks.ruler = parser.block.ruler
    parser.block = blocks
    parser.enable(["table", "strikethrough"])
    parser.core.ruler.enable("linkify")
    parser.linkify = BareLinks()
    parser.block.ruler.at("table", _small_table, {"alt": ["paragraph", "reference"]})
    ends = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.at("blockquote", _affordable_quote, {"alt": ends})
    parser.core.ruler.push("fit_page", _fit_page)
    return parser


_parser = _make_parser()
