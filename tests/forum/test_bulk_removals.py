"""Moderators remove everything that a person wrote in a time span, and can undo the removal."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.actions import queue_items, visibility
from forum.errors import AlreadyDecided, Forbidden, Invalid
from forum.models import (
    Comment,
    Flag,
    Group,
    GroupModerator,
    InboxItem,
    Message,
    ModAction,
    OutboxItem,
    Post,
    QueueItem,
    User,
    Withheld,
)
from forum.moderation.actions import bulk, removals, undo
from forum.moderation.actions.bulk import COMMENTS, BulkSync
from forum.moderation.actions.bulk_state import Progress, State, progress
from forum.store import outbox
from tests.forum.comments import add_comment, add_many_comments
from tests.forum.concurrency import run_at_once
from tests.forum.factories import groups, person, post, reader

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
HOUR = timedelta(hours=1)
MOST_QUERIES = 45
"""The maximum number of SQL queries for a batch of comments, including the sync to Redis."""


def remove_all(spammer: User, by: User, group: Group | None = None) -> ModAction:
    """Start a bulk removal of everything that a person wrote in the last hour."""
    now = timezone.now()
    return bulk.remove_everything(
        spammer, group=group, since=now - HOUR, until=now, by=by, reason="Spam"
    )


def do_batch() -> int:
    """Do the next batch of each bulk action, and return the number of batches."""
    batches = OutboxItem.objects.filter(kind=BulkSync.kind)
    batches.update(due_at=timezone.now())
    waiting = batches.count()
    outbox.repeat(in_background=True)
    return waiting


def finish() -> None:
    while do_batch():
        pass


def visible(spammer: User) -> tuple[int, int]:
    """Return how many posts and comments of a person are visible to readers."""
    return (
        Post.objects.visible().filter(author=spammer).count(),
        Comment.objects.visible().filter(author=spammer).count(),
    )


def test_everything_disappears_and_comes_back_exactly_as_before(
    ada: User, bob: User, stella: User
) -> None:
    asked = post(ada, "A question", kind=Post.Kind.QUESTION)
    answer = add_comment(bob, asked, "An answer.")
    comment_actions.accept(asked, answer, by=ada)
    long = post(ada, "Long")
    add_many_comments([bob], long, COMMENTS)
    visibility.recount_thread(long)
    post(bob, "Buy pills")
    others = add_comment(ada, asked, "Mine.", to=answer)
    add_comment(bob, asked, "Again.", to=others)
    before = state()
    action = remove_all(bob, stella)
    finish()
    assert visible(bob) == (0, 0)
    assert visible(ada) == (2, 1)
    assert action.parts.count() == COMMENTS + 3
    thread = Post.objects.get(pk=asked.pk)
    assert (thread.accepted, thread.comment_count, thread.last_comment) == (None, 1, others)
    assert "Buy pills" not in reader().get("/new").content.decode()
    undo.undo(action, by=stella)
    finish()
    assert state() == before
    assert "Buy pills" in reader().get("/new").content.decode()
    assert not action.parts.filter(undone_at=None).exists()


def state() -> object:
    """Return the posts, comments and inbox items in SQL, with all fields that a removal changes."""
    posts = Post.objects.order_by("pk").values_list(
        *("pk", "deleted_at", "withheld", "withheld_by", "comment_count"),
        *("commented_at", "last_comment", "accepted"),
    )
    comments = Comment.objects.order_by("pk").values_list(
        "pk", "deleted_at", "withheld", "withheld_by"
    )
    unread = InboxItem.objects.exclude(kind=InboxItem.Kind.MODERATOR).order_by("pk")
    return list(posts), list(comments), list(unread.values_list("pk", "read_at"))


def test_only_what_was_written_in_the_time_span_is_removed(bob: User, stella: User) -> None:
    early, inside, late = (add_comment(bob, post(bob)) for _ in range(3))
    now = timezone.now().replace(microsecond=0)
    for comment, hours in ((early, 3), (inside, 2), (late, 1)):
        at = now - hours * HOUR
        Comment.objects.filter(pk=comment.pk).update(created_at=at)
        Post.objects.filter(pk=comment.post_id).update(created_at=at)
    bulk.remove_everything(
        bob, group=None, since=now - 2 * HOUR, until=now - 2 * HOUR, by=stella, reason="Spam"
    )
    finish()
    assert list(Comment.objects.deleted()) == [inside]
    assert list(Post.objects.deleted()) == [inside.post]


def test_group_moderator_removes_only_in_their_group(bob: User, gus: User) -> None:
    (books,) = groups("books")
    own = post(bob, "In books")
    shared = post(bob, "In both", slugs="books maths")
    foreign = post(bob, "In maths", slugs="maths")
    for written in (own, shared, foreign):
        add_comment(bob, written)
    action = remove_all(bob, gus, books)
    finish()
    assert list(Post.objects.deleted()) == [own]
    assert [group.slug for group in shared.groups.all()] == ["maths"]
    assert list(Comment.objects.visible()) == list(foreign.comments.all())
    undo.undo(action, by=gus)
    finish()
    assert visible(bob) == (3, 3)
    assert [group.slug for group in shared.groups.all()] == ["books", "maths"]
    with pytest.raises(Forbidden):
        remove_all(bob, gus, None)
    with pytest.raises(Forbidden):
        remove_all(bob, gus, groups("maths")[0])


def test_held_comment_waits_for_approval_again_after_undo(
    ada: User, bob: User, stella: User
) -> None:
    comment = add_comment(bob, post(ada))
    visibility.withhold(comment, Withheld.HELD)
    queue_items.open_item(comment, QueueItem.Kind.HELD)
    action = remove_all(bob, stella)
    finish()
    assert Comment.objects.get(pk=comment.pk).withheld == Withheld.REMOVED
    assert not QueueItem.objects.filter(decided_at=None).exists()
    undo.undo(action, by=stella)
    finish()
    assert Comment.objects.get(pk=comment.pk).withheld == Withheld.HELD
    assert QueueItem.objects.filter(decided_at=None, comment=comment).exists()


def test_flag_on_removed_comment_was_right_until_undo(ada: User, bob: User, stella: User) -> None:
    comment = add_comment(bob, post(ada))
    queue_items.add_flag(comment, by=ada, kind=Flag.Kind.SPAM, weight=1)
    action = remove_all(bob, stella)
    finish()
    assert Flag.objects.get().outcome == Flag.Outcome.AGREED
    undo.undo(action, by=stella)
    finish()
    assert Flag.objects.get().outcome == Flag.Outcome.OPEN


def test_part_that_was_undone_singly_stays_undone(ada: User, bob: User, stella: User) -> None:
    on = post(ada)
    first, second = add_comment(bob, on), add_comment(bob, on)
    action = remove_all(bob, stella)
    finish()
    undo.undo(action.parts.get(comment=first), by=stella)
    assert visible(bob) == (0, 1)
    removed_again = removals.remove(first, by=stella, reason="Spam after all")
    undo.undo(action, by=stella)
    finish()
    assert Comment.objects.get(pk=first.pk).withheld_by == removed_again
    assert list(Comment.objects.visible()) == [second]


def test_stopping_keeps_what_was_removed(ada: User, bob: User, stella: User) -> None:
    add_many_comments([bob], post(ada), 2 * COMMENTS)
    action = remove_all(bob, stella)
    do_batch()
    bulk.stop(action, by=stella)
    finish()
    assert visible(bob) == (0, COMMENTS)
    action.refresh_from_db()
    assert progress(action) == Progress(State.STOPPED, COMMENTS, 2 * COMMENTS)
    with pytest.raises(Invalid):
        bulk.stop(action, by=stella)


def test_undo_while_it_runs_stops_it(ada: User, bob: User, stella: User) -> None:
    add_many_comments([bob], post(ada), 2 * COMMENTS)
    action = remove_all(bob, stella)
    do_batch()
    undo.undo(action, by=stella)
    finish()
    assert visible(bob) == (0, 2 * COMMENTS)
    assert not action.parts.filter(undone_at=None).exists()
    with pytest.raises(AlreadyDecided):
        undo.undo(action, by=stella)


def test_moderator_who_loses_the_group_removes_nothing_more(
    ada: User, bob: User, gus: User
) -> None:
    add_many_comments([bob], post(ada), 2 * COMMENTS)
    remove_all(bob, gus, groups("books")[0])
    do_batch()
    GroupModerator.objects.all().delete()
    finish()
    assert visible(bob) == (0, COMMENTS)


def test_batch_that_is_done_twice_removes_nothing_twice(ada: User, bob: User, stella: User) -> None:
    add_many_comments([bob], post(ada), COMMENTS + 1)
    action = remove_all(bob, stella)
    for _ in range(5):
        bulk.do_batch(action.pk)
    action.refresh_from_db()
    assert action.details["done"] == action.parts.count() == COMMENTS + 1


def test_two_workers_and_an_author_at_once(ada: User, bob: User, stella: User) -> None:
    """Each comment is removed only once, and the thread's comment count stays right."""
    on = post(ada)
    comments = add_many_comments([bob], on, 2 * COMMENTS)
    action = remove_all(bob, stella)
    run_at_once(
        lambda: bulk.do_batch(action.pk),
        lambda: bulk.do_batch(action.pk),
        lambda: comment_actions.delete(Comment.objects.get(pk=comments[-1].pk), by=bob),
        lambda: add_comment(ada, Post.objects.get(pk=on.pk)),
    )
    finish()
    assert action.parts.count() == action.parts.values("comment").distinct().count()
    assert Post.objects.get(pk=on.pk).comment_count == 1
    assert visible(bob) == (0, 0)


