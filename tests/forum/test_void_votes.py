"""Moderators void the votes of some accounts, see the progress, and can undo it exactly."""

from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.management import call_command
from django.utils import timezone

from forum.errors import Invalid
from forum.ledger.vote_states import VOTES
from forum.models import (
    ArchivedVote,
    Comment,
    GroupModerator,
    InboxItem,
    LedgerEntry,
    Message,
    ModAction,
    OutboxItem,
    Post,
    User,
    VoteState,
)
from forum.moderation.actions import bulk, undo
from forum.moderation.actions.bulk_state import Progress, State, progress
from forum.moderation.actions.vote_voids import VoidSync
from forum.operations.exporting.loading import load, read_description
from forum.operations.exporting.writing import export
from forum.operations.repair.rebuild import ensure_filled
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.factories import groups, post, posts, reader
from tests.forum.merging import assert_consistent, merge, numbers, undone
from tests.forum.voids import HOUR, points, void
from tests.forum.voting_sites import cast, older_person, turned_clock, work
from voting.types import Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
RING = 51
MANY = RING * (VOTES // RING + 1)


@pytest.fixture
def author() -> User:
    return older_person("author")


@pytest.fixture
def sock() -> User:
    """An account whose votes are to be voided."""
    made = older_person("sock", email="sock@example.org", mails_moderators=True)
    EmailAddress.objects.create(user=made, email=made.email, primary=True, verified=True)
    return made


def do_step() -> None:
    """Let the worker do only one step of voiding votes."""
    waiting = OutboxItem.objects.filter(kind=VoidSync.kind)
    steps = [VoidSync(**row.details) for row in waiting]
    waiting.delete()
    VoidSync.deliver(steps)


def ring_of(author: User) -> tuple[list[User], list[Post]]:
    """Let people vote many posts up, so that voiding their votes takes two steps."""
    people = [older_person(f"ring{number}") for number in range(RING)]
    written = posts(author, VOTES // RING + 1)
    for on in written:
        for one in people:
            get_voting_service().votes.cast(one.pk, Target(on.pk), Vote.UP)
    work()
    return people, written


def total_points() -> int:
    return sum(points(one) for one in Post.objects.all())


def current(action: ModAction) -> Progress:
    return progress(ModAction.objects.get(pk=action.pk))


def everything() -> tuple[Any, ...]:
    """Return what people see of votes: karma, leaderboards and each post's and comment's points."""
    texts = [*Post.objects.order_by("pk"), *Comment.objects.order_by("pk")]
    service = get_voting_service()
    rows = service.posts.rows(
        list(Post.objects.visible().order_by("pk").values_list("pk", flat=True))
    )
    return numbers(), [(one.up, one.down) for one in texts], [(one.up, one.down) for one in rows]


def test_votes_no_longer_count_and_undoing_brings_them_back_exactly(
    author: User, sock: User, stella: User
) -> None:
    written = post(author)
    comment = add_comment(author, written)
    own = post(sock)
    cast(older_person("reader"), written, Vote.DOWN)
    work()
    without = everything()
    for text in (written, comment):
        cast(sock, text)
    work()
    before = everything()
    action = void(sock, by=stella)
    work()
    assert everything() == without
    assert points(own) == 1, "an author's own vote stays"
    assert_consistent()
    undo.undo(action, by=stella)
    work()
    assert everything() == before
    assert_consistent()


def test_votes_are_voided_on_posts_that_are_closed_to_votes(
    author: User, sock: User, stella: User
) -> None:
    written = post(author)
    cast(sock, written)
    with turned_clock(30 * 86_400):
        action = void(sock, by=stella)
        work()
        assert points(written) == 1
        assert_consistent()
        undo.undo(action, by=stella)
        work()
        assert points(written) == 2


def test_only_votes_cast_in_the_time_span_are_voided(
    author: User, sock: User, stella: User
) -> None:
    early, late = post(author), post(author)
    cast(sock, early)
    work()
    with turned_clock(600):
        cast(sock, late)
        work()
    now = timezone.now()
    void(sock, by=stella, since=now - HOUR, until=now)
    work()
    assert (points(early), points(late)) == (1, 2)


def test_votes_cast_while_votes_are_voided_count(author: User, sock: User, stella: User) -> None:
    first, second = post(author), post(author)
    cast(sock, first)
    action = void(sock, by=stella)
    with turned_clock(60):
        cast(sock, second)
        work()
    assert (points(first), points(second)) == (1, 2)
    assert_consistent()
    undo.undo(action, by=stella)
    work()
    assert (points(first), points(second)) == (2, 2)


def test_voter_who_changes_a_void_vote_gets_the_new_vote_back(
    author: User, sock: User, stella: User
) -> None:
    written = post(author)
    cast(sock, written)
    action = void(sock, by=stella)
    work()
    cast(sock, written, Vote.DOWN)
    work()
    assert points(written) == 1, "a void vote stays void, whatever its voter changes"
    undo.undo(action, by=stella)
    work()
    assert points(written) == 0
    assert_consistent()


def test_void_and_undo_outlive_a_merge(author: User, sock: User, stella: User, root: User) -> None:
    written, duplicate = post(author), post(older_person("copyist"))
    cast(sock, duplicate)
    work()
    merged = merge(duplicate, written, root)
    work()
    action = void(sock, by=stella)
    work()
    assert_consistent()
    assert points(written) == 2, "the author's and the copyist's votes"
    undo.undo(action, by=stella)
    work()
    assert_consistent()
    assert points(written) == 3
    undone(merged, root)
    work()
    assert_consistent()


def test_second_action_takes_no_votes_over_from_the_first(
    author: User, sock: User, stella: User
) -> None:
    written = post(author)
    cast(sock, written)
    void(sock, by=stella)
    work()
    with pytest.raises(Invalid):
        void(sock, by=stella)
    assert points(written) == 1


def test_worker_voids_in_steps_and_a_moderator_can_stop_it(author: User, stella: User) -> None:
    ring, written = ring_of(author)
    action = void(*ring, by=stella)
    do_step()
    assert current(action) == Progress(State.RUNNING, VOTES, MANY)
    bulk.stop(action, by=stella)
    work()
    assert current(action) == Progress(State.STOPPED, VOTES, MANY)
    assert total_points() == len(written) + MANY - VOTES
    assert Message.objects.count() == RING, "all people have void votes"
    assert_consistent()
    undo.undo(action, by=stella)
    work()
    assert total_points() == len(written) + MANY
    assert not action.parts.filter(undone_at=None).exists()
    assert_consistent()


def test_undoing_while_the_worker_voids_restores_all_votes(author: User, stella: User) -> None:
    ring, _written = ring_of(author)
    before = everything()
    action = void(*ring, by=stella)
    do_step()
    undo.undo(action, by=stella)
    assert current(action) == Progress(State.UNDOING, 0, VOTES)
    work()
    assert current(action) == Progress(State.UNDONE, VOTES, VOTES)
    assert everything() == before
    assert not Message.objects.exists(), "nobody was notified yet"
    assert_consistent()


def test_moderator_who_loses_the_group_voids_nothing_more(author: User, gus: User) -> None:
    ring, written = ring_of(author)
    action = void(*ring, by=gus, group=groups("books")[0])
    do_step()
    GroupModerator.objects.all().delete()
    work()
    assert current(action).state == State.STOPPED
    assert total_points() == len(written) + MANY - VOTES


def test_each_voter_gets_a_notice_and_a_mail_and_can_appeal(
    author: User, sock: User, stella: User
) -> None:
    for number in range(2):
        cast(sock, post(author, f"Post {number}"))
    action = void(sock, older_person("silent"), by=stella)
    work()
    (message,) = Message.objects.all()
    assert message.conversation.user == sock, "the other account didn't vote"
    (item,) = InboxItem.objects.filter(user=sock)
    assert item.text.startswith("Votes voided\n2 votes that you cast from ")
    assert "no longer count.\nReason: Ring\nTo appeal, open this message" in item.text
    (sent,) = mail.outbox
    assert sent.to == ["sock@example.org"]
    assert "2 votes that you cast" in str(sent.body)
    window, address = reader(sock), message.conversation.get_absolute_url()
    assert "Votes voided" in window.get(address).content.decode()
    assert window.post(address, {"body": "These were honest."}).status_code == 303
    assert "Votes voided" in window.get("/conversations/actions").content.decode()
    undo.undo(action, by=stella)
    work()
    assert "Undone on " in window.get(address).content.decode()


def test_one_voter_gets_the_votes_back_after_an_appeal(
    author: User, sock: User, stella: User
) -> None:
    written, other = post(author), older_person("other")
    for voter in (sock, other):
        cast(voter, written)
    action = void(sock, other, by=stella)
    work()
    undo.undo(action.parts.get(person=sock), by=stella)
    work()
    assert points(written) == 2
    assert_consistent()
    again = void(sock, by=stella)
    work()
    assert points(written) == 1
    undo.undo(action, by=stella)
    work()
    assert points(written) == 2, "the newer action's votes stay void"
    undo.undo(again, by=stella)
    work()
    assert points(written) == 3
    assert_consistent()


def test_export_and_import_keep_what_is_void(
    author: User, sock: User, stella: User, tmp_path: Path
) -> None:
    first, second = post(author), add_comment(author, post(author))
    for text in (first, second):
        cast(sock, text)
    restored = older_person("restored")
    cast(restored, first)
    action, undone_action = void(sock, by=stella), void(restored, by=stella)
    work()
    undo.undo(undone_action, by=stella)
    work()
    before = everything()
    export(tmp_path / "export", lambda _rows: None)
    call_command("flush", interactive=False, verbosity=0)
    service = get_voting_service()
    service.maintenance.generations.close()
    service.maintenance.generations.clear()
    read_description(tmp_path / "export")
    load(tmp_path / "export", lambda _rows: None)
    ensure_filled()
    call_command("check_voting", deep=True)
    assert everything() == before
    assert_consistent()
    undo.undo(ModAction.objects.get(pk=action.pk), by=stella)
    work()
    assert (points(first), points(second)) == (3, 2)
    call_command("check_voting", deep=True)
    assert_consistent()


def test_ledger_names_the_action_that_voided_and_restored(
    author: User, sock: User, stella: User
) -> None:
    written = post(author)
    cast(sock, written)
    action = void(sock, by=stella)
    work()
    undo.undo(action, by=stella)
    work()
    vote = ArchivedVote.objects.get(user_id=sock.pk)
    assert vote.state == VoteState.COUNTED
    kinds = LedgerEntry.objects.filter(user_id=sock.pk).exclude(kind=LedgerEntry.Kind.VOTE)
    entry = f"{vote.pk}:{int(vote.at.timestamp())}"
    assert list(kinds.order_by("pk").values_list("generation", "entry")) == [
        (f"void:{action.pk}", entry),
        (f"restore:{action.pk}", entry),
    ]
