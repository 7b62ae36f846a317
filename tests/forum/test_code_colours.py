"""Code with a language gets colours: classes for the kinds of its parts."""

import re
from html import unescape
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forum.models import Post, User
from forum.operations.repair.derived_fields import render_texts
from forum.text import markup
from forum.text.code_colours import CLASSES, LEXERS, LONGEST, coloured
from forum.text.plain import plain_text
from tests.forum.factories import post

TAG = re.compile(r"<[^>]*>")


def fenced(code: str, language: str) -> str:
    return f"```{language}\n{code}\n```"


@pytest.mark.parametrize(
    ("language", "code", "html"),
    [
        ("python", "return 'a'", '<span class="k">return</span> <span class="s">'),
        ("JS", "let x = 1; // one", '<span class="c">// one</span>'),
        ("json", '{"a": 1}', '<span class="m">1</span>'),
        ("diff", "-old\n+new", '<span class="d">-old</span>\n<span class="i">+new</span>'),
        ("php", "echo $a;", '<span class="k">echo</span>'),
        ("rust ignore", "fn f() {}", '<span class="k">fn</span> <span class="n">f</span>'),
    ],
)
def test_code_has_the_colours_of_its_language(language: str, code: str, html: str) -> None:
    assert html in markup.render(fenced(code, language)).replace("&quot;", '"')


@pytest.mark.parametrize("language", ["", "klingon", "brainfuck", "../c", '"><b>'])
def test_code_without_a_known_language_is_plain(language: str) -> None:
    assert "<span" not in markup.render(fenced("return 'a' # 1", language))


@pytest.mark.parametrize(
    "code",
    ["x = 1\n" * (LONGEST // 6 + 1), "x" * 1_000 + " = 1", "x = 1" + "\n" * 200 + "y = 2"],
    ids=["long block", "long line", "long gap"],
)
def test_code_that_could_take_long_to_colour_is_plain(code: str) -> None:
    assert "<span" not in coloured(code, "python")
    assert unescape(coloured(code, "python")) == code


def test_code_beyond_twenty_thousand_characters_of_a_text_is_plain() -> None:
    block = fenced("x = 1\n" * 1_500, "python")
    html = markup.render("\n\n".join([block] * 3))
    assert [piece.count("<span") for piece in html.split("</pre>")[:3]] == [1_500, 1_500, 0]


@given(st.sampled_from(LEXERS), st.text(max_size=60))
def test_colours_change_no_character(language: str, code: str) -> None:
    html = coloured(code, language)
    assert unescape(TAG.sub("", html)) == code
    assert set(re.findall(r'<span class="(.*?)">', html)) <= CLASSES


def test_twenty_languages_have_colours() -> None:
    assert len(set(LEXERS)) == 20


def test_excerpts_of_coloured_code_are_plain() -> None:
    assert plain_text(markup.render(fenced("f(x, 1)", "python"))) == "f(x, 1)"


@pytest.mark.django_db
def test_rendering_texts_again_colours_old_posts(ada: User) -> None:
    written = post(ada, body=fenced("return 1", "python"))
    Post.objects.filter(pk=written.pk).update(body_html="<pre>return 1</pre>")
    assert render_texts(lambda _checked: None) == 1
    written.refresh_from_db()
    assert '<span class="k">return</span>' in written.body_html


@pytest.mark.parametrize("language", LEXERS)
@pytest.mark.parametrize("line", ["a", "a b", "/*", "'", '"', "{", "${", "<a", "&", "(", "- /*"])
@pytest.mark.long
def test_colouring_the_longest_code_takes_less_than_a_second(language: str, line: str) -> None:
    began = process_time()
    coloured((f"{line}\n" * LONGEST)[:LONGEST], language)
    assert process_time() - began < 1
