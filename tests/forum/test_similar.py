"""Readers see similar posts below a post, and authors see posts with titles similar to theirs."""

from typing import Any

import pytest

from forum.actions import following, mutes
from forum.actions import posts as post_actions
from forum.models import Mute, Post, User
from forum.moderation.actions import removals
from forum.search import similar
from tests.forum.factories import groups, post, posts, reader
from voting.types.limits import Window

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


def titles_like(title: str) -> list[str]:
    """Return the titles of the posts that are similar to a title."""
    found = Post.objects.in_bulk(similar.find(title))
    return [found[pk].title for pk in similar.find(title)]


def below(written: Post, user: User | None = None) -> str:
    """Return the HTML of the list of similar posts on a post's page."""
    page = reader(user).get(written.get_absolute_url()).content.decode()
    return page.partition('id="similar-head"')[2].partition("</section>")[0]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Growing TEA at home?", ["Growing tea at home"]),
        ("tea growers", ["Growing tea at home", "How to grow tea"]),
        ("C# (compared)", ["C# and C++ compared"]),
        ("Go, again", ["Go in a week"]),
        ("茶树的种植方法", ["家庭种植茶树"]),
        ("茶树种植：从入门到放弃", ["家庭种植茶树"]),  # noqa: RUF001
        ("树茶", []),
        ("Zurich", ["Zürich in winter"]),
        ("Quixotic", []),
        ("!?", []),
        ("🚀", []),
    ],
)
def test_titles_that_share_rare_words_are_similar(
    ada: User, title: str, expected: list[str]
) -> None:
    for known in (
        "How to grow tea",
        "Growing tea at home",
        "C# and C++ compared",
        "Go in a week",
        "Gold at a low",
        "家庭种植茶树",
        "Zürich in winter",
    ):
        post(ada, known)
    assert titles_like(title) == expected


def test_common_words_alone_make_no_similar_titles(ada: User) -> None:
    posts(ada, 20, "What is the number {}")
    rare = post(ada, "What is sepsis")
    assert titles_like("What is sepsis, then?") == [rare.title]


def test_page_lists_similar_posts_and_not_itself(ada: User) -> None:
    written = post(ada, "Growing tea at home")
    other = post(ada, "Growing tea <indoors>")
    page = below(written)
    assert (
        f'<a href="{other.get_absolute_url()}" dir="auto">Growing tea &lt;indoors&gt;</a>' in page
    )
    assert written.get_absolute_url() not in page
    assert below(post(ada, "Knots")) == ""


def test_deleted_blocked_and_muted_posts_are_left_out(ada: User, bob: User) -> None:
    written = post(ada, "Growing tea at home")
    deleted = post(ada, "Growing tea indoors")
    post(ada, "Growing tea outdoors")
    post(bob, "Growing tea upstairs")
    assert below(written, ada).count("Growing tea") == 3
    post_actions.delete(deleted)
    mutes.mute(bob, Mute.Kind.WORD, "outdoors")
    assert below(written, bob).count("Growing tea") == 1
    following.block(ada, bob, on=True)
    assert below(written, ada).count("Growing tea") == 1
    assert below(written).count("Growing tea") == 2


def test_new_title_of_a_post_changes_its_similar_posts(ada: User) -> None:
    written, knots = post(ada, "Growing tea"), post(ada, "Knots for sailors")
    assert below(written) == ""
    post_actions.edit(
        written, by=ada, title="Sailors and knots", body="Some text.", groups=groups("books")
    )
    assert knots.title in below(Post.objects.get(pk=written.pk))


def test_removed_post_shows_its_author_no_similar_posts(ada: User, stella: User) -> None:
    written = post(ada, "Growing tea at home")
    post(ada, "Growing tea indoors")
    removals.remove(written, by=stella, reason="Spam")
    assert "Growing tea indoors" not in below(written, ada)


def test_script_gets_posts_with_a_similar_title(ada: User, bob: User) -> None:
    known = post(bob, "Growing <tea> at home")
    window = reader(ada)

    def similar_to(title: str) -> str:
        return window.get("/submit/known", {"title": title}).content.decode().strip()

    assert f'<a href="{known.get_absolute_url()}" dir="auto">Growing &lt;tea&gt; at home</a>' in (
        similar_to("Grow tea at home")
    )
    assert similar_to("Knots") == similar_to("") == ""
    assert reader().get("/submit/known?title=tea").status_code == 302


def test_preview_lists_similar_titles_without_script(ada: User, bob: User) -> None:
    link = {"kind": "link", "url": "https://example.org/a", "groups": ["books"], "preview": "1"}
    duplicate = post(bob, "Growing tea at home", kind="link", url=link["url"], body="")
    similar = post(bob, "Growing tea indoors")
    page = reader(ada).post("/submit", link | {"title": "Growing tea"}).content.decode()
    assert f'<li><a href="{similar.get_absolute_url()}"' in page
    assert f'<li><a href="{duplicate.get_absolute_url()}"' not in page, "the warning names it"


def test_who_asks_too_often_gets_no_similar_titles_and_keeps_the_form(
    ada: User, bob: User, settings: Any
) -> None:
    settings.LIMITS = settings.LIMITS_NEW = settings.LIMITS | {"similar": (Window(1, 60),)}
    post(bob, "Growing tea")
    window = reader(ada)
    first, second = (window.get("/submit/known?title=tea") for _ in range(2))
    assert b"Growing tea" in first.content
    assert (second.status_code, second.content.strip()) == (200, b"")
    page = window.post("/submit", {"kind": "text", "title": "Tea", "preview": "1"})
    assert page.status_code == 200