def test_two_moderators_undo_at_once(ada: User, bob: User, stella: User) -> None:
    add_many_comments([bob], post(ada), COMMENTS)
    action, stan = remove_all(bob, stella), person("stan", is_staff=True)
    finish()

    def undone(by: User) -> bool:
        try:
            undo.undo(ModAction.objects.get(pk=action.pk), by=by)
        except AlreadyDecided:
            return False
        return True

    assert sorted(run_at_once(lambda: undone(stella), lambda: undone(stan))) == [False, True]
    finish()
    assert visible(bob) == (0, COMMENTS)


def test_person_gets_one_notice_for_everything(ada: User, bob: User, stella: User) -> None:
    add_many_comments([bob], post(ada), 3)
    action = remove_all(bob, stella)
    finish()
    assert list(Message.objects.values_list("action", flat=True)) == [action.pk]


def test_nothing_to_remove_is_refused(bob: User, stella: User) -> None:
    with pytest.raises(Invalid):
        remove_all(bob, stella)


def test_nobody_removes_their_own_texts_in_bulk(stella: User) -> None:
    post(stella)
    with pytest.raises(Forbidden):
        remove_all(stella, stella)


def test_batch_takes_constant_queries_in_one_transaction(
    ada: User, bob: User, stella: User
) -> None:
    for _ in range(3):
        add_many_comments([bob], post(ada), COMMENTS)
    action = remove_all(bob, stella)
    for turn in ("remove", "undo"):
        for batch in range(1, 4):
            with CaptureQueriesContext(connection) as queries:
                bulk.do_batch(action.pk)
            assert len(queries) <= MOST_QUERIES, [one["sql"] for one in queries]
            shown = visible(bob)[1]
            assert shown == (COMMENTS * (3 - batch) if turn == "remove" else COMMENTS * batch)
        if turn == "remove":
            undo.undo(action, by=stella)


