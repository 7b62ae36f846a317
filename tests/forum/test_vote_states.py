"""Whatever votes wait, are void or are restored, the counts are those of a plain model."""

from dataclasses import dataclass, field
from random import Random

import pytest

from forum.actions import posts
from forum.ledger import vote_states
from forum.models import ArchivedVote, Comment, LedgerEntry, Post, User
from forum.moderation.actions import removals
from forum.operations.repair.rebuild import ensure_filled
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.factories import person, post
from tests.forum.merging import assert_consistent, merge, numbers, undone
from tests.forum.voting_sites import DAY, cast, older_person, target_of, turned_clock, work
from tests.voting.sites import HOUR, WEEK
from voting.errors import VotingClosed
from voting.types import Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
Kind = LedgerEntry.Kind


@dataclass
class ModelVote:
    """A vote, and why it may not count."""

    vote: Vote
    counts_at: int | None = None
    is_void: bool = False


@dataclass
class ModelTarget:
    """A post or comment in the model."""

    author: User
    text: Post | Comment
    votes: dict[User, ModelVote] = field(default_factory=dict)
    places: dict[str, tuple[User, int]] = field(default_factory=dict)

    @property
    def closes_at(self) -> int:
        return self.text.posted_at + WEEK

    def counts(self, vote: ModelVote, now: int) -> bool:
        waits = vote.counts_at is not None and (
            vote.counts_at > now or vote.counts_at >= self.closes_at
        )
        return not vote.is_void and not waits

    def tally(self, now: int) -> tuple[int, int]:
        counted = [one.vote for one in self.votes.values() if self.counts(one, now)]
        return counted.count(Vote.UP), counted.count(Vote.DOWN)


