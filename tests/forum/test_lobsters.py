"""Programs that were written for the website Lobsters can read this site's posts and threads."""

import pytest
from django.conf import settings
from django.test import Client

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.models import User
from tests.forum.comments import add_comment
from tests.forum.factories import person, post

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
        "description": "",
        "description_plain": "",
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
