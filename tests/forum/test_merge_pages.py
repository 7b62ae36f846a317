"""The page for merging posts: its permissions, and where a merged post's old address leads."""

import pytest

from forum.actions import posts as post_actions
from forum.errors import AlreadyDecided, Forbidden, Gone, Invalid
from forum.models import (
    Comment,
    GroupModerator,
    User,
)
from forum.moderation.actions import merges
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader
from tests.forum.merging import merge, tally
from tests.forum.worker_runs import run_worker

pytestmark = pytest.mark.django_db(transaction=True)


def test_old_addresses_lead_to_the_other_post(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, again = post(ada, "The news"), post(cleo, "The same news")
    moved = add_comment(bob, again, "There.")
    old = moved.get_absolute_url()
    merge(again, first, stella)
    shown = reader().get(again.get_absolute_url(), follow=True)
    assert shown.redirect_chain == [(first.get_absolute_url(), 303)]
    assert "“The same news” was merged into this post." in shown.content.decode()
    assert reader().get(old)["Location"] == f"/p/{first.pk}/c/{moved.pk}"
    assert reader().get(f"/p/{first.pk}/c/{moved.pk}").status_code == 200
    written = reader(ada).post(f"/p/{again.pk}/comment", {"body": "Late.", "parent": moved.pk})
    assert written.status_code == 303
    assert Comment.objects.get(body="Late.").post == first


def test_moderator_compares_and_merges_on_the_page(ada: User, cleo: User, stella: User) -> None:
    first, again = post(ada, "The news"), post(cleo, "The same news")
    window, address = reader(stella), f"/p/{again.pk}/merge"
    assert "Merge this post" in window.get(address).content.decode()
    sent = {"into": f"http://testserver{first.get_absolute_url()}", "reason": "Duplicate"}
    compared = window.post(address, sent | {"preview": "1"}).content.decode()
    assert 'dir="auto">The news</a>' in compared
    done = window.post(address, sent, follow=True)
    assert done.redirect_chain == [(first.get_absolute_url(), 303)]
    assert "is being merged into this post" in done.content.decode()
    run_worker()
    assert tally(first) == (2, 0)


def test_page_refuses_strangers_and_unknown_posts(ada: User, bob: User, stella: User) -> None:
    written = post(ada)
    address = f"/p/{written.pk}/merge"
    assert reader(bob).get(address).status_code == 403
    assert reader().get(address).status_code == 302
    assert reader(stella).put(address).status_code == 405
    for into in ("", "999999999", "nonsense", str(written.pk)):
        sent = {"into": into, "reason": "Duplicate"}
        assert reader(stella).post(address, sent).status_code == 422


def test_only_moderators_of_all_groups_of_both_posts_merge(
    ada: User, cleo: User, stella: User
) -> None:
    gus = person("gus")
    GroupModerator.objects.create(group=groups("books")[0], user=gus)
    books, both = post(ada), post(cleo, slugs="books maths")
    for source, into in ((books, both), (both, books)):
        with pytest.raises(Forbidden):
            merges.merge(source, into, by=gus, reason="Duplicate")
    sent = {"into": str(both.pk), "reason": "Duplicate"}
    refused = reader(gus).post(f"/p/{books.pk}/merge", sent)
    assert refused.status_code == 422
    assert "You don&#x27;t moderate all groups of this post." in refused.content.decode()
    merges.merge(post(cleo), books, by=gus, reason="Duplicate")


def test_what_cannot_be_merged(ada: User, stella: User) -> None:
    first, again, question = post(ada), post(ada), post(ada, kind="question")
    for into in (first, question):
        with pytest.raises(Invalid):
            merges.merge(first, into, by=stella, reason="Duplicate")
    action = merge(again, first, stella)
    with pytest.raises(AlreadyDecided) as refused:
        merges.merge(again, question, by=stella, reason="Duplicate")
    assert refused.value.action == action
    post_actions.delete(question)
    with pytest.raises(Gone):
        merges.merge(question, first, by=stella, reason="Duplicate")


def test_moderator_is_told_which_merge_to_undo_first(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, second, third = post(ada), post(bob), post(cleo)
    inner = merge(third, second, stella)
    merge(second, first, stella)
    window = reader(stella)
    answer = window.post(f"/modlog/{inner.pk}/undo", {"next": "/modlog"}, follow=True)
    assert answer.redirect_chain == [("/modlog", 303)]
    assert "Undo that merge first." in answer.content.decode()
    assert reader().get(f"/p/{third.pk}")["Location"] == first.get_absolute_url()


def test_link_of_a_merged_post_leads_to_the_other_post(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    link = {"kind": "link", "url": "https://example.org/same", "body": ""}
    first, again = post(ada), post(cleo, **link)
    merge(again, first, stella)
    sent = {"title": "Once more", "groups": "books"} | link
    assert reader(bob).post("/submit", sent)["Location"].startswith(first.get_absolute_url())