class Model:
    """A site and a plain model of it, which get the same random actions."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.service = get_voting_service()
        self.now, self.voids = self.service.now(), list[list[tuple[ModelTarget, User]]]()
        self.service.clock = lambda: self.now
        author = older_person("author")
        self.old = [older_person(f"old{number}") for number in range(3)]
        self.new = [person(f"new{number}") for number in range(7)]
        written = [post(author), post(self.new[0]), post(self.old[0])]
        comments = [add_comment(author, written[0]), add_comment(self.new[1], written[1])]
        texts: list[Post | Comment] = [*written, *comments]
        self.targets = [
            ModelTarget(one.author, one, {one.author: ModelVote(Vote.UP)}) for one in texts
        ]
        self.ends_at = {one: int(one.date_joined.timestamp()) + DAY for one in self.new}

    def is_new(self, who: User) -> bool:
        return self.ends_at.get(who, 0) > self.now

    def somebody_votes(self) -> None:
        on, who = self.chance.choice(self.targets), self.chance.choice([*self.old, *self.new])
        wanted, network = self.chance.choice(list(Vote)), f"n{who.pk % 5}"
        try:
            cast(who, on.text, wanted, network)
        except VotingClosed:
            assert self.now >= on.closes_at
            return
        before = on.votes.get(who)
        if wanted == (before.vote if before else Vote.NONE):
            return
        if before is not None and (before.is_void or before.vote is not Vote.NONE):
            self._change(on, who, before, wanted)
        else:
            on.votes[who] = self._first(on, who, wanted, network)

    def _change(self, on: ModelTarget, who: User, before: ModelVote, wanted: Vote) -> None:
        before.vote = wanted
        if before.is_void:
            return
        counted = on.counts(before, self.now)
        if wanted is Vote.NONE and counted:
            on.places = {key: one for key, one in on.places.items() if one[0] != who}
        if wanted is Vote.NONE or counted:
            before.counts_at = None

    def _first(self, on: ModelTarget, who: User, wanted: Vote, network: str) -> ModelVote:
        if not self.is_new(who) or who == on.author:
            return ModelVote(wanted)
        on.places = {key: one for key, one in on.places.items() if one[1] > self.now}
        if network in on.places or len(on.places) >= 3:
            return ModelVote(wanted, self.ends_at[who])
        on.places[network] = who, self.ends_at[who]
        return ModelVote(wanted)

    def time_passes(self) -> None:
        self.now += self.chance.choice((60, HOUR, 9 * HOUR))
        work()

    def moderators_void_votes(self) -> None:
        work()
        people = self.chance.sample([*self.old, *self.new], 3)
        rows = ArchivedVote.objects.filter(user_id__in=[one.pk for one in people])
        own = [row.pk for row in rows if self._is_own(row)]
        source, pks = (
            f"void:{len(self.voids)}",
            rows.exclude(pk__in=own).values_list("pk", flat=True),
        )
        vote_states.change(list(pks), Kind.VOID, source, vote_states.void)
        work()
        voided = []
        for on in self.targets:
            for who, vote in on.votes.items():
                if who in people and who != on.author and not vote.is_void and vote.vote:
                    vote.is_void = True
                    voided.append((on, who))
        self.voids.append(voided)

    def _is_own(self, row: ArchivedVote) -> bool:
        on = next(
            one
            for one in self.targets
            if target_of(one.text) == Target(row.post_id, row.comment_id)
        )
        return on.author.pk == row.user_id

    def moderators_restore_votes(self) -> None:
        voids = [number for number, voided in enumerate(self.voids) if voided]
        if not voids:
            return
        work()
        number = self.chance.choice(voids)
        logged = LedgerEntry.objects.filter(generation=f"void:{number}")
        pks = [int(entry.partition(":")[0]) for entry in logged.values_list("entry", flat=True)]
        source = f"restore:{number}"
        vote_states.change(pks, Kind.RESTORE, source, vote_states.restored)
        work()
        for on, who in self.voids[number]:
            vote = on.votes[who]
            vote.is_void = False
            if vote.vote is Vote.NONE:
                vote.counts_at = None
        self.voids[number] = []

    def redis_is_rebuilt(self) -> None:
        work()
        self.service.maintenance.generations.close()
        self.service.maintenance.generations.clear()
        ensure_filled()
        for on in self.targets:
            on.places = {
                f"u{who.pk}": (who, self.ends_at[who])
                for who, vote in on.votes.items()
                if self.is_new(who)
                and who != on.author
                and vote.vote
                and self.now < on.closes_at
                and on.counts(vote, self.now)
            }

    def check(self) -> None:
        work()
        for on in self.targets:
            target = target_of(on.text)
            if target.comment_id:
                tally = self.service.comments.tallies(target.post_id, [target.comment_id])
                found = tally[target.comment_id].up, tally[target.comment_id].down
            else:
                (row,) = self.service.posts.rows([target.post_id])
                found = row.up, row.down
            assert found == on.tally(self.now), (on.text, on.votes)


@pytest.mark.parametrize("seed", range(6))
def test_any_votes_waits_voids_and_rebuilds_give_the_counts_of_a_plain_model(seed: int) -> None:
    before = get_voting_service().clock
    try:
        model = Model(seed)
        actions = [model.somebody_votes] * 12
        actions += [model.time_passes, model.moderators_void_votes]
        actions += [model.moderators_restore_votes, model.redis_is_rebuilt]
        for number in range(90):
            model.chance.choice(actions)()
            if number % 15 == 0:
                model.check()
        model.check()
        assert_consistent()
    finally:
        get_voting_service().clock = before


def void(people: list[User], source: str = "void:1") -> None:
    """Void all votes of some people, but not on their own posts."""
    work()
    own = Post.objects.filter(author__in=people).values("pk")
    rows = ArchivedVote.objects.filter(user_id__in=[one.pk for one in people])
    pks = list(rows.exclude(post_id__in=own).values_list("pk", flat=True))
    vote_states.change(pks, Kind.VOID, source, vote_states.void)


def restore(people: list[User], source: str = "restore:1") -> None:
    rows = ArchivedVote.objects.filter(user_id__in=[one.pk for one in people])
    pks = list(rows.values_list("pk", flat=True))
    vote_states.change(pks, Kind.RESTORE, source, vote_states.restored)


def points(on: Post) -> int:
    return Post.objects.get(pk=on.pk).points


@pytest.fixture
def author() -> User:
    return older_person("author")


@pytest.fixture
def written(author: User) -> Post:
    return post(author)


@pytest.fixture
def voter() -> User:
    return older_person("voter")


def test_numbers_are_exactly_as_before_after_restoring(written: Post, voter: User) -> None:
    comment = add_comment(written.author, written)
    cast(older_person("reader"), written)
    cast(older_person("listener"), comment)
    work()
    without = numbers(), points(written)
    for text in (written, comment):
        cast(voter, text, Vote.DOWN)
    work()
    with_votes = numbers(), points(written)
    void([voter])
    work()
    assert (numbers()["boards"], points(written)) == (without[0]["boards"], without[1])
    assert_consistent()
    restore([voter])
    work()
    assert (numbers(), points(written)) == with_votes
    assert_consistent()


def test_vote_changed_before_redis_knows_that_it_is_void_stays_void(
    written: Post, voter: User
) -> None:
    cast(voter, written)
    void([voter])
    assert cast(voter, written, Vote.DOWN).counts_at is None, "Redis doesn't know yet"
    work()
    assert points(written) == 1
    assert_consistent()
    restore([voter])
    assert cast(voter, written, Vote.UP).counts_at is not None, "Redis doesn't know yet"
    work()
    assert points(written) == 2
    assert_consistent()


def test_votes_are_voided_on_deleted_posts_too(written: Post, voter: User, root: User) -> None:
    cast(voter, written)
    work()
    posts.delete(written, by=written.author)
    void([voter])
    work()
    written.refresh_from_db()
    removals.restore(written, by=root, reason="")
    work()
    assert points(written) == 1
    assert_consistent()


def test_void_on_a_merged_post_settles_the_post_that_remains_both_ways(
    written: Post, voter: User, root: User
) -> None:
    duplicate = post(older_person("copyist"))
    cast(voter, written, Vote.DOWN)
    work()
    with turned_clock(60):
        cast(voter, duplicate)
    work()
    action = merge(duplicate, written, root)
    work()
    assert points(written) == 3, "of both votes, the later one counts"
    duplicates = ArchivedVote.objects.filter(post_id=duplicate.pk, user_id=voter.pk)
    vote_states.change([duplicates.get().pk], Kind.VOID, "void:1", vote_states.void)
    work()
    assert points(written) == 1, "the vote on the remaining post counts again"
    assert_consistent()
    vote_states.change([duplicates.get().pk], Kind.RESTORE, "restore:1", vote_states.restored)
    work()
    assert points(written) == 3
    assert_consistent()
    undone(action, root)
    work()
    assert_consistent()


@pytest.mark.parametrize("undone_first", [True, False])
def test_void_on_the_post_that_remains_outlives_the_undoing_of_a_merge(
    written: Post, voter: User, root: User, undone_first: bool
) -> None:
    duplicate = post(older_person("copyist"))
    cast(voter, duplicate)
    work()
    action = merge(duplicate, written, root)
    work()
    void([voter])
    work()
    assert points(written) == 2, "the copyist's vote"
    assert_consistent()
    for turn in (undone_first, not undone_first):
        if turn:
            undone(action, root)
        else:
            restore([voter])
        work()
        assert_consistent()
    assert (points(written), points(duplicate)) == (1, 2)
