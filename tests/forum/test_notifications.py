"""Notifications reach the right people exactly once, and nobody else."""

from functools import partial
from types import MappingProxyType
from typing import Any

import pytest
from django.utils import timezone
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import following, notifications, unread, watches
from forum.actions import posts as post_actions
from forum.models import Block, InboxItem, Post, User
from forum.moderation.actions import removals
from forum.moderation.actions.undo import undo
from forum.moderation.conversations.services import write_to_person
from forum.operations.repair import rebuild
from forum.store.service import get_voting_service
from forum.text import markup
from tests.forum.comments import add_comment
from tests.forum.concurrency import run_at_once
from tests.forum.factories import groups, person, post, reader
from tests.forum.outages import redis_down
from tests.forum.worker_runs import deliver_outbox, run_worker
from voting.errors import StoreUnavailable
from voting.keys import people
from voting.types.inbox import UnreadCounts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
Kind = InboxItem.Kind


@pytest.fixture
def bob() -> User:
    return person("Bob")


def notices(user: User) -> list[tuple[str, str]]:
    """Return a pair for each notification of a person: its kind and who caused it. Oldest first."""
    items = InboxItem.objects.filter(user=user).order_by("pk").select_related("actor")
    return [(item.kind, item.actor.username) for item in items]


def unread_number(user: User) -> int:
    """Return the unread count that the header of a person's pages shows."""
    return get_voting_service().inbox.unread(user.pk).total


def test_notifications_of_a_deleted_comment_are_read(ada: User, bob: User, written: Post) -> None:
    comment = add_comment(bob, written)
    assert unread_number(ada) == 1
    comment_actions.delete(comment, by=bob)
    deliver_outbox()
    assert notices(ada) == [("reply", "Bob")], "the item stays, marked as deleted"
    assert unread_number(ada) == 0


def test_notifications_of_a_deleted_post_and_its_comments_are_read(
    ada: User, bob: User, written: Post
) -> None:
    add_comment(bob, written)
    about = post(bob, "Look", body="@ada")
    assert unread_number(ada) == 2
    post_actions.delete(about)
    deliver_outbox()
    assert unread_number(ada) == 1, "the item of another thread is still unread"
    post_actions.delete(written)
    deliver_outbox()
    assert unread_number(ada) == 0
    assert notices(ada) == [("reply", "Bob"), ("mention", "Bob")], (
        "the item stays, marked as deleted"
    )


def test_restoring_a_post_leaves_notifications_of_a_comment_removed_meanwhile_read(
    ada: User, bob: User, stella: User, written: Post
) -> None:
    comment = add_comment(bob, written)
    removal = removals.remove(written, by=stella, reason="Spam")
    removal_of_comment = removals.remove(comment, by=stella, reason="Spam")
    undo(removal, by=stella)
    assert not InboxItem.objects.filter(comment=comment, read_at=None).exists()
    undo(removal_of_comment, by=stella)
    assert InboxItem.objects.filter(comment=comment, read_at=None).exists()


def test_comment_restored_on_a_removed_post_is_unread_once_the_post_is_back(
    ada: User, bob: User, stella: User, written: Post
) -> None:
    comment = add_comment(bob, written)
    removal_of_comment = removals.remove(comment, by=stella, reason="Spam")
    removal = removals.remove(written, by=stella, reason="Spam")
    undo(removal_of_comment, by=stella)
    assert not InboxItem.objects.filter(comment=comment, read_at=None).exists()
    undo(removal, by=stella)
    assert InboxItem.objects.filter(comment=comment, read_at=None).exists()


def test_an_unread_notification_of_an_accepted_answer_is_removed_with_the_acceptance(
    ada: User, bob: User
) -> None:
    question = post(ada, "Why?", kind="question")
    first, second = (
        add_comment(bob, question),
        add_comment(person("cleo"), question, "Other words."),
    )
    comment_actions.accept(question, first, by=question.author)
    assert (notices(bob), unread_number(bob)) == ([("accepted", "ada")], 1)
    comment_actions.accept(question, second, by=question.author)
    assert (notices(bob), unread_number(bob)) == ([], 0), "another answer is the accepted one"
    comment_actions.accept(question, None, by=question.author)
    assert notices(second.author) == [], "no answer is accepted"
    comment_actions.accept(question, first, by=question.author)
    assert (notices(bob), unread_number(bob)) == ([("accepted", "ada")], 1), (
        "the answer was accepted again"
    )
    unread.mark_all(bob.pk)
    comment_actions.accept(question, None, by=question.author)
    assert notices(bob) == [("accepted", "ada")], "read items are kept"


