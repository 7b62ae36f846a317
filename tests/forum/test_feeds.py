"""Public feeds: their content, their cost, and their validity as Atom."""

from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.models import Comment, DayPost, FinishedDay, Group, Post, User
from forum.moderation.actions import removals
from forum.queries.groups import directory
from tests.forum.atom import read
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.round_trips import counted_round_trips
from voting.types.limits import Window

pytestmark = pytest.mark.django_db(transaction=True)
SITE = "http://localhost:8000"
COSTS = {
    "/feed.atom": (1, 2),
    "/new.atom": (1, 2),
    "/top.atom?t=week": (1, 2),
    "/g/books/feed.atom": (1, 2),
    "/u/ada/feed.atom": (0, 4),
    "/u/ada/comments.atom": (0, 3),
    "/comments.atom": (0, 2),
    "/site/example.org/feed.atom": (1, 3),
    "day": (1, 5),
    "week": (1, 3),
    "/modlog.atom": (0, 1),
    "thread": (1, 2),
    "branch": (0, 4),
}
"""By feed, the number of round trips to voting, and the number of SQL queries."""


@pytest.fixture
def site(ada: User, bob: User) -> dict[str, str]:
    """Create content for each feed, and return the feed paths that contain an id or a date."""
    written = post(ada, "Knots", body="How to *tie* them, @bob. See [this](/about).")
    post(bob, "A link", kind="link", url="https://example.org/a?b=1&c=2", body="")
    first = add_comment(bob, written, "A [sheet bend](/p/1) & more.")
    reply = add_comment(ada, written, "Thanks, @bob.", first)
    removals.remove(
        add_comment(bob, written, "Pills"),
        by=person("stella", is_staff=True, is_superuser=True),
        reason="spam",
    )
    day = FinishedDay.objects.create(day=date(2026, 11, 17))
    DayPost.objects.create(day=day, rank=1, post=written, points=1)
    return {
        "week": "/week/2026-W47.atom",
        "day": f"/day/{written.created_at.date()}.atom",
        "thread": f"/p/{written.pk}.atom",
        "branch": f"/p/{written.pk}/c/{reply.pk}.atom",
    }


def test_every_feed_is_valid_and_costs_the_same_with_more_content(
    site: dict[str, str], ada: User, bob: User, settings: Any
) -> None:
    found = {}
    with counted_round_trips(settings) as (to_voting, _to_cache):
        for _more in range(2):
            for name in COSTS:
                path = site.get(name, name)
                read(path)
                with to_voting.counting(), CaptureQueriesContext(connection) as queries:
                    assert read(path).parsed.entries, path
                found[name] = (to_voting.round_trips, len(queries))
            assert found == COSTS
            written = post(ada, "More")
            add_comment(
                bob,
                Post.objects.get(title="Knots"),
                "More.",
                Comment.objects.get(body="Thanks, @bob."),
            )
            add_comment(ada, written, "And more.")


def test_feed_has_full_sanitized_texts_with_absolute_links(site: dict[str, str]) -> None:
    feed = read("/new.atom")
    link, text = feed.bodies
    assert "How to <em>tie</em> them" in text
    assert 'href="http://testserver/about"' in text
    assert 'href="http://testserver/u/bob/"' in text
    assert 'href="https://example.org/a?b=1&amp;c=2"' in link
    assert ">example.org<" in link
    entry = feed.parsed.entries[0]
    assert [(one.rel, one.href) for one in entry.links] == [
        ("alternate", entry.link),
        ("related", "https://example.org/a?b=1&c=2"),
    ]
    assert entry.author == "bob"
    assert [(tag.term, tag.label) for tag in entry.tags] == [("books", "Books")]


def test_entry_keeps_its_id_when_its_title_changes(ada: User) -> None:
    written = post(ada, "Knots")
    before = read("/new.atom").parsed.entries[0]
    reader(ada).post(
        f"/p/{written.pk}/edit", {"title": "Bends", "body": "Some text.", "groups": "books"}
    )
    after = read("/new.atom").parsed.entries[0]
    assert after.title == "Bends"
    assert after.id == before.id == f"{SITE}/p/{written.pk}"
    assert after.link != before.link
    assert after.published == before.published
    assert after.updated >= before.updated


def test_listing_feeds_have_the_order_of_their_pages(ada: User, bob: User) -> None:
    first, _second = post(ada, "First"), post(ada, "Second")
    reader(bob).post(f"/p/{first.pk}/vote", {"vote": "up"})
    assert read("/feed.atom").titles == ["First", "Second"]
    assert read("/new.atom").titles == ["Second", "First"]
    assert read("/top.atom?t=all").titles == ["First", "Second"]
    assert sorted(read("/active.atom").titles) == ["First", "Second"]
    assert read("/views.atom").parsed.feed.title == "Most viewed · Rostra"


