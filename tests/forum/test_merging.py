"""Moderators merge duplicate posts and undo merges."""

from collections.abc import Iterator
from itertools import count, permutations

import pytest

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.actions import visibility, watches
from forum.errors import Invalid
from forum.models import (
    Comment,
    InboxItem,
    Post,
    User,
    Watch,
)
from forum.moderation.actions import removals, undo
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment, comment_ids, page, vote
from tests.forum.factories import groups, person, post, posts, reader
from tests.forum.merging import assert_consistent, cast, merge, numbers, tally, undone
from tests.forum.past_posts import archive_all
from tests.forum.worker_runs import run_worker
from voting.types import Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


@pytest.fixture
def ticking() -> Iterator[None]:
    """Make the voting service's clock advance by one second each time it is read."""
    service = get_voting_service()
    before, moments = service.clock, count(service.clock())
    service.clock = lambda: next(moments)
    yield
    service.clock = before


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


def test_posts_whose_comments_have_the_same_keys_in_redis(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, *_, again = posts(ada, len(get_voting_service().maintenance.ledger.shards) + 1)
    moved, gone = add_comment(bob, again), add_comment(bob, again)
    vote(cleo, moved, Vote.UP)
    comment_actions.delete(gone, bob)
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


def test_accepted_answer_stays_accepted(ada: User, bob: User, cleo: User, stella: User) -> None:
    first, again = post(ada, kind="question"), post(cleo, kind="question")
    answer = add_comment(bob, again, "Forty-two.")
    comment_actions.accept(again, answer, by=cleo)
    action = merge(again, first, stella)
    assert Post.objects.get(pk=first.pk).accepted == answer
    undone(action, stella)
    assert Post.objects.get(pk=first.pk).accepted is None
    assert Post.objects.get(pk=again.pk).accepted == answer


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_removed_answers_are_accepted_again_in_any_order(
    ada: User, bob: User, cleo: User, stella: User, order: tuple[int, ...]
) -> None:
    """Two questions are merged, and the accepted answer of each is removed. Then all is undone."""
    first, again = post(ada, kind="question"), post(cleo, kind="question")
    answers = [add_comment(bob, asked) for asked in (first, again)]
    for asked, answer in zip((first, again), answers, strict=True):
        comment_actions.accept(asked, answer, by=asked.author)
    todo = [
        lambda: removals.remove(Comment.objects.get(pk=answers[0].pk), by=stella, reason="Wrong"),
        lambda: removals.remove(Comment.objects.get(pk=answers[1].pk), by=stella, reason="Wrong"),
        lambda: merge(Post.objects.get(pk=again.pk), Post.objects.get(pk=first.pk), stella),
    ]
    for action in [todo[number]() for number in order]:
        undone(action, stella)
    assert Post.objects.get(pk=first.pk).accepted == answers[0]
    assert Post.objects.get(pk=again.pk).accepted == answers[1]


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
    visibility.withhold(Comment.objects.get())
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


def test_merged_post_in_another_group_counts_there_after_the_undo(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, again = post(ada), post(cleo)
    moved = add_comment(bob, again)
    for who in (bob, stella):
        cast(who, again, Vote.UP)
    vote(ada, moved, Vote.UP)
    archive_all()
    action = merge(again, first, stella)
    assert_consistent()
    post_actions.regroup(Post.objects.get(pk=again.pk), groups("maths"))
    assert_consistent()
    undone(action, stella)
    assert tally(again) == (3, 0)
    assert_consistent()
