"""Markdown to safe HTML.

Two walls: the parser never lets HTML through, and a strict allow-list cleans what it made.
The work is bounded whatever the text: nesting, tables, quotes and length have limits (`bounds`),
and each of our own passes is linear. The parser's other rules take no more than a text's length
explains, as far as tests of repeated pieces show.

Stored HTML is made by the rules of its time; `manage.py render_texts` makes it again.
"""

import re
from dataclasses import dataclass
from typing import Any

from django.utils.html import linebreaks
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from nh3 import Cleaner

from forum.text import destinations, mentions
from forum.text.bare_links import BEGINNING, bare_link
from forum.text.bounds import bound
from forum.text.mentions import Spelt, link_people
from forum.text.tasks import show_boxes
from forum.text.unspaced import InlineParser, join_lines

LONGEST = 50_000
"""Characters that are parsed; a longer text is shown as plain paragraphs."""
NESTING = 20
"""Quotes in lists in quotes ...: what is deeper stays plain text."""

HEADINGS = ("h2", "h3", "h4")
"""What headings become by how deep they stand; a page's own title is its h1."""

_cleaner = Cleaner(
    tags={
        *("a", "blockquote", "br", "code", "del", "em", "h2", "h3", "h4", "hr", "input", "label"),
        *("li", "ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
    },
    clean_content_tags={"script", "style"},
    attributes={"a": {"href"}, "input": {"checked"}, "ol": {"start"}},
    tag_attribute_values={
        "a": {"dir": {"ltr"}},
        "input": {"type": {"checkbox"}},
        "pre": {"tabindex": {"0"}, "dir": {"ltr"}},
        "table": {"tabindex": {"0"}, "dir": {"auto"}},
        "td": {"align": {"left", "center", "right"}},
        "th": {"align": {"left", "center", "right"}},
    },
    set_tag_attribute_values={
        "code": {"dir": "ltr"},
        "input": {"disabled": ""},
        # Bars and bullets stand where the text begins, as the first column does.
        **{name: {"dir": "auto"} for name in ("blockquote", "ol", "ul")},
    },
    url_schemes={"http", "https", "mailto"},
    link_rel="ugc nofollow noopener",
)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text as a page shows it, and whom it mentions."""

    html: str
    mentioned: tuple[str, ...] = ()
    """Names in small letters in the order of the text, each once: exactly those that are links."""

    @property
    def notified(self) -> tuple[str, ...]:
        """The names of people to notify: the first of these, as a long list is not talk."""
        return self.mentioned[: mentions.NOTIFIED]


def read(markdown_text: str, spelt: Spelt | None = None) -> Rendered:
    """Return safe HTML; under a second for the worst 40,000 characters that are known.

    Every @name of somebody whom `spelt` knows is a link to them. It is asked once, if at all.
    """
    if len(markdown_text) > LONGEST:
        return Rendered(str(linebreaks(markdown_text, autoescape=True)))
    env: dict[str, Any] = {mentions.SPELT: spelt}
    html = _cleaner.clean(_parser.render(markdown_text, env))
    return Rendered(str(html), tuple(env[mentions.MENTIONED]))


def render(markdown_text: str, spelt: Spelt | None = None) -> str:
    """Return the HTML that `read` makes."""
    return read(markdown_text, spelt).html


class _Markdown(MarkdownIt):
    """The parser, which shows no host that imitates another one."""

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        """Return an address as it is shown."""
        return destinations.readable(self.normalizeLink(link), super().normalizeLinkText(link))


def _fit_page(state: StateCore) -> None:
    """Make headings, columns and images fit a page. Headings leave no level out, whichever their
    writer began with.
    """
    above: list[str] = []
    for token in state.tokens:
        if token.type == "heading_open":
            above = [*(tag for tag in above if tag < token.tag), token.tag]
        if token.type in {"heading_open", "heading_close"}:
            token.tag = HEADINGS[min(len(above), len(HEADINGS)) - 1]
        elif token.type in {"th_open", "td_open"}:
            _align(token)
        elif token.type == "table_open":
            token.attrs = {"tabindex": "0", "dir": "auto"}  # it scrolls, as code does
        elif token.children:
            token.children = _without_images(token.children)


def _settle_links(state: StateCore) -> None:
    """Make every link lead somewhere, or show its address."""
    for token in state.tokens:
        if token.children:
            spell = state.md.normalizeLinkText
            token.children = destinations.settle(token.children, spell)


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


def _code_block(_renderer: object, tokens: list[Token], index: int, *_more: object) -> str:
    """Return code, which scrolls and reads from left to right in any language."""
    code = escapeHtml(tokens[index].content)
    return f'<pre tabindex="0" dir="ltr"><code>{code}</code></pre>\n'


def _make_parser() -> MarkdownIt:
    parser = _Markdown("commonmark", {"html": False, "maxNesting": NESTING})
    bound(parser)
    inline = InlineParser()
    inline.ruler, inline.ruler2 = parser.inline.ruler, parser.inline.ruler2
    inline.terminator_re = re.compile(f"{inline.terminator_re.pattern}|{BEGINNING}")
    parser.inline = inline
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler.after("text", "bare_link", bare_link)
    parser.add_render_rule("fence", _code_block)
    parser.add_render_rule("code_block", _code_block)
    for rule in (_fit_page, show_boxes, link_people, _settle_links, join_lines):
        parser.core.ruler.push(rule.__name__.lstrip("_"), rule)
    return parser


_parser = _make_parser()
