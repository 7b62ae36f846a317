"""Markdown as HTML: its features, its safety, and the time to render it."""

import gc
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forum.text import markup
from tests.forum.strategies import LETTERS

LONGEST_POST = 40_000
PIECES = st.sampled_from(
    [
        *("<script>", "</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>"),
        *("[a](javascript:alert(1))", "![a](data:text/html,x)", "<javascript:alert(1)>"),
        *(
            "[a]: javascript:x\n",
            "[a]",
            "<a href='",
            '" onclick="x',
            "jAvAsCrIpT:",
            "&#106;",
            "&Tab;",
        ),
        *(
            "`",
            "```\n",
            "> ",
            "- ",
            "- [ ] ",
            "# ",
            "|a|\n|-|\n",
            "**",
            "_",
            "https://a.org/",
            ">!",
            "!<",
            "\n",
            "\n\n",
        ),
    ]
)
WRITTEN = st.lists(PIECES | st.text(LETTERS, max_size=8), max_size=25).map("".join)


class Tags(HTMLParser):
    """An HTML parser that collects the tags and attributes in a text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("*a* **b** ~~c~~", "<em>a</em> <strong>b</strong> <s>c</s>"),
        ("# One\n## Two\n#### Four", "<h2>One</h2>\n<h3>Two</h3>\n<h4>Four</h4>"),
        ("## Two\n# One\n### Three", "<h2>Two</h2>\n<h2>One</h2>\n<h3>Three</h3>"),
        (
            "```text\nx < 1\n```",
            '<pre tabindex="0" dir="ltr"><code dir="ltr">x &lt; 1\n</code></pre>',
        ),
        ("3. three", '<ol start="3" dir="auto">'),
        ("- one", '<ul dir="auto">'),
        ("> said", '<blockquote dir="auto">'),
        ("<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;"),
        ("README.md and a@b.org", "<p>README.md and a@b.org</p>"),
    ],
)
def test_markdown_shows_as_people_expect(written: str, shown: str) -> None:
    assert shown in markup.render(written)


@pytest.mark.parametrize(
    ("written", "href", "words"),
    [
        ("[a](https://a.org/)", "https://a.org/", "a"),
        ("[a](/p/1)", "/p/1", "a"),
        ("![a cat](https://a.org/cat.png)", "https://a.org/cat.png", "a cat"),
        ("![](https://a.org/cat.png)", "https://a.org/cat.png", "https://a.org/cat.png"),
    ],
)
def test_links_and_images_are_links_that_search_engines_ignore(
    written: str, href: str, words: str
) -> None:
    assert f'<a href="{href}" rel="ugc nofollow noopener">{words}</a>' in markup.render(written)


def test_image_inside_a_link_becomes_its_description() -> None:
    html = markup.render("[![logo](https://a.org/i.png)](https://a.org/)")
    assert html == '<p><a href="https://a.org/" rel="ugc nofollow noopener">logo</a></p>\n'


def test_only_names_of_people_become_links_in_their_own_spelling() -> None:
    lookups: list[list[str]] = []

    def find_names(names: Sequence[str]) -> dict[str, str]:
        lookups.append(list(names))
        return {"ada": "Ada"}

    html = markup.render("# For @ADA\n@media, `@code` @ada [@x](/y).", find_names)
    link = '<a href="/u/Ada/" dir="ltr" rel="ugc nofollow noopener">'
    assert f"<h2>For {link}@ADA</a></h2>" in html
    assert f'<p>@media, <code dir="ltr">@code</code> {link}@ada</a> ' in html
    assert len(lookups) == 1
    assert "code" not in lookups[0]
    markup.render("Nobody is named, and neither is `@code`.", find_names)
    assert len(lookups) == 1


def test_table_scrolls_and_follows_the_direction_of_its_text() -> None:
    assert Tags(markup.render("| a |\n|---|\n| b |")).seen[0] == (
        "table",
        {"tabindex": "0", "dir": "auto"},
    )


def test_columns_of_a_table_keep_their_side_without_inline_style() -> None:
    html = markup.render("|a|b|\n|-|-:|\n|1|2|")
    assert '<td align="right">2</td>' in html
    assert "style" not in html


@given(WRITTEN)
def test_scripts_are_removed(written: str) -> None:
    for tag, attributes in Tags(markup.render(written)).seen:
        assert tag not in {"script", "style", "iframe", "img", "svg", "object", "form"}
        safe = {"href", "rel", "start", "align", "tabindex", "dir", "type", "checked", "disabled"}
        assert set(attributes) <= safe
        assert tag != "input" or attributes.items() >= {("type", "checkbox"), ("disabled", "")}
        href = re.sub(r"[\s\x00-\x20]", "", attributes.get("href") or "").lower()
        assert not href.startswith(("javascript:", "data:", "vbscript:", "file:"))


@pytest.mark.parametrize(
    "piece",
    [
        *("[", "![", ">", "> ", "*a_ ", "`", "[a](", "<", "://", "http://a.b/(", "[a][", "![[]()"),
        *(
            "@a1 ",
            "a|b\n",
            "- ",
            "1. ",
            "a\n\n",
            "&",
            "**a *a ",
            "a@b.co ",
            "https://a.b/ ",
            "```\n",
            "\\",
        ),
        *("http://a.b/)", "https://a.b/中", "*https://a.b", "**中**", "中\n", "- [ ] x\n", "@a--"),
        *("[x](ftp://a)", "[@a1](https://b.c) ", "a.a/@a", "www.", "|@a1|\n|-|\n"),
        *(">!", "!<", ">!a!<", ">!a\n", ">!a!<\n", "> a\n>!b!<\n", "*>!a*!<", "**>!", ">![a](b)!<"),
        # A block ends inside a quote, before a line that would otherwise continue the quote.
        *("> # h\nx\n", "> ---\nx\n", "x\n> ```\n", ">> [a]: b\nx\n", "> - a\n>> # h\nx\n"),
        *(">" * 12 + " # h\nx\n", "> # h\n" * 20 + "x\n", "1. > # h\n   x\n"),
    ],
)
@pytest.mark.long
def test_time_to_parse_the_worst_text_grows_linearly(piece: str) -> None:
    """A text that is 8 times as long should take about 8 times as long, not 64 times."""
    least = 0.02  # seconds that can be measured reliably
    length = LONGEST_POST // (2 if work(piece, LONGEST_POST // 16) > 2 * least else 1)
    # A busy machine may slow one try down; quadratic time is slow in every try.
    tries = (work(piece, length) / max(work(piece, length // 8), least) for _ in range(4))
    assert any(times < 20 for times in tries)


def everybody(names: Sequence[str]) -> dict[str, str]:
    return dict(zip(names, names, strict=True))


def work(piece: str, length: int) -> float:
    """Return the CPU seconds to render a text that repeats `piece` up to `length` characters."""
    written = (piece * length)[:length]
    markup.parsed.cache_clear()
    gc.disable()
    began = process_time()
    markup.render(written, everybody)
    seconds = process_time() - began
    gc.enable()
    return seconds


@pytest.mark.parametrize(
    ("talk", "times", "quotes"),
    [
        ("> Said one person,\n> and more.\n>\n> And yet more.\n\nAn answer.\n\n", 500, 500),
        ("> > Said one person.\n>\n> An answer,\n> and more.\n\nAnother.\n\n", 500, 1_000),
        ("> ```\n> said\n> ```\nAn answer in the next line.\n", 200, 200),
    ],
)
def test_long_discussion_shows_every_quote(talk: str, times: int, quotes: int) -> None:
    assert markup.render(talk * times).count("</blockquote>") == quotes


def test_quote_after_thousands_of_quotes_stays_text() -> None:
    html = markup.render("> # Said\nand answered\n" * 2_000)
    assert "<h2>Said</h2>\n</blockquote>\n<p>and answered</p>\n" in html
    assert html.endswith("&gt; # Said\nand answered</p>\n")


@pytest.mark.parametrize("deep", [9, 10, 11, 30])
def test_deeply_nested_list_hides_nothing(deep: int) -> None:
    items = "".join(f"{'  ' * level}- item {level}\n" for level in range(deep))
    html = markup.render(f"{items}- last item\n\nAfter the list.")
    assert [f"item {level}" in html for level in range(deep)] == [True] * deep
    assert html.count("<li>") == min(deep, 9) + 1
    assert html.endswith("<li>last item</li>\n</ul>\n<p>After the list.</p>\n")


@pytest.mark.parametrize("mark", [">", "> -", "- >", "1. >"])
@pytest.mark.parametrize("deep", [6, 10, 19, 20, 40])
def test_deeply_nested_quote_hides_nothing(mark: str, deep: int) -> None:
    html = markup.render(f"{f'{mark} ' * deep}Said.\n\nAfter the quote.")
    assert "Said." in html
    assert html.endswith("<p>After the quote.</p>\n")


def test_a_table_that_would_explode_stays_text() -> None:
    written = "a|" * 9_000 + "\n" + "-|" * 9_000 + "\n" + "a\n" * 1_900
    html = markup.render(written)
    assert "<table" not in html
    assert len(html) < 3 * len(written)


def test_text_beyond_all_limits_becomes_plain_paragraphs() -> None:
    html = markup.render("<b>*x*</b>\n\n" * 10_000)
    assert html.startswith("<p>&lt;b&gt;*x*&lt;/b&gt;</p>")
    assert "<em>" not in html


def test_thousand_links_are_links_and_more_brackets_are_plain_text() -> None:
    assert markup.render("[a](/b) " * 1_000).count("<a ") == 1_000
    html = markup.render("[a](/b) " * 1_001 + "https://example.org/c")
    assert html.startswith("<p>[a](/b) [a](/b)")
    assert html.count("<a ") == 1, "the bare URL"


def test_brackets_in_code_blocks_take_no_links_away() -> None:
    html = markup.render("```\n" + "a[1]\n" * 2_000 + "```\n\n[a](/b)")
    assert html.count("<a ") == 1


def test_40_000_characters_of_brackets_take_little_longer_than_ordinary_text() -> None:
    ordinary = "word *emph* [a](/b) and `code`\n"
    tries = (work("![", 40_000) / work(ordinary, 31_000) for _ in range(4))
    assert any(times < 3 for times in tries), "it was 10 times"
