"""Spoilers, `>!text!<`, are hidden on pages, and replaced by a word everywhere else."""

import re
from datetime import timedelta

import pytest
from django.utils.html import strip_tags
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from forum.actions import comments
from forum.models import Post, User
from forum.text import markup
from forum.text.plain import plain_text, shortened
from tests.forum.comments import add_comment
from tests.forum.factories import post, reader

BEGIN, END = '<span class="spoiler" tabindex="0"><span>', "</span></span>"
SECRET = "the gardener"
TEXT = f"It was >!{SECRET}!<, of course."


def shown(written: str) -> str:
    """Return the HTML of a text, with marks in place of the HTML of spoilers."""
    html = markup.render(written).replace(' rel="ugc nofollow noopener"', "")
    return html.replace(BEGIN, "{").replace(END, "}").removesuffix("\n")


@pytest.mark.parametrize(
    ("written", "html"),
    [
        ("a >!b!< c", "<p>a {b} c</p>"),
        (">!a!< and >!b!<", "<p>{a} and {b}</p>"),
        (">!one\ntwo!<", "<p>{one\ntwo}</p>"),
        ("one\n>!two!<", "<p>one\n{two}</p>"),
        (">!*b* [c](/d) `e` https://f.org!<", None),
        ("**>!a!<** *b >!c!<*", "<p><strong>{a}</strong> <em>b {c}</em></p>"),
        ("- >!a!<\n- b", '<ul dir="auto">\n<li>{a}</li>\n<li>b</li>\n</ul>'),
        ("> said\n>!a!<", '<blockquote dir="auto">\n<p>said\n{a}</p>\n</blockquote>'),
        ("> # said\n>!a!<", '<blockquote dir="auto">\n<h2>said</h2>\n</blockquote>\n<p>{a}</p>'),
        ("> >!a!<", '<blockquote dir="auto">\n<p>{a}</p>\n</blockquote>'),
        ("# >!a!<", "<h2>{a}</h2>"),
        (">!list<a>!< >!<b>!<", "<p>{list&lt;a&gt;} {&lt;b&gt;}</p>"),
    ],
)
def test_text_between_the_marks_is_hidden(written: str, html: str | None) -> None:
    inside = '<em>b</em> <a href="/d">c</a> <code dir="ltr">e</code> '
    inside += '<a href="https://f.org" dir="ltr">https://f.org</a>'
    assert shown(written) == (html or f"<p>{{{inside}}}</p>")


@pytest.mark.parametrize(
    "written",
    [
        *("a >!b", "a!< b", "!<a>!", ">!!<", "if a >!b or b", "`>!a!<`", r"\>!a!<", ">!a\n\nb!<"),
        *("**a >!b** c!<", "[a >!b!<](/c)", "    >!a!<", "```\n>!a!<\n```"),
    ],
)
def test_marks_without_a_partner_and_marks_in_code_and_links_are_text(written: str) -> None:
    assert "{" not in shown(written)


def test_quote_whose_first_word_has_an_exclamation_mark_stays_a_quote() -> None:
    assert shown(">!a") == '<blockquote dir="auto">\n<p>!a</p>\n</blockquote>'
    assert shown("Wow!<https://a.org> >!") == (
        '<p>Wow!<a href="https://a.org" dir="ltr">https://a.org</a> &gt;!</p>'
    )


@given(
    st.lists(st.sampled_from([">!", "!<", "*", "**", "a", "[", "](b)", "~~", "\n"])).map("".join)
)
def test_spoilers_never_overlap_other_markup(written: str) -> None:
    html = markup.render(written)
    open_tags: list[str] = []
    for end, tag in re.findall(r"<(/?)(span|em|strong|s|a|p)\b", html):
        if not end:
            open_tags.append(tag)
        else:
            assert open_tags.pop() == tag
    assert open_tags == []


def test_excerpts_have_a_word_in_place_of_a_spoiler() -> None:
    html = markup.render(TEXT)
    assert plain_text(html) == "It was [spoiler], of course."
    assert SECRET in strip_tags(html), "pages have the text itself"
    with override("zh-hans"):
        assert plain_text(html) == "It was [剧透], of course."


def test_shortened_text_ends_within_a_spoiler_without_showing_it() -> None:
    html = markup.render(f"It was >!{SECRET * 99}!<.")
    assert "gard" not in shortened(html, 60)


@pytest.mark.django_db(transaction=True)
def test_spoilers_are_hidden_outside_the_thread(ada: User, bob: User) -> None:
    written = post(ada, body=TEXT)
    reply = add_comment(bob, written, f"@ada {TEXT}")
    comments.write(author=ada, post=written, parent=reply, body=TEXT)
    Post.objects.filter(pk=written.pk).update(created_at=written.created_at - timedelta(hours=1))
    thread = reader().get(written.get_absolute_url()).content.decode()
    head, body = thread.split("</head>")
    assert SECRET not in head
    assert "It was [spoiler], of course." in head
    assert body.count(f"{BEGIN}{SECRET}{END}") == 3
    pages = {
        f"/p/{written.pk}.atom": reader(),
        "/inbox": reader(bob),
        "/search?q=course": reader(),
        "/api/v1/search?q=course": reader(),
        f"/p/{written.pk}/c/{reply.pk}/flag": reader(ada),
    }
    for path, window in pages.items():
        page = window.get(path, follow=True).content.decode()
        assert SECRET not in page, path
        assert "[spoiler], of course." in re.sub("</?mark>", "", page), path


@pytest.mark.django_db(transaction=True)
def test_search_finds_no_spoilers(ada: User) -> None:
    post(ada, "A mystery", body=TEXT)
    assert "A mystery" in reader().get("/search?q=course").content.decode()
    assert "A mystery" not in reader().get("/search?q=gardener").content.decode()
