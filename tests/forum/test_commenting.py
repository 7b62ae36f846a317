"""People write, edit, delete and accept comments, and each post shows its number of comments."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from time import time

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.actions import visibility
from forum.actions.posts import UNMARKED
from forum.errors import Gone
from forum.ledger.archiver import archive_rest
from forum.models import Comment, Post, Revision, User
from forum.queries.people import find_names
from forum.store import post_sync
from forum.store.service import get_voting_service
from forum.text import markup
from tests.forum.comments import add_comment, vote
from tests.forum.concurrency import run_at_once
from tests.forum.factories import post
from tests.forum.past_posts import past_post
from tests.voting.comments import ledger, voters
from voting.errors import UnknownTarget
from voting.types import Order, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


def counts(of: Post) -> tuple[int, int]:
    """Return a post's comment count from SQL, and the count from Redis, which listings show."""
    (row,) = get_voting_service().posts.rows([of.pk])
    return Post.objects.get(pk=of.pk).comment_count, row.comments


def test_new_comment_is_shown_at_once_with_its_authors_vote(
    redis: Redis, bob: User, written: Post
) -> None:
    comment = add_comment(bob, written, "I *like* it.")
    assert comment.body_html == "<p>I <em>like</em> it.</p>\n"
    assert voters(redis, comment.pk, written.pk) == ({bob.pk}, set())
    assert ledger(redis, comment.pk, written.pk) == [(bob.pk, 1, 1, 0)]
    assert counts(written) == (1, 1)
    assert written.comment_count == 1, "the object in memory is updated, too"


def test_only_names_of_existing_people_are_linked(ada: User, bob: User, written: Post) -> None:
    text = "To @Ada, not to @media."
    link = '<a href="/u/ada/" dir="ltr" rel="ugc nofollow noopener">@Ada</a>'
    linked = f"<p>To {link}, not to @media.</p>\n"
    comment = add_comment(bob, written, text)
    assert comment.body_html == linked
    comment_actions.change(comment, "Neither @media nor @decorator.")
    assert comment.body_html == "<p>Neither @media nor @decorator.</p>\n"
    assert post(ada, body=text).body_html == linked
    post_actions.change(written, title="A title", body=text)
    assert written.body_html == linked