def test_group_feed_has_the_groups_posts_and_title(ada: User) -> None:
    post(ada, "Both", slugs="books maths")
    post(ada, "Books only", slugs="books")
    post(ada, "Maths only", slugs="maths")
    assert read("/g/books/new.atom").titles == ["Books only", "Both"]
    both = read("/g/books&maths/new.atom")
    assert both.titles == ["Both"]
    assert both.parsed.feed.title == "Books & Maths: New · Rostra"
    assert read("/g/books~maths/feed.atom").titles == ["Books only"]


def test_old_and_unusual_urls_of_group_feeds_redirect(ada: User) -> None:
    post(ada, slugs="books maths")
    window = reader()
    assert window.get("/g/maths&books/new.atom")["Location"] == "/g/books&maths/new.atom"
    books = Group.objects.get(slug="books")
    books.aliases.create(slug="novels")
    directory.forget()
    assert window.get("/g/novels/feed.atom?x=1")["Location"] == "/g/books/feed.atom?x=1"
    assert window.get("/g/nothing/feed.atom").status_code == 404


def test_persons_feeds_have_what_the_person_wrote(site: dict[str, str]) -> None:
    assert read("/u/ada/feed.atom").titles == ["Knots"]
    comments = read("/u/bob/comments.atom")
    assert comments.titles == ["bob on “Knots”"]
    assert "sheet bend" in comments.bodies[0]
    assert reader().get("/u/ADA/feed.atom")["Location"] == "/u/ada/feed.atom"
    assert reader().get("/u/nobody/feed.atom").status_code == 404


def test_thread_feed_has_newest_comments_and_then_the_post(site: dict[str, str]) -> None:
    feed = read(site["thread"])
    assert feed.titles == ["ada on “Knots”", "bob on “Knots”", "Knots"]
    assert feed.parsed.feed.title == "Knots · Rostra"


def test_branch_feed_has_a_comment_and_the_replies_below_it(ada: User, bob: User) -> None:
    written = post(ada, "Knots")
    top = add_comment(bob, written, "Top.")
    add_comment(bob, written, "Elsewhere.")
    middle = add_comment(ada, written, "Middle.", top)
    add_comment(bob, written, "Leaf.", middle)
    path = f"/p/{written.pk}/c/{top.pk}.atom"
    assert [body.strip() for body in read(path).bodies] == [
        "<p>Leaf.</p>",
        "<p>Middle.</p>",
        "<p>Top.</p>",
    ]
    comment_actions.delete(middle, by=ada)
    assert [body.strip() for body in read(path).bodies] == ["<p>Leaf.</p>", "<p>Top.</p>"]
    assert reader().get(f"/p/{written.pk + 1}/c/{top.pk}.atom").status_code == 404


def test_deleted_and_removed_texts_are_in_no_feed(ada: User, bob: User, stella: User) -> None:
    kept, deleted, removed = post(ada, "Kept"), post(ada, "Deleted"), post(ada, "Removed")
    gone = add_comment(bob, kept, "Gone words.")
    on_removed = add_comment(bob, removed, "Orphan words.")
    post_actions.delete(deleted, by=ada)
    removals.remove(removed, by=stella, reason="spam")
    removals.remove(gone, by=stella, reason="spam")
    assert read("/new.atom").titles == ["Kept"]
    assert read("/u/ada/feed.atom").titles == ["Kept"]
    for path in (
        "/comments.atom",
        "/u/bob/comments.atom",
        f"/p/{kept.pk}.atom",
        "/search.atom?q=words",
    ):
        assert "words" not in "".join(read(path).bodies), path
    window = reader()
    for path in (
        f"/p/{deleted.pk}.atom",
        f"/p/{removed.pk}.atom",
        f"/p/{kept.pk}/c/{gone.pk}.atom",
        f"/p/{removed.pk}/c/{on_removed.pk}.atom",
    ):
        assert window.get(path).status_code == 410, path


def test_log_feed_shows_what_guests_see(ada: User, stella: User) -> None:
    written = post(ada, "Bad")
    removals.remove(written, by=stella, reason="spam <b>")
    feed = read("/modlog.atom")
    assert feed.titles == ["Removed: Bad"]
    assert "Reason: spam &lt;b&gt;" in feed.bodies[0]
    assert read("/modlog.atom?kind=ban").titles == []
    assert reader().get("/modlog.atom?kind=nothing").status_code == 404


