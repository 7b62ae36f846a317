"""Merging duplicate posts, and undoing it."""

from collections.abc import Iterator
from functools import partial
from itertools import count
from time import sleep
from typing import Any

import pytest

from forum.content import comment_service, post_service
from forum.errors import AlreadyDecided, Forbidden, Gone, Invalid
from forum.gateway.service import get_voting_service
from forum.inbox import watches
from forum.models import (
    BoardPoints,
    Comment,
    GroupModerator,
    InboxItem,
    ModAction,
    Post,
    User,
    Watch,
)
from forum.moderation.actions import merges, removals, undo
from forum.moderation.merging import steps
from forum.operations.repair import check, replay
from forum.operations.repair.rebuild import refill
from forum.operations.repair.scope import WHOLE
from forum.sync import outbox
from tests.forum.comments import add_comment, add_many_comments, comment_ids, page, vote
from tests.forum.concurrency import run_at_once
from tests.forum.factories import groups, person, post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.past_posts import archive_all
from tests.forum.worker_runs import deliver_outbox, make_rows_due, run_worker
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stella() -> User:
    """A moderator of the site."""
    return person("stella", is_staff=True)


@pytest.fixture
def cleo() -> User:
    """Cleo, who posts what Ada has posted before."""
    return person("cleo")


@pytest.fixture
def ticking() -> Iterator[None]:
    """The voting service's clock goes on by a second whenever somebody looks at it."""
    service = get_voting_service()
    before, moments = service.clock, count(service.clock())
    service.clock = lambda: next(moments)
    yield
    service.clock = before


def cast(who: User, on: Post, wanted: Vote) -> None:
    get_voting_service().votes.cast(who.pk, Target(on.pk), wanted)


def merge(source: Post, into: Post, by: User) -> ModAction:
    action = merges.merge(source, into, by=by, reason="Duplicate")
    run_worker()
    return action


def undone(action: ModAction, by: User) -> None:
    undo.undo(action, by=by)
    run_worker()


def tally(on: Post) -> tuple[int, int]:
    """Return the votes on a post, after checking that SQL and Redis have the same."""
    archive_all()
    row, _standing = get_voting_service().posts.get(on.pk)
    found = Post.objects.get(pk=on.pk)
    assert (found.up, found.down) == (row.up, row.down)
    return row.up, row.down


def assert_consistent() -> None:
    """Check that Redis, SQL and the ledger agree."""
    archive_all()
    run_worker()
    assert list(check.differences()) == []
    assert list(replay.differences(WHOLE)) == []


