"""The worker notifies the watchers of a thread exactly once, even after crashes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.actions import notifications, watches
from forum.actions import posts as post_actions
from forum.actions.rules import enabled
from forum.models import Block, InboxItem, OutboxItem, Post, User, Watch
from forum.store import outbox
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.factories import person, post, reader
from tests.forum.test_worker import Working
from tests.forum.worker_runs import make_rows_due, run_worker
from tests.waiting import until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
Kind = InboxItem.Kind


@pytest.fixture
def written(ada: User) -> Post:
    """A post by Ada, which Bob watches."""
    made = post(ada)
    watches.watch(person("bob"), made, on=True)
    return made


@pytest.fixture
def bob(written: Post) -> User:
    return User.objects.get(username="bob")


def crowd(watched: Post, many: int) -> list[User]:
    """Create `many` people who watch a thread."""
    people = User.objects.bulk_create(User(username=f"reader{number}") for number in range(many))
    Watch.objects.bulk_create(Watch(post=watched, user=one) for one in people)
    return people


def notices(user: User) -> list[str]:
    """Return the notifications in a person's inbox, oldest first."""
    return list(InboxItem.objects.filter(user=user).order_by("pk").values_list("kind", flat=True))


def unread_number(user: User) -> int:
    return get_voting_service().inbox.unread(user.pk).total


@contextmanager
def sql_failing_after(many: int) -> Iterator[None]:
    """Make SQL refuse to store more than `many` inbox items until the `with` block ends."""

    def refuse(execute: Any, sql: str, *rest: Any) -> Any:
        notifies = sql.startswith("INSERT") and "forum_inboxitem" in sql
        if notifies and InboxItem.objects.count() >= many:
            raise OperationalError("the server closed the connection")
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse):
        yield


def test_a_comment_costs_the_same_for_one_watcher_and_fifty(ada: User, written: Post) -> None:
    costs = []
    reader(ada).get("/")  # fill the caches
    enabled.get()
    for watching_too in (0, 50):
        crowd(written, watching_too)
        window = reader(ada)
        with CaptureQueriesContext(connection) as queries:
            window.post(f"/p/{written.pk}/comment", {"body": f"To Bob and {watching_too}."})
        costs.append(len(queries))
        assert InboxItem.objects.count() == 0, "the request itself notifies nobody"
        run_worker()
        assert InboxItem.objects.count() == 1 + watching_too
        InboxItem.objects.all().delete()
    assert costs[0] == costs[1]


def test_the_worker_notifies_every_watcher_once(ada: User, written: Post) -> None:
    people = crowd(written, 2 * notifications.AT_ONCE + 1)
    add_comment(ada, written)
    for _round in range(2):
        run_worker()
    first, last = people[0], people[-1]
    assert (notices(first), notices(last)) == (["watched"], ["watched"])
    assert (unread_number(first), unread_number(last)) == (1, 1)
    assert InboxItem.objects.count() == len(people) + 1, "all watchers, with Bob"


def test_a_running_worker_notifies_watchers(ada: User, bob: User, written: Post) -> None:
    working = Working()
    working.thread.start()
    try:
        add_comment(ada, written)
        until(lambda: unread_number(bob) == 1, "Bob is notified")
    finally:
        working.stop()


def test_watchers_who_are_replied_to_or_mentioned_are_notified_once(
    ada: User, bob: User, written: Post
) -> None:
    cleo = person("cleo")
    watches.watch(cleo, written, on=True)
    first = add_comment(bob, written)
    run_worker()
    InboxItem.objects.all().delete()
    add_comment(ada, written, "As @cleo says.", to=first)
    run_worker()
    assert (notices(bob), notices(cleo)) == (["reply"], ["mention"])


def test_watchers_who_muted_mentions_are_notified_as_watchers(
    ada: User, bob: User, written: Post
) -> None:
    bob.muted = [Kind.MENTION]
    bob.save()
    add_comment(ada, written, "As @bob says.")
    run_worker()
    assert notices(bob) == ["watched"]


def test_without_other_watchers_the_worker_has_nothing_to_do(ada: User) -> None:
    own = post(ada)
    run_worker()
    add_comment(person("cleo"), own)
    assert list(OutboxItem.objects.values_list("kind", flat=True)) == ["author"]


def test_people_who_watch_later_are_not_notified_of_earlier_comments(
    ada: User, bob: User, written: Post
) -> None:
    cleo, (dina,) = person("cleo"), crowd(written, 1)
    add_comment(bob, written)
    add_comment(cleo, written)
    run_worker()
    assert (notices(bob), notices(cleo), notices(dina)) == (["watched"], [], ["watched"] * 2)


def test_watchers_who_block_mute_or_stop_in_time_are_not_notified(
    ada: User, bob: User, written: Post
) -> None:
    blocking, muting, disabled, leaving = crowd(written, 4)
    add_comment(ada, written)
    Block.objects.create(user=blocking, blocked=ada, at=timezone.now())
    User.objects.filter(pk=muting.pk).update(muted=[Kind.WATCHED])
    User.objects.filter(pk=disabled.pk).update(is_active=False)
    watches.watch(leaving, written, on=False)
    run_worker()
    assert list(InboxItem.objects.values_list("user", flat=True)) == [bob.pk]


def test_nobody_is_notified_of_a_deleted_comment_or_post(
    ada: User, bob: User, written: Post
) -> None:
    comment_actions.delete(add_comment(ada, written), by=ada)
    run_worker()
    add_comment(ada, written)
    post_actions.delete(written)
    run_worker()
    assert notices(bob) == []


@pytest.mark.parametrize(("rounds_before", "kind"), [(0, "mention"), (1, "watched")])
def test_an_edit_that_mentions_a_watcher_notifies_once(
    ada: User, bob: User, written: Post, rounds_before: int, kind: str
) -> None:
    comment = add_comment(ada, written)
    for _round in range(rounds_before):
        run_worker()
    comment_actions.change(comment, "As @bob says.")
    run_worker()
    assert notices(bob) == [kind]


def test_remaining_watchers_are_notified_after_an_sql_failure(ada: User, written: Post) -> None:
    people = crowd(written, notifications.AT_ONCE + 1)
    add_comment(ada, written)
    first = notifications.AT_ONCE - 1  # Ada, the author of both, is in the batch
    with sql_failing_after(first):
        run_worker()
    assert InboxItem.objects.count() == first
    run_worker()
    assert InboxItem.objects.count() == len(people) + 1
    assert unread_number(people[-1]) == 1


def test_another_worker_continues_the_job_of_a_dead_one(
    ada: User, bob: User, written: Post
) -> None:
    run_worker()
    add_comment(ada, written)
    OutboxItem.objects.update(due_at=timezone.now() + outbox.LEASE)
    run_worker()
    assert notices(bob) == [], "the other worker may still be alive"
    make_rows_due()
    run_worker()
    assert notices(bob) == ["watched"]


def test_watchers_who_are_notified_twice_have_one_notice(
    ada: User, bob: User, written: Post
) -> None:
    comment = add_comment(ada, written)
    for _time in range(2):
        run_worker()
        outbox.write(notifications.WatchersSync(comment.pk, Watch.objects.latest("pk").pk))
    run_worker()
    assert (notices(bob), unread_number(bob)) == (["watched"], 1)
