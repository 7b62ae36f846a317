"""A merge keeps everything: saved posts, history, lines in lists, and old addresses and ids."""

from collections.abc import Callable
from typing import Any

import pytest

from forum.actions import marks
from forum.api import tokens
from forum.models import Comment, Flag, Mark, ModAction, Post, User, Watch
from forum.moderation.actions import merges, removals
from forum.store.service import get_voting_service
from forum.web.error_responses import FRAGMENT
from tests.forum.atom import read
from tests.forum.comments import add_comment
from tests.forum.factories import person, post, posts, reader, reauthenticated_reader
from tests.forum.merging import cast, merge, tally, undone
from tests.forum.outages import redis_down
from tests.forum.pages import get_html, post_ids
from tests.forum.past_posts import archive_all
from tests.forum.worker_runs import run_worker
from voting.types import Vote

pytestmark = pytest.mark.django_db(transaction=True)
Chain = tuple[Post, Post, Post]
Send = Callable[..., Any]


@pytest.fixture
def chain(ada: User, bob: User, cleo: User, stella: User) -> Chain:
    """Return three posts by Ada, Bob and Cleo. The third is merged into the second, which is merged
    into the first.
    """
    first, second, third = post(ada, "First"), post(bob, "Second"), post(cleo, "Third")
    merge(third, second, stella)
    merge(second, first, stella)
    return first, second, third


@pytest.fixture
def send() -> Send:
    """Return a function that sends JSON with a person's token, and returns the response's JSON."""

    def ask(user: User, path: str, body: Any = None, status: int = 200) -> Any:
        token = tokens.create(
            user=user, name="Script", scopes=["read", "vote", "write", "moderate"]
        )
        headers = {"Authorization": f"Bearer {token}"}
        if body is None:
            answer = reader().get(f"/api/v1/{path}", headers=headers)
        else:
            address = f"/api/v1/{path}"
            answer = reader().post(address, body, content_type="application/json", headers=headers)
        assert answer.status_code == status, answer.content
        return answer.json()

    return ask


def link(author: User, title: str) -> Post:
    """Publish a link to a page of example.org."""
    return post(author, title, kind="link", url=f"https://example.org/{len(title)}", body="")


def save_button(page: str) -> str:
    return page.partition('class="link save"')[2].partition("</button>")[0].rpartition(">")[2]


@pytest.mark.parametrize("down", [False, True])
def test_saved_merged_post_leads_to_the_remaining_post(
    ada: User, bob: User, cleo: User, stella: User, settings: Any, down: bool
) -> None:
    first, second, third, other = post(ada), post(bob), post(cleo), post(cleo)
    for saved in (other, third):
        marks.save(bob, saved, on=True)
    one, two = merge(third, second, stella), merge(second, first, stella)
    if down:
        redis_down(settings)
    page = get_html("/u/bob/saved", bob)
    assert post_ids(page) == [first.pk, other.pk]
    if not down:
        assert save_button(page) == "saved"
        assert save_button(get_html(first.get_absolute_url(), bob)) == "saved"
        assert save_button(get_html(first.get_absolute_url(), cleo)) == "save"
        undone(two, stella)
        undone(one, stella)
        assert post_ids(get_html("/u/bob/saved", bob)) == [third.pk, other.pk]
        assert save_button(get_html(first.get_absolute_url(), bob)) == "save"


def test_post_is_listed_once_if_both_were_saved(ada: User, bob: User, stella: User) -> None:
    first, again = post(ada), post(ada)
    for saved in (first, again):
        marks.save(bob, saved, on=True)
    merge(again, first, stella)
    assert post_ids(get_html("/u/bob/saved", bob)) == [first.pk]
    reader(bob).post(f"/p/{first.pk}/save", {"on": "0"})
    assert post_ids(get_html("/u/bob/saved", bob)) == []
    assert not Mark.objects.exists()


