"""Moderators restore everything that certain accounts' flags hid, and can undo that."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from forum.actions import rules
from forum.actions.policy import policy
from forum.api import tokens
from forum.errors import AlreadyDecided, Forbidden, Invalid
from forum.models import (
    Comment,
    Flag,
    GroupModerator,
    InboxItem,
    Message,
    ModAction,
    OutboxItem,
    Post,
    QueueItem,
    Rule,
    User,
    Withheld,
)
from forum.moderation.actions import bulk, decisions, removals, undo
from forum.moderation.actions.bulk import BulkSync
from forum.moderation.actions.bulk_state import Progress, State, progress
from forum.moderation.actions.restorations import BATCH
from forum.moderation.flags.services import flag
from forum.store import outbox
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader, veteran

pytestmark = pytest.mark.django_db(transaction=True)
Kind = ModAction.Kind


@pytest.fixture(autouse=True)
def _usual_policy() -> Iterator[None]:
    policy.forget()
    rules.enabled.forget()
    yield
    policy.forget()
    rules.enabled.forget()


@pytest.fixture
def gang() -> list[User]:
    """Six members whose flags together hide what new authors write."""
    return [veteran(f"gang{number}") for number in range(6)]


def trusted(name: str) -> User:
    """Return a member with whose earlier flags moderators agreed. Four such flags hide a post."""
    made = veteran(name)
    for _number in range(4):
        item = QueueItem.objects.create(kind="flagged", decided_at=timezone.now())
        agreed = Flag.Outcome.AGREED
        Flag.objects.create(item=item, user=made, kind="spam", weight=1, outcome=agreed)
    return made


def attack(target: Post | Comment, people: list[User]) -> None:
    for one in people:
        flag(target, by=one, kind=Flag.Kind.SPAM)


def finish() -> None:
    """Let the worker do all batches that are left."""
    batches = OutboxItem.objects.filter(kind=BulkSync.kind)
    while batches.update(due_at=timezone.now()):
        outbox.repeat(in_background=True)


def hidden() -> list[str]:
    """Return the titles and texts of what is hidden by flags."""
    posts = Post.objects.filter(withheld=Withheld.HIDDEN).values_list("title", flat=True)
    comments = Comment.objects.filter(withheld=Withheld.HIDDEN).values_list("body", flat=True)
    return [*posts.order_by("pk"), *comments.order_by("pk")]


def state() -> object:
    """Return what a restoration and its undoing change, except times and notices."""
    posts = Post.objects.order_by("pk").values_list(
        "pk", "withheld", "withheld_by", "comment_count"
    )
    comments = Comment.objects.order_by("pk").values_list("pk", "withheld", "withheld_by")
    items = QueueItem.objects.order_by("pk").values_list("pk", "decided_at", "decision", "weight")
    flags = Flag.objects.order_by("pk").values_list("pk", "item", "outcome")
    return list(posts), list(comments), list(items), list(flags)


def fresh(target: Any) -> Any:
    return type(target).objects.get(pk=target.pk)


def test_everything_that_the_same_people_hid_is_back_and_undo_hides_it_again(
    ada: User, bob: User, stella: User, gang: list[User]
) -> None:
    talk = post(bob, "Talk")
    first, second, comment = post(ada, "First"), post(ada, "Second"), add_comment(ada, talk, "Hi.")
    for target in (first, second, comment):
        attack(target, gang)
    other = post(ada, "Other")
    attack(other, [gang[0], *(trusted(f"trusted{number}") for number in range(4))])
    assert hidden() == ["First", "Second", "Other", "Hi."]
    before = state()
    action = bulk.restore_flagged(fresh(first), by=stella, reason="A raid")
    assert hidden() == ["Other"], "other people's flags keep it hidden"
    assert progress(action) == Progress(State.FINISHED, 3, 4)
    assert action.parts.count() == 3
    assert set(Flag.objects.filter(item__post=first).values_list("outcome", flat=True)) == {
        Flag.Outcome.DISAGREED
    }
    assert list(QueueItem.objects.filter(decided_at=None)) == [QueueItem.objects.get(post=other)]
    assert "First" in reader().get("/new").content.decode()
    undo.undo(action, by=stella)
    finish()
    assert state() == before
    assert "First" not in reader().get("/new").content.decode()
    action.refresh_from_db()
    assert progress(action) == Progress(State.UNDONE, 3, 3)


def test_authors_are_notified_of_each_restored_text(
    ada: User, stella: User, gang: list[User]
) -> None:
    targets = [post(ada, "First"), post(ada, "Second")]
    for target in targets:
        attack(target, gang)
    action = bulk.restore_flagged(fresh(targets[0]), by=stella, reason="A raid")
    notices = Message.objects.filter(conversation__user=ada, action__parent=action)
    assert [one.action.post for one in notices.order_by("pk") if one.action] == targets
    InboxItem.objects.update(read_at=timezone.now())
    undo.undo(action, by=stella)
    finish()
    assert InboxItem.objects.filter(user=ada, kind="moderator", read_at=None).exists()


def test_what_moderators_approved_stays_visible(ada: User, stella: User, gang: list[User]) -> None:
    first, approved = post(ada, "First"), post(ada, "Approved")
    for target in (first, approved):
        attack(target, gang)
    decision = decisions.approve(fresh(approved), by=stella)
    action = bulk.restore_flagged(fresh(first), by=stella, reason="A raid")
    undo.undo(action, by=stella)
    finish()
    assert hidden() == ["First"]
    assert QueueItem.objects.get(post=approved).decision == decision


def test_text_that_a_rule_hid_because_of_flags_is_restored(
    ada: User, stella: User, gang: list[User]
) -> None:
    raided, spam = post(ada, "Raided"), post(ada, "Spam")
    attack(spam, [gang[0], veteran("olga")])
    Rule.objects.create(name="Flagged", flags_at_least=2, effect=Rule.Effect.HOLD, enabled=True)
    rules.enabled.forget()
    attack(raided, gang[:2])
    attack(spam, [veteran("otto")])
    assert hidden() == ["Raided", "Spam"]
    bulk.restore_flagged(fresh(raided), by=stella, reason="A raid")
    assert hidden() == ["Spam"]


def test_worker_restores_the_rest_and_moderator_stops_it(
    ada: User, stella: User, gang: list[User]
) -> None:
    written = [post(ada, f"Post {number}") for number in range(2 * BATCH + 1)]
    for target in written:
        attack(target, gang)
    action = bulk.restore_flagged(fresh(written[0]), by=stella, reason="A raid")
    assert len(hidden()) == BATCH + 1
    assert progress(action).is_working
    window = reader(stella)
    page = window.get(action.get_absolute_url()).content.decode()
    assert f"{BATCH} of {2 * BATCH + 1} posts and comments restored, still running" in page
    assert window.post(f"{action.get_absolute_url()}/stop").status_code == 303
    finish()
    assert len(hidden()) == BATCH + 1
    undo.undo(action, by=stella)
    finish()
    assert len(hidden()) == 2 * BATCH + 1
    page = reader().get(action.get_absolute_url()).content.decode()
    assert f"{BATCH} of {BATCH} hidden again" in page
    again = bulk.restore_flagged(fresh(written[0]), by=stella, reason="A raid")
    finish()
    again.refresh_from_db()
    assert hidden() == []
    assert progress(again) == Progress(State.FINISHED, 2 * BATCH + 1, 2 * BATCH + 1)


def test_text_that_was_removed_since_stays_removed_after_undo(
    ada: User, stella: User, gang: list[User]
) -> None:
    first, second = post(ada, "First"), post(ada, "Second")
    for target in (first, second):
        attack(target, gang)
    action = bulk.restore_flagged(fresh(first), by=stella, reason="A raid")
    removals.remove(fresh(first), by=stella, reason="Spam after all")
    undo.undo(action, by=stella)
    finish()
    assert fresh(first).withheld == Withheld.REMOVED
    assert hidden() == ["Second"]
    assert not QueueItem.objects.filter(post=first, decided_at=None).exists()


def test_only_moderators_of_the_site_restore_what_flags_hid(
    ada: User, bob: User, gang: list[User]
) -> None:
    gus = person("gus")
    GroupModerator.objects.create(group=groups("books")[0], user=gus)
    written = post(ada)
    attack(written, gang)
    item = QueueItem.objects.get()
    for by in (gus, bob):
        with pytest.raises(Forbidden):
            bulk.restore_flagged(fresh(written), by=by, reason="A raid")
    window, sent = reader(gus), {"decision": "restore_flagged", "reason": "A raid"}
    assert "restore_flagged" not in window.get("/moderation").content.decode()
    assert "restore_flagged" not in window.get(f"/p/{written.pk}/moderate").content.decode()
    assert window.post(f"/moderation/items/{item.pk}", sent).status_code == 403
    assert hidden() == [written.title]


def test_nothing_happens_if_nothing_can_be_restored(
    ada: User, stella: User, gang: list[User]
) -> None:
    written = post(ada, "Spam")
    with pytest.raises(AlreadyDecided):
        bulk.restore_flagged(written, by=stella, reason="A raid")
    attack(written, gang)
    Flag.objects.update(from_moderator=True)
    with pytest.raises(Invalid):
        bulk.restore_flagged(fresh(written), by=stella, reason="A raid")
    assert hidden() == ["Spam"]
    assert not ModAction.objects.filter(kind=Kind.RESTORE_FLAGGED).exists()


@pytest.mark.parametrize("place", ["queue", "page"])
def test_moderator_presses_the_button_and_undoes_it(
    ada: User, stella: User, gang: list[User], place: str
) -> None:
    written = post(ada, "First")
    attack(written, gang)
    window, item = reader(stella), QueueItem.objects.get()
    address, name = {
        "queue": (f"/moderation/items/{item.pk}", "decision"),
        "page": (f"/p/{written.pk}/moderate", "action"),
    }[place]
    button = f'name="{name}" value="restore_flagged">Restore everything that these accounts'
    assert button in window.get(address).content.decode()
    sent = {name: "restore_flagged"}
    assert window.post(address, sent).status_code == 422, "a reason is needed"
    done = window.post(address, sent | {"reason": "A raid"}, follow=True).content.decode()
    assert "Done: everything hidden by the same flags restored." in done
    assert hidden() == []
    log = reader().get("/modlog").content.decode()
    assert "Everything hidden by the same flags restored" in log
    assert (
        "Flags dismissed"
        in reader()
        .get(ModAction.objects.get(kind=Kind.RESTORE_FLAGGED).get_absolute_url())
        .content.decode()
    )
    assert "gang0" not in log, "nobody reads who flagged"
    link = re.search(r'formaction="(/modlog/\d+/undo)"', done)
    assert link
    assert window.post(link[1]).status_code == 303
    finish()
    assert hidden() == ["First"]


def test_program_restores_what_flags_hid(
    client: Client, ada: User, stella: User, gang: list[User]
) -> None:
    written, other = post(ada, "First"), post(ada, "Second")
    for target in (written, other):
        attack(target, gang)
    token = tokens.create(user=stella, name="Script", scopes=("moderate",))
    answer = client.post(
        f"/api/v1/posts/{written.pk}/moderate",
        {"action": "restore_flagged", "reason": "A raid"},
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 200
    assert hidden() == []
