"""Renders Markdown as safe HTML.

The parser escapes all HTML in the text, and a strict allow-list cleans the parser's output.

No text takes long to render: length, nesting, tables, quotes and brackets have limits. Our own code
takes linear time, and so did the parser in tests.

The HTML is stored. If you change the rules, run `manage.py render_texts` to render all texts again.
"""

import re
from functools import lru_cache
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
from forum.text.code_colours import CLASSES, coloured
from forum.text.mentions import NameLookup, Rendered, mark_mentions
from forum.text.spoilers import BEGIN, END, mark_spoiler, pair_spoilers, without_spoilers
from forum.text.tasks import show_boxes
from forum.text.unspaced import InlineParser, join_lines

COLOURED = "coloured"
"""Key in the parser's `env` for the number of characters of code that have colours."""
MOST_COLOURED = 20_000
"""Maximum number of characters of code in a text that get colours, since that takes long."""
RECENT = 8
"""How many of the last texts are remembered in each process: two for each of its threads."""
LONGEST = 50_000
"""Texts with more characters are not parsed as Markdown, but shown as plain paragraphs."""
NESTING = 20
"""Maximum depth of nested quotes and lists, which take two each; deeper ones stay plain text."""

HEADINGS = ("h2", "h3", "h4")
"""HTML tags for Markdown headings by level. The page's title has the only `<h1>`."""

ALLOWED: dict[str, Any] = {
    "tags": {
        *("a", "blockquote", "br", "code", "del", "em", "h2", "h3", "h4", "hr", "input", "label"),
        *("li", "ol", "p", "pre", "s", "span", "strong"),
        *("table", "tbody", "td", "th", "thead", "tr", "ul"),
    },
    "clean_content_tags": {"script", "style"},
    "allowed_classes": {"span": {*CLASSES, "mention", "spoiler"}},
    "attributes": {"a": {"href"}, "input": {"checked"}, "ol": {"start"}},
    "tag_attribute_values": {
        "a": {"dir": {"ltr"}},
        "input": {"type": {"checkbox"}},
        "pre": {"tabindex": {"0"}, "dir": {"ltr"}},
        "span": {"tabindex": {"0"}},
        "table": {"tabindex": {"0"}, "dir": {"auto"}},
        "td": {"align": {"left", "center", "right"}},
        "th": {"align": {"left", "center", "right"}},
    },
    "set_tag_attribute_values": {
        "code": {"dir": "ltr"},
        "input": {"disabled": ""},
        # The bars of quotes and the bullets of lists are on the side where the text begins.
        **{name: {"dir": "auto"} for name in ("blockquote", "ol", "ul")},
    },
    "url_schemes": {"http", "https", "mailto"},
    "link_rel": mentions.REL,
}
"""The HTML that texts may contain, as options of `Cleaner`."""
_cleaner = Cleaner(**ALLOWED)


def read(markdown_text: str, find_names: NameLookup | None = None) -> Rendered:
    """Render Markdown, and list the people mentioned.

    If `find_names` knows the name in an @mention, the mention becomes a link to that person.
    `find_names` is called at most once. The slowest known text of 40,000 characters takes about a
    second.
    """
    html, written = parsed(markdown_text)
    return mentions.resolve(html, written, find_names)


@lru_cache(maxsize=RECENT)
def parsed(markdown_text: str) -> tuple[str, tuple[str, ...]]:
    """Return the HTML of a text with marked mentions, and the names in the mentions.

    Cached, since a form looks whether a text shows anything before a use case renders the text.
    """
    if len(markdown_text) > LONGEST:
        return str(linebreaks(markdown_text, autoescape=True)), ()
    env: dict[str, Any] = {}
    html = _cleaner.clean(_parser.render(markdown_text, env))
    return str(html), tuple(env[mentions.WRITTEN])


def render(markdown_text: str, find_names: NameLookup | None = None) -> str:
    """Return the HTML of a Markdown text."""
    return read(markdown_text, find_names).html


def with_absolute_links(html: str, page: str) -> str:
    """Return HTML from `render` with absolute links and without spoilers, to show it elsewhere.

    `page` is the URL of the page that the HTML is on.
    """
    cleaner = Cleaner(**ALLOWED, url_relative=("rewrite_with_base", page))
    return str(cleaner.clean(without_spoilers(html)))


class _Markdown(MarkdownIt):
    """A Markdown parser that shows a host as punycode if it imitates another name."""

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return destinations.display_url(self.normalizeLink(link), super().normalizeLinkText(link))


def _fit_page(state: StateCore) -> None:
    """Adapt headings, tables and images to the page. No heading level is skipped."""
    above: list[str] = []
    for token in state.tokens:
        if token.type == "heading_open":
            above = [*(tag for tag in above if tag < token.tag), token.tag]
        if token.type in {"heading_open", "heading_close"}:
            token.tag = HEADINGS[min(len(above), len(HEADINGS)) - 1]
        elif token.type in {"th_open", "td_open"}:
            _align(token)
        elif token.type == "table_open":
            token.attrs = {"tabindex": "0", "dir": "auto"}  # a wide table scrolls, as code does
        elif token.children:
            token.children = _without_images(token.children)


def _resolve_links(state: StateCore) -> None:
    """Set where each link leads.

    A link whose URL can't be used becomes plain text, followed by the URL.
    """
    for token in state.tokens:
        if token.children:
            spell = state.md.normalizeLinkText
            token.children = destinations.resolve_links(token.children, spell)


def _align(token: Token) -> None:
    """Set a cell's `align` attribute, since the content security policy forbids inline styles."""
    style = token.attrs.pop("style", None)
    if style:
        token.attrSet("align", str(style).removeprefix("text-align:"))


def _without_images(tokens: list[Token]) -> list[Token]:
    """Replace images with links to them. Inside a link, show only an image's alternative text."""
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


def _code_block(
    _renderer: object, tokens: list[Token], index: int, _options: object, env: dict[str, Any]
) -> str:
    """Return the HTML of a code block, which can scroll and is always read from left to right."""
    token = tokens[index]
    words = token.info.split(maxsplit=1)
    html = escapeHtml(token.content)
    if words and env.get(COLOURED, 0) + len(token.content) <= MOST_COLOURED:
        html = coloured(token.content, words[0])
        env[COLOURED] = env.get(COLOURED, 0) + len(token.content)
    return f'<pre tabindex="0" dir="ltr"><code>{html}</code></pre>\n'


def _make_parser() -> MarkdownIt:
    parser = _Markdown("commonmark", {"html": False, "maxNesting": NESTING})
    bound(parser)
    inline = InlineParser()
    inline.ruler, inline.ruler2 = parser.inline.ruler, parser.inline.ruler2
    inline.terminator_re = re.compile(f"{inline.terminator_re.pattern}|{BEGINNING}")
    parser.inline = inline
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler.after("text", "bare_link", bare_link)
    parser.inline.ruler.before("emphasis", "spoiler", mark_spoiler)
    parser.inline.ruler2.before("fragments_join", "spoiler", pair_spoilers)
    parser.add_render_rule("spoiler_open", lambda *_more: BEGIN)
    parser.add_render_rule("spoiler_close", lambda *_more: END)
    parser.add_render_rule("mention_open", lambda *_more: mentions.BEGIN)
    parser.add_render_rule("mention_close", lambda *_more: mentions.END)
    parser.add_render_rule("fence", _code_block)
    parser.add_render_rule("code_block", _code_block)
    for rule in (_fit_page, show_boxes, mark_mentions, _resolve_links, join_lines):
        parser.core.ruler.push(rule.__name__.lstrip("_"), rule)
    return parser


_parser = _make_parser()