def test_comments_move_and_each_person_counts_once(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, again = post(ada, "The news"), post(cleo, "The news again")
    own, moved = add_comment(bob, first, "Here."), add_comment(bob, again, "There.")
    answer = add_comment(ada, again, "I agree.", moved)
    vote(cleo, moved, Vote.UP)
    cast(bob, first, Vote.UP)
    cast(bob, again, Vote.UP)
    merge(again, first, stella)
    assert set(comment_ids(page(first))) == {own.pk, moved.pk, answer.pk}
    assert tally(first) == (3, 0)
    found = Post.objects.get(pk=first.pk)
    assert (found.comment_count, found.last_comment) == (3, answer)
    assert vote(stella, Comment.objects.get(pk=moved.pk), Vote.UP).up == 3
    assert_consistent()


def test_latest_vote_counts(ada: User, bob: User, cleo: User, stella: User, ticking: None) -> None:
    first, again, dina = post(ada), post(cleo), person("dina")
    cast(bob, first, Vote.UP)
    cast(bob, again, Vote.DOWN)
    cast(dina, again, Vote.DOWN)
    cast(dina, first, Vote.UP)
    merge(again, first, stella)
    assert tally(first) == (3, 1)
    assert_consistent()


def test_undo_brings_everything_back(ada: User, bob: User, cleo: User, stella: User) -> None:
    first, again = post(ada, "The news"), post(cleo, "The news again", slugs="maths")
    moved = add_comment(bob, again, "There.")
    vote(ada, moved, Vote.UP)
    for who in (bob, stella):
        cast(who, again, Vote.UP)
    cast(bob, first, Vote.DOWN)
    archive_all()
    before = numbers()
    action = merge(again, first, stella)
    assert numbers() != before
    undone(action, stella)
    assert numbers() == before
    assert (tally(first), tally(again)) == ((1, 1), (3, 0))
    assert comment_ids(page(again)) == [moved.pk]
    assert_consistent()


def numbers() -> dict[str, Any]:
    """Return people's karma and likes, and all leaderboard lines."""
    lines = BoardPoints.objects.exclude(points=0).order_by("day", "group", "kind", "subject_id")
    people = User.objects.order_by("pk")
    return {
        "people": list(people.values_list("username", "karma", "likes_given")),
        "boards": list(lines.values_list("day", "group", "kind", "subject_id", "points")),
    }


def test_posts_whose_comments_have_the_same_keys_in_redis(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, *_, again = posts(ada, len(get_voting_service().maintenance.ledger.shards) + 1)
    moved, gone = add_comment(bob, again), add_comment(bob, again)
    vote(cleo, moved, Vote.UP)
    comment_service.delete(gone, bob)
    action = merge(again, first, stella)
    assert vote(stella, Comment.objects.get(pk=moved.pk), Vote.UP).up == 3
    assert_consistent()
    undone(action, stella)
    assert vote(stella, moved, Vote.DOWN).up == 2
    assert_consistent()


def test_order_of_undoing_two_merges_does_not_matter(
    ada: User, bob: User, cleo: User, stella: User, ticking: None
) -> None:
    first, second, third = post(ada), post(cleo), post(cleo)
    cast(bob, second, Vote.DOWN)
    cast(bob, third, Vote.UP)
    cast(stella, second, Vote.UP)
    archive_all()
    before = numbers()
    one, other = merge(second, first, stella), merge(third, first, stella)
    assert tally(first) == (4, 0)
    undone(one, stella)
    assert tally(first) == (3, 0)
    undone(other, stella)
    assert (tally(first), tally(second), tally(third)) == ((1, 0), (2, 1), (2, 0))
    assert numbers() == before
    assert_consistent()


def test_what_came_after_the_merge_stays_after_its_undo(
    ada: User, bob: User, cleo: User, stella: User, ticking: None
) -> None:
    first, again = post(ada), post(cleo)
    moved = add_comment(bob, again)
    cast(bob, again, Vote.UP)
    action = merge(again, first, stella)
    cast(bob, first, Vote.DOWN)
    cast(cleo, first, Vote.DOWN)
    reply = add_comment(ada, first, "A reply.", Comment.objects.get(pk=moved.pk))
    below = add_comment(bob, first, "Below it.", reply)
    own = add_comment(ada, first, "On its own.")
    undone(action, stella)
    assert (tally(first), tally(again)) == ((1, 2), (2, 0))
    assert set(comment_ids(page(again))) == {moved.pk, reply.pk, below.pk}
    assert comment_ids(page(first)) == [own.pk]
    ada.refresh_from_db()
    assert ada.karma == -2, "both others voted Ada's post down"
    assert_consistent()


def test_authors_count_but_give_no_karma(ada: User, cleo: User, stella: User) -> None:
    first, again = post(ada), post(cleo)
    cast(cleo, first, Vote.UP)
    archive_all()
    before = numbers()
    action = merge(again, first, stella)
    assert tally(first) == (2, 0)
    ada.refresh_from_db()
    assert ada.karma == 0, "Cleo's post is a part of Ada's now"
    undone(action, stella)
    assert numbers() == before


def test_merge_of_a_merged_post_is_undone_last_first(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, second, third = post(ada), post(bob), post(cleo)
    moved = add_comment(bob, third)
    one, other = merge(third, second, stella), merge(second, first, stella)
    assert comment_ids(page(first)) == [moved.pk]
    assert tally(first) == (3, 0)
    followed = reader().get(third.get_absolute_url(), follow=True)
    assert followed.redirect_chain[-1] == (first.get_absolute_url(), 303)
    with pytest.raises(Invalid):
        undo.undo(one, by=stella)
    undone(other, stella)
    undone(one, stella)
    assert [tally(each) for each in (first, second, third)] == [(1, 0)] * 3
    assert comment_ids(page(third)) == [moved.pk]
    assert_consistent()


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


def test_accepted_answer_stays_accepted(ada: User, bob: User, cleo: User, stella: User) -> None:
    first, again = post(ada, kind="question"), post(cleo, kind="question")
    answer = add_comment(bob, again, "Forty-two.")
    comment_service.accept(again, answer, by=cleo)
    action = merge(again, first, stella)
    assert Post.objects.get(pk=first.pk).accepted == answer
    undone(action, stella)
    assert Post.objects.get(pk=first.pk).accepted is None
    assert Post.objects.get(pk=again.pk).accepted == answer


def test_watchers_hear_of_comments_on_the_other_post(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, again, dina = post(ada), post(cleo), person("dina")
    watches.watch(dina, again, on=True)
    before = set(Watch.objects.values_list("user", "post", "on"))
    action = merge(again, first, stella)
    add_comment(bob, first)
    run_worker()
    assert InboxItem.objects.filter(user=dina, kind="watched", post=first).exists()
    comment_service.withhold(Comment.objects.get())
    undone(action, stella)
    Watch.objects.filter(user=bob).delete()
    assert set(Watch.objects.values_list("user", "post", "on")) == before


def test_notifications_of_moved_comments_stay_unread(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, again = post(ada), post(cleo, body="Ask @ada.")
    moved = add_comment(bob, again)
    items = InboxItem.objects.exclude(kind="moderator").order_by("pk")
    before = list(items.values_list("user", "kind", "post", "comment", "read_at"))
    action = merge(again, first, stella)
    assert InboxItem.objects.get(comment=moved, user=cleo, read_at=None).post == first
    assert InboxItem.objects.get(user=ada, kind="mention").read_at
    undone(action, stella)
    assert list(items.values_list("user", "kind", "post", "comment", "read_at")) == before


def test_removed_comment_moves_too(ada: User, bob: User, cleo: User, stella: User) -> None:
    first, again = post(ada), post(cleo)
    moved, gone = add_comment(bob, again), add_comment(bob, again)
    vote(ada, gone, Vote.UP)
    removal = removals.remove(gone, by=stella, reason="Spam")
    action = merge(again, first, stella)
    undone(removal, stella)
    assert set(comment_ids(page(first))) == {moved.pk, gone.pk}
    assert vote(stella, Comment.objects.get(pk=gone.pk), Vote.UP).up == 3
    again_removed = removals.remove(Comment.objects.get(pk=gone.pk), by=stella, reason="Spam")
    undone(action, stella)
    undone(again_removed, stella)
    assert vote(stella, Comment.objects.get(pk=gone.pk), Vote.UP).up == 3
    assert Post.objects.get(pk=again.pk).comment_count == 2
    assert_consistent()


def test_merge_is_undone_while_the_other_post_is_removed(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, again = post(ada), post(cleo)
    moved = add_comment(bob, again)
    cast(bob, again, Vote.UP)
    action = merge(again, first, stella)
    removal = removals.remove(Post.objects.get(pk=first.pk), by=stella, reason="Spam")
    undone(action, stella)
    assert comment_ids(page(again)) == [moved.pk]
    undone(removal, stella)
    assert (tally(first), tally(again)) == ((1, 0), (2, 0))
    assert_consistent()


def test_undo_while_the_merge_is_still_going_on(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, again = post(ada), post(cleo)
    for _ in range(3):
        add_comment(bob, again)
    cast(bob, again, Vote.UP)
    archive_all()
    before = numbers()
    action = merges.merge(again, first, by=stella, reason="Duplicate")
    outbox.repeat(in_background=True)
    undone(action, stella)
    assert (tally(first), tally(again)) == ((1, 0), (2, 0))
    assert Post.objects.get(pk=again.pk).comment_count == 3
    assert numbers() == before
    assert_consistent()


def test_redis_is_filled_again_while_posts_are_merged(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, again = post(ada), post(cleo)
    moved = add_comment(bob, again)
    vote(cleo, moved, Vote.UP)
    cast(bob, again, Vote.UP)
    action = merge(again, first, stella)
    refill()
    assert tally(first) == (3, 0)
    undone(action, stella)
    assert (tally(first), tally(again)) == ((1, 0), (2, 0))
    assert_consistent()


def test_merge_waits_while_redis_is_down(
    ada: User, bob: User, cleo: User, stella: User, settings: Any
) -> None:
    first, again = post(ada), post(cleo)
    moved = add_comment(bob, again)
    with redis_down(settings):
        merge(again, first, stella)
        assert reader().get(again.get_absolute_url()).status_code == 303
    make_rows_due()
    deliver_outbox()
    run_worker()
    assert comment_ids(page(first)) == [moved.pk]
    assert_consistent()


def test_only_moderators_of_all_groups_of_both_posts_merge(
    ada: User, cleo: User, stella: User
) -> None:
    gus = person("gus")
    GroupModerator.objects.create(group=groups("books")[0], user=gus)
    books, both = post(ada), post(cleo, slugs="books maths")
    for source, into in ((books, both), (both, books)):
        with pytest.raises(Forbidden):
            merges.merge(source, into, by=gus, reason="Duplicate")
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
    post_service.delete(question)
    with pytest.raises(Gone):
        merges.merge(question, first, by=stella, reason="Duplicate")


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
    for into in ("", "999", "nonsense", str(written.pk)):
        sent = {"into": into, "reason": "Duplicate"}
        assert reader(stella).post(address, sent).status_code == 422


def test_people_vote_while_posts_are_merged(ada: User, cleo: User, stella: User) -> None:
    """Each person first votes on the duplicate and then, once it is closed, on the other post."""
    first, again = post(ada), post(cleo)
    people = range(5_001, 5_041)
    votes = get_voting_service().votes
    for one in people:
        votes.cast(one, Target(again.pk), Vote.UP)
    sleep(1.01)  # votes have the times of whole seconds
    action = merges.merge(again, first, by=stella, reason="Duplicate")

    def voting(some: range) -> None:
        for one in some:
            votes.cast(one, Target(first.pk), Vote.DOWN)

    run_at_once(
        run_worker, partial(voting, people[:10]), partial(voting, people[10:20]), archive_all
    )
    run_worker()
    assert tally(first) == (22, 20)
    assert_consistent()
    run_at_once(
        lambda: undo.undo(action, by=stella),
        partial(voting, people[20:30]),
        archive_all,
        run_worker,
    )
    run_worker()
    assert (tally(first), tally(again)) == ((1, 30), (41, 0))
    assert_consistent()


def test_many_comments_move_in_batches(
    ada: User, bob: User, cleo: User, stella: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "COMMENTS", 10)
    first, again = post(ada), post(cleo)
    add_many_comments([bob, cleo], again, 35)
    action = merges.merge(again, first, by=stella, reason="Duplicate")
    done = 0
    while outbox.repeat(in_background=True):
        done += 1
    assert done >= 4
    assert Post.objects.get(pk=first.pk).comment_count == 35
    assert_consistent()
    undone(action, stella)
    assert Post.objects.get(pk=first.pk).comment_count == 0
    assert Post.objects.get(pk=again.pk).comment_count == 35
    assert_consistent()