def test_finding_mentions_takes_one_query_or_none(
    ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for text, queries in (("@ada @bob @media", 1), ("`@ada` a@ada.org", 0)):
        with django_assert_num_queries(queries):
            markup.render(text, find_names)


def test_new_comment_moves_its_post_to_the_top_of_active(ada: User, bob: User) -> None:
    old, new = past_post(ada, days=2), past_post(ada, days=1)
    post_sync.deliver([old.pk, new.pk])
    comment = add_comment(bob, old)
    assert Post.objects.get(pk=old.pk).commented_at == comment.created_at
    assert [row.id for row in get_voting_service().listings.page(Order.ACTIVE, 1).rows] == [
        old.pk,
        new.pk,
    ]


def test_reply_to_a_deleted_comment_or_post_is_refused(ada: User, bob: User, written: Post) -> None:
    comment, elsewhere = add_comment(bob, written), add_comment(bob, post(ada))
    with pytest.raises(Gone):
        add_comment(ada, written, to=elsewhere)
    comment_actions.delete(comment, by=bob)
    with pytest.raises(Gone):
        add_comment(ada, written, to=comment)
    post_actions.delete(written)
    with pytest.raises(Gone):
        add_comment(ada, written)
    assert Comment.objects.count() == 2


def test_edit_of_a_deleted_comment_or_post_is_refused(bob: User, written: Post) -> None:
    comment, below = add_comment(bob, written), add_comment(bob, written)
    comment_actions.delete(comment, by=bob)
    post_actions.delete(written)
    for one in (comment, below):
        with pytest.raises(Gone):
            comment_actions.change(one, "Other words.")
    assert not Comment.objects.filter(body="Other words.").exists()


def test_a_later_edit_is_marked_with_its_time(bob: User, written: Post) -> None:
    comment = add_comment(bob, written, "One.")
    Comment.objects.update(created_at=timezone.now() - UNMARKED)
    comment_actions.change(comment, "Two.")
    assert comment.edited_at is not None
    comment_actions.change(comment, "Three.")
    assert [kept.body for kept in Revision.objects.order_by("pk")] == ["One.", "Two."]


def test_saving_the_same_text_changes_nothing(bob: User, written: Post) -> None:
    comment = add_comment(bob, written, "As it was.")
    comment_actions.change(comment, "As it was.")
    assert comment.version == Comment.objects.get(pk=comment.pk).version == 1
    assert not Revision.objects.exists()


def test_a_deleted_comment_keeps_its_replies_and_its_votes(
    redis: Redis, ada: User, bob: User, written: Post
) -> None:
    comment = add_comment(bob, written)
    reply = add_comment(ada, written, to=comment)
    comment_actions.delete(comment, by=bob)
    assert Comment.objects.get(pk=reply.pk).parent == comment
    assert counts(written) == (1, 1)
    assert voters(redis, comment.pk, written.pk) == ({bob.pk}, set())
    with pytest.raises(UnknownTarget):
        vote(ada, comment, Vote.UP)
    with pytest.raises(Gone):
        comment_actions.change(comment, "Not here any more.")


def test_deleting_twice_counts_once(bob: User, written: Post) -> None:
    comment = add_comment(bob, written)
    stale = Comment.objects.get(pk=comment.pk)
    comment_actions.delete(comment, by=bob)
    comment_actions.delete(stale, by=bob)
    assert counts(written) == (0, 0)
    assert stale.deleted_at == comment.deleted_at


def test_last_comment_is_the_last_that_is_not_deleted(bob: User, written: Post) -> None:
    first, second = add_comment(bob, written), add_comment(bob, written)
    earlier = first.created_at - timedelta(hours=1)
    Comment.objects.filter(pk=first.pk).update(created_at=earlier)
    comment_actions.delete(second, by=bob)
    now = Post.objects.get(pk=written.pk)
    assert written.commented_at == now.commented_at == earlier
    assert written.last_comment == now.last_comment == first
    comment_actions.delete(first, by=bob)
    assert Post.objects.get(pk=written.pk).commented_at is None
    assert Post.objects.get(pk=written.pk).last_comment is None
    visibility.release(second)
    assert Post.objects.get(pk=written.pk).last_comment == second


def test_the_asker_accepts_another_answer_or_none(ada: User, bob: User, question: Post) -> None:
    first, second = add_comment(bob, question), add_comment(ada, question)
    for chosen in (first, second, None):
        comment_actions.accept(question, chosen, by=question.author)
        assert Post.objects.get(pk=question.pk).accepted == question.accepted == chosen


def test_deleted_answer_cannot_be_accepted(
    ada: User, bob: User, question: Post, written: Post
) -> None:
    answer, elsewhere = add_comment(bob, question), add_comment(bob, written)
    below, deleted = add_comment(ada, question, to=answer), add_comment(bob, question)
    comment_actions.delete(deleted, by=bob)
    for refused in (below, deleted, elsewhere):
        with pytest.raises(Gone):
            comment_actions.accept(question, refused, by=question.author)
    with pytest.raises(Gone):
        comment_actions.accept(written, elsewhere, by=written.author)
    comment_actions.accept(question, answer, by=question.author)
    comment_actions.delete(answer, by=bob)
    assert Post.objects.get(pk=question.pk).accepted is None, "the accepted answer was deleted"


def test_replies_at_once_are_counted_exactly(ada: User, bob: User, written: Post) -> None:
    first = add_comment(bob, written)
    run_at_once(
        *(lambda: add_comment(ada, Post.objects.get(pk=written.pk), to=first) for _ in range(4)),
        *(lambda: add_comment(bob, Post.objects.get(pk=written.pk)) for _ in range(4)),
    )
    assert counts(written) == (9, 9)
    ids = list(Comment.objects.order_by("pk").values_list("pk", flat=True))
    assert set(get_voting_service().comments.tallies(written.pk, ids)) == set(ids)


def test_a_reply_and_a_deletion_at_once_leave_an_exact_count(
    ada: User, bob: User, written: Post
) -> None:
    doomed = [add_comment(bob, written) for _ in range(3)]

    def delete(comment_id: int) -> None:
        comment_actions.delete(Comment.objects.get(pk=comment_id), by=bob)

    run_at_once(
        *(partial(delete, one.pk) for one in doomed + doomed),
        *(lambda: add_comment(ada, Post.objects.get(pk=written.pk)) for _ in range(2)),
    )
    assert counts(written) == (2, 2)
    assert Post.objects.get(pk=written.pk).commented_at is not None


def test_a_vote_and_a_deletion_at_once_end_in_a_deleted_comment(
    redis: Redis, ada: User, bob: User, written: Post
) -> None:
    comment = add_comment(bob, written)
    counted: list[bool] = []

    def votes() -> None:
        try:
            counted.append(vote(ada, comment, Vote.DOWN).changed)
        except UnknownTarget:
            counted.append(False)

    run_at_once(votes, lambda: comment_actions.delete(Comment.objects.get(pk=comment.pk), by=bob))
    with pytest.raises(UnknownTarget):
        vote(ada, comment, Vote.UP)
    downs = {ada.pk} if counted[0] else set()
    assert voters(redis, comment.pk, written.pk) == ({bob.pk}, downs)


def test_an_answer_accepted_and_deleted_at_once_is_not_accepted(ada: User, question: Post) -> None:
    answer = add_comment(ada, question)

    def accept() -> None:
        with suppress(Gone):
            comment_actions.accept(Post.objects.get(pk=question.pk), answer, by=question.author)

    run_at_once(accept, lambda: comment_actions.delete(Comment.objects.get(pk=answer.pk), by=ada))
    assert Post.objects.get().accepted is None


def test_concurrent_changes_of_a_thread_never_deadlock(
    ada: User, bob: User, question: Post
) -> None:
    answer = add_comment(bob, question, "A first try.")
    Comment.objects.update(created_at=timezone.now() - UNMARKED)

    def repeated(action: Callable[[], object]) -> Callable[[], object]:
        return lambda: [action() for _ in range(8)]

    def edits() -> None:
        comment_actions.change(Comment.objects.get(pk=answer.pk), f"Said at {time()}.")

    def accepts() -> None:
        comment_actions.accept(
            Post.objects.get(pk=question.pk),
            Comment.objects.get(pk=answer.pk),
            by=question.author,
        )

    def votes() -> None:
        vote(ada, answer, Vote.UP)
        vote(ada, answer, Vote.NONE)
        archive_rest(get_voting_service().maintenance.generations.current())

    def deletes() -> None:
        comment_actions.delete(
            add_comment(ada, Post.objects.get(pk=question.pk), to=answer), by=ada
        )

    run_at_once(repeated(edits), repeated(accepts), repeated(votes), repeated(deletes))
    assert counts(question) == (1, 1)
    assert Revision.objects.filter(comment=answer).count() == 8