def test_moderator_counts_confirms_and_sees_progress(ada: User, bob: User, stella: User) -> None:
    add_many_comments([bob], post(ada), COMMENTS + 1)
    post(bob)
    window, address = reader(stella), "/moderation/people/bob/remove-everything"
    assert "From (UTC)" in window.get(address).content.decode()
    asked = {"place": "", "since": (timezone.now() - HOUR).isoformat(), "reason": "Spam"}
    preview = window.post(address, asked).content.decode()
    assert "1 post, 51 comments" in preview
    assert visible(bob) == (1, COMMENTS + 1), "nothing is removed before it is confirmed"
    confirmed = window.post(address, {**asked, "sure": "1"})
    assert confirmed.status_code == 303
    do_batch()
    page = window.get(confirmed["Location"]).content.decode()
    assert "1 of 52 posts and comments removed, still running" in page
    stopped = window.post(f"{confirmed['Location']}/stop")
    assert stopped.status_code == 303
    assert "stopped" in window.get(confirmed["Location"]).content.decode()
    again = window.post(f"{confirmed['Location']}/stop", follow=True)
    assert again.redirect_chain == [(confirmed["Location"], 303)]
    assert "This action has already ended." in again.content.decode()


def test_strangers_and_wrong_methods_are_refused(ada: User, bob: User, stella: User) -> None:
    post(ada)
    action = remove_all(ada, stella)
    asked = {"since": timezone.now().isoformat(), "reason": "Spam", "sure": "1"}
    assert reader(bob).post("/moderation/people/ada/remove-everything", asked).status_code == 403
    assert reader(stella).post("/moderation/people/stella/remove-everything").status_code == 403
    assert reader(bob).post(f"{action.get_absolute_url()}/stop").status_code == 403
    assert reader(stella).get(f"{action.get_absolute_url()}/stop").status_code == 405
    assert visible(ada) == (1, 0)