def test_reply_notifies_the_author_of_its_parent(ada: User, bob: User, written: Post) -> None:
    first = add_comment(bob, written)
    add_comment(ada, written, to=first)
    assert notices(ada) == [("reply", "Bob")]
    assert notices(bob) == [("reply", "ada")]
    assert (unread_number(ada), unread_number(bob)) == (1, 1)


def test_nobody_is_notified_of_their_own_actions(ada: User, written: Post) -> None:
    mine = add_comment(ada, written, "I am @ada.")
    add_comment(ada, written, to=mine)
    assert notices(ada) == []


def test_a_mention_notifies_a_person_in_any_case_of_letters(
    ada: User, bob: User, written: Post
) -> None:
    add_comment(ada, written, "What do you say, @bOB? And @nobody?")
    assert notices(bob) == [("mention", "ada")]


def test_a_comment_notifies_a_person_once_for_the_first_reason(
    ada: User, bob: User, written: Post
) -> None:
    first = add_comment(bob, written)
    add_comment(ada, written, "Well, @Bob.", to=first)
    run_worker()
    assert notices(bob) == [("reply", "ada")], "one notification only"


def test_writers_watch_a_thread_until_they_stop(ada: User, bob: User, written: Post) -> None:
    cleo = person("cleo")
    add_comment(bob, written)
    add_comment(cleo, written)
    run_worker()
    assert notices(bob) == [("watched", "cleo")]
    watches.watch(bob, written, on=False)
    add_comment(cleo, written, "More.")
    add_comment(bob, written, "I write again and still don't watch.")
    add_comment(cleo, written, "Still more.")
    run_worker()
    assert notices(bob) == [("watched", "cleo")]


def test_the_author_of_a_post_is_notified_of_replies_to_others(
    ada: User, bob: User, written: Post
) -> None:
    first = add_comment(bob, written)
    add_comment(person("cleo"), written, to=first)
    run_worker()
    assert notices(ada) == [("reply", "Bob"), ("watched", "cleo")]


def test_blocked_people_notify_nobody_who_blocked_them(ada: User, bob: User, written: Post) -> None:
    Block.objects.create(user=ada, blocked=bob, at=timezone.now())
    add_comment(bob, written, "Hello @ada.")
    following.set_follow(bob, ada, on=True)
    assert notices(ada) == []
    bob.is_staff = True
    bob.save()
    write_to_person(ada, None, by=bob, body="A word.")
    assert notices(ada) == [("moderator", "Bob")], "moderators can't be blocked"


def test_muted_kinds_are_skipped_for_the_next_reason(ada: User, bob: User, written: Post) -> None:
    ada.muted = [Kind.REPLY, Kind.FOLLOWER]
    ada.save()
    add_comment(bob, written, "Hello @ada.")
    following.set_follow(bob, ada, on=True)
    assert notices(ada) == [("mention", "Bob")]


def test_a_follower_notifies_once_however_often_they_follow(ada: User, bob: User) -> None:
    for on in (True, True, False, True):
        following.set_follow(bob, ada, on=on)
    assert notices(ada) == [("follower", "Bob")]


def test_an_unread_notification_of_a_follower_is_removed_when_they_unfollow(
    ada: User, bob: User
) -> None:
    following.set_follow(bob, ada, on=True)
    following.set_follow(person("cleo"), ada, on=True)
    following.set_follow(bob, ada, on=False)
    assert (notices(ada), unread_number(ada)) == ([("follower", "cleo")], 1)
    following.set_follow(bob, ada, on=True)
    unread.mark_all(ada.pk)
    following.block(bob, ada, on=True)
    assert len(notices(ada)) == 2, "read items are kept"


def test_accepting_an_own_answer_notifies_nobody(ada: User) -> None:
    question = post(ada, kind="question")
    comment_actions.accept(question, add_comment(ada, question), by=question.author)
    assert notices(ada) == []


def test_disabled_accounts_are_not_notified(bob: User, ada: User, written: Post) -> None:
    ada.is_active = False
    ada.save()
    question = post(bob, kind="question")
    add_comment(bob, written, "Hello @ada.")
    following.set_follow(bob, ada, on=True)
    comment_actions.accept(question, add_comment(ada, question), by=question.author)
    assert notices(ada) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@ada and @Bob, @ada again", ["ada", "bob"]),
        ("(@ada) **@bob** > @cleo.", ["ada", "bob", "cleo"]),
        ("> @ada said so\n\n@bob", ["bob"]),
        ("`@ada` and\n\n    @bob\n\n```\n@cleo\n```\n@dina", ["dina"]),
        ("mail ada@bob.example or https://example.org/@cleo", []),
        ("[@ada](https://example.org/@bob)", []),
        ("@a @" + "x" * 31 + " @-ada @ada-", ["ada-"]),
        (" ".join(f"@name{number}" for number in range(20)), [f"name{n}" for n in range(10)]),
        ("nobody", []),
    ],
)
def test_mentions_are_names_outside_code_and_addresses_ten_at_most(
    text: str, names: list[str]
) -> None:
    everybody = markup.read(text, lambda names: {name: name for name in names})
    assert list(everybody.notified) == names