def test_search_feed_has_the_newest_matches(ada: User, bob: User) -> None:
    written = post(ada, "Tea", body="Green tea.")
    add_comment(bob, written, "Black tea.")
    post(ada, "Coffee")
    feed = read("/search.atom?q=tea")
    assert sorted(feed.titles) == ["Tea", "bob on “Tea”"]
    assert feed.parsed.feed.title == "Search: tea · Rostra"
    for path in ("/search.atom", "/search.atom?q=+", f"/search.atom?q={'x' * 501}"):
        assert reader().get(path).status_code == 404, path


def test_searches_in_feeds_are_limited(ada: User, settings: Any) -> None:
    settings.LIMITS = settings.LIMITS | {"search": (Window(1, 60),)}
    window = reader()
    assert window.get("/search.atom?q=tea").status_code == 200
    limited = window.get("/search.atom?q=coffee")
    assert limited.status_code == 429
    assert limited["Retry-After"]


def test_feed_that_didnt_change_is_not_sent_again(ada: User, bob: User) -> None:
    written = post(ada, "Knots")
    for path in ("/feed.atom", "/new.atom", f"/p/{written.pk}.atom", "/comments.atom"):
        first = read(path).response
        same = reader().get(path, headers={"If-None-Match": first["ETag"]})
        assert (same.status_code, same.content) == (304, b""), path
        assert same["ETag"] == first["ETag"]
        assert same["Cache-Control"] == first["Cache-Control"] == "public, max-age=60"
    reader(ada).post(
        f"/p/{written.pk}/edit", {"title": "Bends", "body": "Some text.", "groups": "books"}
    )
    assert read("/new.atom", headers={"If-None-Match": first["ETag"]}).titles == ["Bends"]


def test_times_tell_whether_a_feed_changed_only_if_it_is_ordered_by_time(ada: User) -> None:
    written = post(ada)
    for path, status in (("/new.atom", 304), (f"/p/{written.pk}.atom", 304), ("/feed.atom", 200)):
        since = {"If-Modified-Since": read(path).response["Last-Modified"]}
        assert reader().get(path, headers=since).status_code == status, path


def test_cached_feed_also_isnt_sent_again(ada: User, settings: Any) -> None:
    settings.GUEST_PAGE_SECONDS = 3_600
    reader().post("/p/1/vote")  # empties the cache
    post(ada)
    first = read("/new.atom").response
    with CaptureQueriesContext(connection) as queries:
        assert (
            reader().get("/new.atom", headers={"If-None-Match": first["ETag"]}).status_code == 304
        )
        assert reader().get("/new.atom").content == first.content
    assert not queries
    reader().post("/p/1/vote")


def test_feeds_ignore_cookies(ada: User, bob: User) -> None:
    post(ada, "Knots")
    window = reader(bob)
    window.cookies["django_language"] = "zh-hans"
    response = read("/new.atom", window).response
    assert response.content == read("/new.atom").response.content
    assert response["Cache-Control"] == "public, max-age=60"
    assert "Cookie" not in response["Vary"]
    assert not response.cookies


def test_feeds_speak_the_language_that_the_reader_asks_for(ada: User) -> None:
    post(ada, "绳结", body="如何打结")
    feed = read("/new.atom", headers={"Accept-Language": "zh-CN"})
    assert feed.parsed.feed.title == "最新 · Rostra"
    assert feed.parsed.feed.language == "zh-hans"
    assert feed.titles == ["绳结"]
    assert "如何打结" in feed.bodies[0]


def test_characters_that_xml_forbids_are_left_out(ada: User) -> None:
    posts(ada, 1, "A\x01\x0bB\x1b\ufffe <i>&amp; 😀")
    assert read("/new.atom").titles == ["AB <i>&amp; 😀"]


def test_empty_feed_is_valid_and_doesnt_change(ada: User) -> None:
    groups("books")
    first = read("/g/books/feed.atom")
    assert not first.parsed.entries
    assert first.text == read("/g/books/feed.atom").text


def test_listings_have_feeds_while_redis_is_unavailable(ada: User, settings: Any) -> None:
    written = post(ada, "Knots")
    with redis_down(settings):
        for path in ("/feed.atom", "/g/books/new.atom", f"/p/{written.pk}.atom"):
            assert "Knots" in read(path).titles


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/new",
        "/top?t=week",
        "/g/books/",
        "/u/ada/",
        "/u/ada/comments",
        "/comments",
        "/modlog",
        "/modlog?group=books",
        "/search?q=tea",
        "thread",
        "branch",
    ],
)
def test_page_names_its_feed(site: dict[str, str], path: str) -> None:
    address = site[path].removesuffix(".atom") if path in site else path
    html = reader().get(address, follow=True).content.decode()
    links = [line for line in html.splitlines() if 'type="application/atom+xml"' in line]
    assert len(links) == 2, "one for feed readers, one for people"
    url = links[0].split('href="')[1].split('"')[0]
    read(url.replace("&amp;", "&"))