def test_saved_feed_and_search_have_the_remaining_post(
    ada: User, bob: User, stella: User, send: Send
) -> None:
    first, again = post(ada, "The news"), post(ada, "Same news")
    marks.save(bob, again, on=True)
    merge(again, first, stella)
    page = reauthenticated_reader(bob).post("/preferences/feeds").content.decode()
    path = page.partition("/saved.atom")[0].rpartition("http://localhost:8000")[2] + "/saved.atom"
    assert [entry.title for entry in read(path).parsed.entries] == ["The news"]
    (hit,) = send(bob, "search?q=is:saved")["items"]
    assert (hit["id"], hit["merged_into"]) == (again.pk, first.pk)
    assert send(bob, f"posts/{again.pk}")["saved"] is True
    assert send(stella, f"posts/{again.pk}")["saved"] is False


def test_history_and_likes_lead_to_the_remaining_post(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, again = post(ada), post(cleo)
    get_html(again.get_absolute_url(), bob)
    cast(bob, again, Vote.UP)
    archive_all()
    action = merge(again, first, stella)
    for page in ("/history", "/u/bob/liked"):
        assert post_ids(get_html(page, bob)) == [first.pk]
    undone(action, stella)
    assert post_ids(get_html("/history", bob)) == [again.pk]


def test_hiding_a_post_does_not_hide_the_remaining_post(ada: User, bob: User, stella: User) -> None:
    first, again = post(ada), post(ada)
    marks.hide(bob, again, on=True)
    merge(again, first, stella)
    assert post_ids(get_html("/u/bob/hidden", bob)) == []
    assert post_ids(get_html("/new", bob)) == [first.pk]


@pytest.mark.parametrize("down", [False, True])
def test_merged_post_stays_in_lists_and_leads_to_the_remaining_post(
    ada: User, bob: User, cleo: User, stella: User, settings: Any, down: bool
) -> None:
    """Its author's list, the linked site's page and the search have it, but not the front page."""
    first, second = link(ada, "The news"), post(bob, "Second")
    again, other = link(cleo, "Same news"), post(cleo, "Other")
    merge(again, second, stella)
    merge(second, first, stella)
    if down:
        redis_down(settings)
    for page, expected in (
        ("/u/cleo/", [other.pk, again.pk]),
        ("/site/example.org/new", [again.pk, first.pk]),
    ):
        html = get_html(page)
        assert post_ids(html) == expected
        line = html.partition(f'id="post-{again.pk}"')[2].partition("</article>")[0]
        assert f'<a href="{first.get_absolute_url()}" dir="auto">Same news</a>' in line
        assert "merged into" in line
        assert "button" not in line
    html = get_html("/search?q=same")
    assert f'href="{first.get_absolute_url()}"' in html
    assert "merged into" in html
    assert again.pk not in post_ids(get_html("/new"))


def test_lists_of_the_api_have_merged_posts(
    ada: User, cleo: User, stella: User, send: Send
) -> None:
    first, again = link(ada, "The news"), link(cleo, "Same news")
    action = merge(again, first, stella)
    for path in ("people/cleo/posts", "sites/example.org/lists/new", "search?q=same"):
        found = send(stella, path)["items"][0]
        assert (found["id"], found["merged_into"]) == (again.pk, first.pk)
    assert send(stella, f"posts/{again.pk}")["id"] == first.pk
    undone(action, stella)
    for path in ("people/cleo/posts", "sites/example.org/lists/new", "search?q=same"):
        found = send(stella, path)["items"][0]
        assert (found["id"], found["merged_into"]) == (again.pk, None)


def test_lists_leave_out_merged_posts_if_the_remaining_post_is_removed(
    ada: User, cleo: User, stella: User
) -> None:
    first, again = link(ada, "The news"), link(cleo, "Same news")
    merge(again, first, stella)
    removals.remove(Post.objects.get(pk=first.pk), by=stella, reason="Spam")
    for page in ("/u/cleo/", "/site/example.org/", "/search?q=same"):
        assert "Same news" not in get_html(page)


def test_merged_posts_do_not_hide_the_last_page_of_a_persons_list(
    ada: User, bob: User, stella: User, settings: Any
) -> None:
    written = posts(bob, settings.PAGE_SIZE + 1)
    merge(written[0], post(ada), stella)
    assert "?p=2" in get_html("/u/bob/")
    assert post_ids(get_html("/u/bob/?p=2")) == [written[0].pk]


@pytest.mark.parametrize("old", [1, 2])
def test_whatever_is_done_to_an_old_address_happens_to_the_remaining_post(
    chain: Chain, old: int
) -> None:
    """Dina still has pages open on which the old post is."""
    first, address = chain[0], f"/p/{chain[old].pk}"
    dina = person("dina")
    window = reader(dina)
    voted = window.post(f"{address}/vote", {"vote": "up", "next": "/new"})
    assert voted["Location"] == f"/new#post-{first.pk}"
    assert tally(first) == (4, 0)
    fragment = {FRAGMENT: "list"}
    row = window.post(f"{address}/vote", {"vote": "down"}, headers=fragment).content.decode()
    assert post_ids(row) == [first.pk]
    assert tally(first) == (3, 1)
    for way in ("save", "hide", "watch"):
        assert window.post(f"{address}/{way}", {"on": "1"}).status_code == 303
    assert set(Mark.objects.values_list("post", "kind")) == {
        (first.pk, "saved"),
        (first.pk, "hidden"),
    }
    assert Watch.objects.get(user=dina).post == first
    assert "Flag this post" in get_html(f"{address}/flag", dina)
    assert window.post(f"{address}/flag", {"kind": "spam"}).status_code == 303
    assert Flag.objects.get().item.post == first
    assert window.post(f"{address}/comment", {"body": "Hello."}).status_code == 303
    comment = Comment.objects.get()
    assert comment.post == first
    assert window.post(f"{address}/c/{comment.pk}/edit", {"body": "Hi."}).status_code == 303
    assert reader().get(f"{address}/c/{comment.pk}")["Location"] == comment.get_absolute_url()
    for way in ("hide", "watch", "save"):
        window.post(f"{address}/{way}", {"on": "0"})
    assert not Mark.objects.exists()
    assert Watch.objects.get(user=dina).on is False


def test_votes_on_moved_comments_by_their_old_address_count(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, again, other = post(ada), post(cleo), post(cleo)
    moved = add_comment(bob, again)
    merge(again, first, stella)
    window = reader(ada)
    assert window.post(f"/p/{again.pk}/c/{moved.pk}/vote", {"vote": "up"}).status_code == 303
    ballot = get_voting_service().comments.thread(first.pk, [moved.pk]).tallies[moved.pk]
    assert ballot.up == 2
    flagged = window.post(f"/p/{again.pk}/c/{moved.pk}/flag", {"kind": "spam"})
    assert flagged.status_code == 303
    assert Flag.objects.get().item.comment == moved
    assert window.post(f"/p/{other.pk}/c/{moved.pk}/vote", {"vote": "up"}).status_code == 404
    assert window.get(f"/p/{other.pk}/c/{moved.pk}/flag").status_code == 404


def test_guests_vote_on_a_merged_post_counts_after_log_in(chain: Chain) -> None:
    first, _second, third = chain
    person("dina")
    window = reader()
    asked = window.post(f"/p/{third.pk}/vote", {"vote": "up"})
    assert first.title in window.get(asked["Location"]).content.decode()


def test_pages_of_a_merged_post_lead_to_the_remaining_post(
    chain: Chain, stella: User, cleo: User
) -> None:
    first, _second, third = chain
    for path in ("", "/history", "/comments"):
        answer = reader().get(f"/p/{third.pk}{path}")
        assert answer.status_code == 303
        assert answer["Location"] == first.get_absolute_url()
    for path in ("/edit", "/delete"):
        assert reader(cleo).get(f"/p/{third.pk}{path}")["Location"] == first.get_absolute_url()
    answer = reader(stella).get(f"/p/{third.pk}/moderate")
    assert answer["Location"] == f"/p/{first.pk}/moderate"
    assert reader(stella).get(f"/p/{third.pk}/merge")["Location"] == first.get_absolute_url()


def test_edit_of_a_merged_post_never_overwrites_the_remaining_post(
    ada: User, cleo: User, stella: User
) -> None:
    first, again, third = post(ada, "First"), post(ada, "Again"), post(cleo, "Third")
    form = reader(ada).get(f"/p/{again.pk}/edit").content.decode()
    seen = form.partition('name="seen" value="')[2].partition('"')[0]
    merge(again, first, stella)
    merge(third, first, stella)
    sent = {"title": "Changed", "body": "Mine", "groups": "books", "seen": seen}
    assert reader(ada).post(f"/p/{again.pk}/edit", sent).status_code == 409
    refused = reader(cleo).post(f"/p/{third.pk}/edit", sent)
    assert refused.status_code == 410
    assert "Moderators merged this post into another." in refused.content.decode()
    asked = reader(ada).post(f"/p/{again.pk}/delete")
    assert asked["Location"] == f"/p/{first.pk}/delete"
    assert reader(cleo).post(f"/p/{third.pk}/delete").status_code == 410
    first.refresh_from_db()
    assert (first.title, first.deleted_at) == ("First", None)


def test_moderator_of_a_merged_post_sees_the_remaining_post_before_removing_it(
    chain: Chain, stella: User
) -> None:
    first, _second, third = chain
    sent = {"action": "remove", "reason": "Spam"}
    answer = reader(stella).post(f"/p/{third.pk}/moderate", sent)
    assert answer["Location"] == f"/p/{first.pk}/moderate"
    assert Post.objects.get(pk=first.pk).deleted_at is None


def test_programs_use_the_old_id(chain: Chain, cleo: User, stella: User, send: Send) -> None:
    first, _second, third = chain
    dina, old = person("dina"), f"posts/{third.pk}"
    assert send(dina, f"{old}/vote", {"vote": "up"})["up"] == 4
    send(dina, f"{old}/save", {"on": True})
    send(dina, f"{old}/flag", {"kind": "spam"})
    comment = send(dina, f"{old}/comments", {"text": "Hello."})
    assert comment["post"] == first.pk
    assert Mark.objects.get().post == Flag.objects.get().item.post == first
    send(stella, f"{old}/moderate", {"action": "lock", "reason": "Long"})
    assert Post.objects.get(pk=first.pk).locked
    assert send(stella, f"{old}/edit", {"title": "New", "reason": "Typo"})["id"] == first.pk
    send(cleo, f"{old}/delete", {}, status=403)


def test_post_is_merged_into_an_old_address(chain: Chain, ada: User, stella: User) -> None:
    first, second, third = chain
    another = post(ada)
    sent = {"into": str(third.pk), "reason": "Duplicate"}
    answer = reader(stella).post(f"/p/{another.pk}/merge", sent)
    assert answer["Location"] == first.get_absolute_url()
    run_worker()
    assert Post.objects.get(pk=another.pk).merged_into == first
    refused = reader(stella).post(f"/p/{first.pk}/merge", {"into": str(second.pk)} | sent)
    assert refused.status_code == 422, "merging would go round in circles"


def test_link_of_a_post_that_was_merged_twice_leads_to_the_remaining_post(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, second, third = post(ada, "First"), post(bob, "Second"), link(cleo, "Third")
    merge(third, second, stella)
    merge(second, first, stella)
    sent = {"kind": "link", "url": third.url, "title": "Once more", "groups": "books", "body": ""}
    assert reader(bob).post("/submit", sent)["Location"].startswith(first.get_absolute_url())


def test_circle_of_merges_is_refused(ada: User, stella: User) -> None:
    first, second = post(ada), post(ada)
    merges.merge(first, second, by=stella, reason="Duplicate")
    refused = reader(stella).post(f"/p/{second.pk}/merge", {"into": first.pk, "reason": "Same"})
    assert refused.status_code == 422
    assert ModAction.objects.filter(kind="merge").count() == 1
