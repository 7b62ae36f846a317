"""Programs that were written for the website Lobsters can read this site's posts and threads."""

import pytest
from django.conf import settings
from django.test import Client

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.models import Comment, User
from tests.forum.comments import add_comment, add_many_comments
from tests.forum.factories import person, post, posts
from tests.forum.outages import failing_sql

pytestmark = pytest.mark.django_db(transaction=True)


def test_hottest_and_newest_have_the_fields_of_lobsters(client: Client, ada: User) -> None:
    link = post(ada, "On bread", kind="link", url="https://example.org/bread")
    newest = post(ada, "Newest")
    hot, new = (client.get(f"/{name}.json").json() for name in ("hottest", "newest"))
    assert [one["title"] for one in new] == ["Newest", "On bread"]
    assert {one["short_id"] for one in hot} == {str(link.pk), str(newest.pk)}
    assert new[1] == {
        "short_id": str(link.pk),
        "short_id_url": f"{settings.SITE_URL}/p/{link.pk}",
        "created_at": link.created_at.isoformat(),
        "title": "On bread",
        "url": "https://example.org/bread",
        "score": 1,
        "flags": 0,
        "comment_count": 0,
        "description": "<p>Some text.</p>\n",
        "description_plain": "Some text.",
        "comments_url": f"{settings.SITE_URL}/p/{link.pk}/on-bread",
        "submitter_user": "ada",
        "user_is_author": False,
        "tags": ["books"],
    }


def test_thread_has_its_comments_with_depth_and_parent(client: Client, ada: User) -> None:
    bob, written = person("bob"), post(ada, "Bread", body="Knead *well*.")
    first = add_comment(bob, written, "Which <bread>?")
    reply = add_comment(ada, written, "Rye.", first)
    comment_actions.delete(first, bob)
    story = client.get(f"/s/{written.pk}.json").json()
    assert story["description"] == "<p>Knead <em>well</em>.</p>\n"
    assert story["description_plain"] == "Knead *well*."
    gone, shown = story["comments"]
    assert (gone["is_deleted"], gone["comment"], gone["commenting_user"]) == (True, "", "")
    assert (shown["short_id"], shown["depth"]) == (str(reply.pk), 1)
    assert shown["parent_comment"] == str(first.pk)
    assert (shown["comment_plain"], shown["commenting_user"]) == ("Rye.", "ada")


def test_unknown_and_deleted_threads_are_not_found_or_gone(client: Client, ada: User) -> None:
    written = post(ada)
    post_actions.delete(written)
    assert client.get(f"/s/{written.pk}.json").status_code == 410
    assert client.get("/s/999999.json").status_code == 404
    assert client.get("/s/999999.json")["Content-Type"] == "application/problem+json"


def test_pages_lead_through_all_posts(client: Client, ada: User) -> None:
    made = {str(one.pk) for one in posts(ada, 60)}
    for address in (
        "hottest.json?page={}",
        "page/{}.json",
        "newest.json?page={}",
        "newest/page/{}.json",
        "t/books.json?page={}",
        "t/books/page/{}.json",
    ):
        pages = [client.get("/" + address.format(number)).json() for number in range(1, 5)]
        found = [story["short_id"] for page in pages for story in page]
        assert (len(found), set(found)) == (60, made), address
        assert pages[3] == []
        assert client.get("/" + address.format(1)).json() == pages[0]


def test_pages_of_groups(client: Client, ada: User) -> None:
    post(ada, "Bread", slugs="books")
    post(ada, "Knots", slugs="crafts")
    assert [one["title"] for one in client.get("/t/books.json").json()] == ["Bread"]
    assert len(client.get("/t/books+crafts.json").json()) == 2


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("hottest.json?page=x", 422),
        ("hottest.json?page=0", 422),
        ("newest.json?page=-1", 422),
        ("page/0.json", 422),
        ("page/x.json", 404),
        ("t/nowhere.json", 404),
        ("newest.json?page=", 422),
        (f"hottest.json?page={'9' * 30}", 422),
        ("t/a+b+.json", 404),
        ("t/books/page/x.json", 404),
    ],
)
def test_wrong_pages_and_groups_are_refused_in_json(
    client: Client, address: str, status: int
) -> None:
    answer = client.get(f"/{address}")
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")


def test_lists_have_the_text_of_posts_even_if_only_redis_answers(client: Client, ada: User) -> None:
    post(ada, "Bread", body="Knead *well*.")
    (story,) = client.get("/hottest.json").json()
    assert (story["description"], story["description_plain"]) == (
        *("<p>Knead <em>well</em>.</p>\n", "Knead *well*."),
    )
    with failing_sql(""):
        (story,) = client.get("/newest.json").json()
    assert (story["title"], story["description"]) == ("Bread", "")


def test_deep_thread_is_whole(client: Client, ada: User) -> None:
    written = post(ada, "Bread")
    last: Comment | None = None
    for number in range(31):
        last = add_comment(ada, written, f"Level {number}", last)
    story = client.get(f"/s/{written.pk}.json").json()
    assert len(story["comments"]) == story["comment_count"] == 31
    assert [one["depth"] for one in story["comments"]] == list(range(31))


def test_long_thread_is_whole(client: Client, ada: User) -> None:
    written = post(ada, "Bread")
    add_many_comments([ada], written, 3_000)
    story = client.get(f"/s/{written.pk}.json").json()
    assert len(story["comments"]) == 3_000