def test_many_comments_at_once_are_all_counted(ada: User, bob: User, written: Post) -> None:
    run_at_once(*(partial(add_comment, bob, written, f"Number {n}.") for n in range(12)))
    assert len(notices(ada)) == unread_number(ada) == 12


def test_reading_lowers_the_count_and_reading_again_changes_nothing(
    ada: User, bob: User, written: Post
) -> None:
    for number in range(3):
        add_comment(bob, written, f"Number {number} for @ada.")
    following.set_follow(bob, ada, on=True)
    item = InboxItem.objects.filter(user=ada, kind=Kind.REPLY).first()
    assert item
    for _time in range(2):
        unread.mark_item(ada.pk, item.pk)
        assert unread_number(ada) == 3
    unread.mark_kind(ada.pk, Kind.REPLY)
    assert get_voting_service().inbox.unread(ada.pk).by_type == {"follower": 1}
    unread.mark_all(ada.pk)
    assert unread_number(ada) == 0


def test_the_worker_syncs_counts_after_an_outage(settings: Any, ada: User, bob: User) -> None:
    with redis_down(settings):
        notifications.followed(bob, ada)
        with pytest.raises(StoreUnavailable):
            deliver_outbox()
    assert unread_number(ada) == 0
    deliver_outbox()
    assert unread_number(ada) == 1


def test_worker_syncs_items_read_during_an_outage(settings: Any, ada: User, bob: User) -> None:
    notifications.followed(bob, ada)
    with redis_down(settings):
        unread.mark_all(ada.pk)
    assert unread_number(ada) == 1
    deliver_outbox()
    assert unread_number(ada) == 0


def test_an_emptied_redis_knows_the_counts_again_after_a_rebuild(
    redis: Redis, ada: User, bob: User, written: Post
) -> None:
    add_comment(bob, written)
    following.set_follow(bob, ada, on=True)
    redis.flushall()
    rebuild.ensure_filled()
    assert get_voting_service().inbox.unread(ada.pk).by_type == {"reply": 1, "follower": 1}
    assert unread_number(bob) == 0


def test_a_live_rebuild_corrects_unread_counts_that_are_too_high(
    redis: Redis, ada: User, bob: User, written: Post
) -> None:
    add_comment(bob, written)
    get_voting_service().inbox.put(
        [UnreadCounts(bob.pk, MappingProxyType({"mention": 3}), counted_at=1)]
    )
    cleo = person("cleo")
    rebuild.rebuild()
    assert (unread_number(ada), unread_number(bob), unread_number(cleo)) == (1, 0, 0)
    assert not redis.exists(people.unread(cleo.pk)), "no key for zero unread items"


def test_a_mention_in_a_post_notifies_with_a_link(ada: User, bob: User) -> None:
    about = post_actions.publish(
        author=ada,
        kind="text",
        title="A question",
        body="Ask @bob, not @ada.",
        groups=groups("books"),
    )
    assert (notices(bob), notices(ada)) == ([("mention", "ada")], [])
    item = InboxItem.objects.get(user=bob)
    answer = reader(bob).get(f"/inbox/{item.pk}")
    assert answer["Location"].endswith(about.get_absolute_url())
    assert "A question" in reader(bob).get("/inbox").content.decode()


def test_an_edit_notifies_only_newly_mentioned_people(ada: User, bob: User, written: Post) -> None:
    cleo = person("cleo")
    first = add_comment(ada, written, "Hello @bob.")
    for body in ("Hello @bob and @cleo.", "Hello.", "Hello @bob and @cleo again."):
        comment_actions.change(first, body)
        post_actions.change(written, title="Another title", body=body)
    assert notices(bob) == [("mention", "ada")] * 2, "for the comment and for the post"
    assert notices(cleo) == [("mention", "ada")] * 2


def test_an_edit_does_not_notify_again_after_a_reply(ada: User, bob: User, written: Post) -> None:
    answer = add_comment(bob, written, "Hm.")
    comment_actions.change(answer, "Hm, @ada.")
    assert notices(ada) == [("reply", "Bob")]


def test_an_edit_respects_blocks_and_muted_mentions(ada: User, bob: User, written: Post) -> None:
    cleo = person("cleo", muted=[Kind.MENTION])
    Block.objects.create(user=bob, blocked=ada, at=timezone.now())
    post_actions.change(written, title="Another title", body="Hello @bob and @cleo.")
    assert (notices(bob), notices(cleo)) == ([], [])
