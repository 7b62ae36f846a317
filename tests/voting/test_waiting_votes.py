"""Votes of new accounts wait, and void votes count for nothing. Others see no trace of them."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from redis import Redis

from tests.voting.comments import POST, comment
from tests.voting.comments import record as comment_record
from tests.voting.sites import ADA, BRAM, DAY, HOUR, WEEK, Clock, made, publish, record
from voting import keys
from voting.service import VotingService
from voting.types import VOID, Ballot, Newcomer, Row, Target, Vote

COMMENT = 70
ON_POST, ON_COMMENT = Target(POST), Target(POST, COMMENT)
BOTH = pytest.mark.parametrize("on", [ON_POST, ON_COMMENT], ids=["post", "comment"])
NEW = 1_000
"""The id of the first new account. The accounts that follow are new, too."""


@pytest.fixture(autouse=True)
def thread(site: VotingService) -> None:
    publish(site, POST)
    site.comments.publish(comment(site, COMMENT, author=ADA))


def newcomer(site: VotingService, network: str, life: int = DAY) -> Newcomer:
    return Newcomer(site.now() + life, network, 3)


def vote(
    site: VotingService, on: Target, number: int, wanted: Vote = Vote.UP, network: str = ""
) -> Ballot:
    """Cast the vote of a new account, from its own network unless one is named."""
    new = newcomer(site, network or f"n{number}")
    return site.votes.cast(NEW + number, on, wanted, newcomer=new)


def tally(site: VotingService, on: Target) -> tuple[int, int]:
    if on.comment_id:
        found = site.comments.tallies(on.post_id, [on.comment_id])[on.comment_id]
        return found.up, found.down
    (row,) = site.posts.rows([on.post_id])
    return row.up, row.down


def seen(site: VotingService, on: Target, person: int) -> tuple[Vote | None, int | None]:
    """Return a person's vote as they see it, and the time until which it waits."""
    found: Any
    if on.comment_id:
        found = site.comments.tallies(on.post_id, [on.comment_id], person)[on.comment_id]
    else:
        (found,) = site.posts.rows([on.post_id], viewer=person)
    return found.vote, found.counts_at


def entries(redis: Redis, on: Target) -> list[list[int]]:
    found: Any = redis.xrange(keys.ledger(keys.shard(on.post_id)))
    parsed = [[int(part) for part in fields["e"].split()] for _, fields in found]
    return [one for one in parsed if one[1:3] == [on.post_id, on.comment_id]]


def reload(site: VotingService, on: Target, up: int, down: int, **more: Any) -> None:
    """Load a post or comment again, as after a change of its votes in SQL."""
    last = site.maintenance.loading.last_changes([on])
    if on.comment_id:
        found: Any = comment_record(comment(site, COMMENT, author=ADA))
        changed = replace(found, up=up, down=down, **more)
        assert site.maintenance.loading.reload_comments([changed], last)
    else:
        changed = replace(record(made(site, POST)), up=up, down=down, **more)
        changes = {on.post_id: last[on]}
        assert site.maintenance.loading.reload_posts([changed], changes)


@BOTH
def test_three_votes_of_new_accounts_count_and_the_next_one_waits(
    site: VotingService, on: Target
) -> None:
    for number in range(3):
        assert vote(site, on, number).counts_at is None
    before = tally(site, on)
    ballot = vote(site, on, 3)
    assert (ballot.vote, ballot.counts_at, ballot.changed) == (Vote.UP, site.now() + DAY, True)
    assert tally(site, on) == before == (4, 0)
    assert seen(site, on, NEW + 3) == (Vote.UP, site.now() + DAY)
    assert seen(site, on, NEW) == (Vote.UP, None)


@BOTH
def test_one_new_account_of_each_network_counts(site: VotingService, on: Target) -> None:
    assert vote(site, on, 0, network="home").counts_at is None
    assert vote(site, on, 1, network="home").counts_at == site.now() + DAY
    assert vote(site, on, 2, network="office").counts_at is None
    assert tally(site, on) == (3, 0)


@BOTH
def test_older_accounts_always_count(site: VotingService, on: Target) -> None:
    for number in range(5):
        vote(site, on, number)
    assert site.votes.cast(BRAM, on, Vote.UP).counts_at is None
    assert tally(site, on) == (5, 0)


@BOTH
def test_waiting_vote_can_be_turned_and_taken_back(site: VotingService, on: Target) -> None:
    for number in range(4):
        vote(site, on, number)
    assert vote(site, on, 3, Vote.DOWN).counts_at == site.now() + DAY
    assert not vote(site, on, 3, Vote.DOWN).changed
    assert (vote(site, on, 3, Vote.NONE).changed, tally(site, on)) == (True, (4, 0))
    assert seen(site, on, NEW + 3) == (Vote.NONE, None)
    assert vote(site, on, 3).counts_at == site.now() + DAY


@BOTH
def test_waiting_vote_can_be_taken_back_though_nobody_elses_counts(
    site: VotingService, on: Target
) -> None:
    vote(site, on, 0, network="home")
    vote(site, on, 1, Vote.DOWN, network="home")
    vote(site, on, 0, Vote.NONE, network="home")
    assert vote(site, on, 1, Vote.NONE, network="home").changed
    assert seen(site, on, NEW + 1) == (Vote.NONE, None)
    assert tally(site, on) == (1, 0)


@BOTH
def test_place_that_becomes_free_is_for_the_next_voter(site: VotingService, on: Target) -> None:
    for number in range(4):
        vote(site, on, number)
    vote(site, on, 0, Vote.NONE)
    assert (tally(site, on), seen(site, on, NEW + 3)[1]) == ((3, 0), site.now() + DAY)
    assert vote(site, on, 4).counts_at is None
    assert vote(site, on, 5).counts_at is not None


@BOTH
def test_new_account_keeps_its_place_when_it_turns_its_vote(
    site: VotingService, on: Target
) -> None:
    for number in range(4):
        vote(site, on, number)
    assert vote(site, on, 0, Vote.DOWN).counts_at is None
    assert (tally(site, on), vote(site, on, 4).counts_at) == ((3, 1), site.now() + DAY)


@BOTH
def test_place_becomes_free_when_its_account_is_no_longer_new(
    site: VotingService, clock: Clock, on: Target
) -> None:
    for number in range(4):
        vote(site, on, number)
    clock.advance(DAY)
    assert vote(site, on, 4).counts_at is None
    assert seen(site, on, NEW + 3)[1] == site.now(), "the worker has yet to count this vote"


@BOTH
def test_authors_vote_always_counts(site: VotingService, on: Target) -> None:
    for number in range(3):
        vote(site, on, number)
    new = newcomer(site, "n0")
    assert site.votes.cast(ADA, on, Vote.DOWN, newcomer=new).counts_at is None
    assert site.votes.cast(ADA, on, Vote.NONE, newcomer=new).counts_at is None
    assert site.votes.cast(ADA, on, Vote.UP, newcomer=new).counts_at is None
    assert tally(site, on) == (4, 0)


@BOTH
def test_only_entries_of_uncounted_votes_say_more(
    site: VotingService, redis: Redis, on: Target
) -> None:
    for number in range(4):
        vote(site, on, number)
    vote(site, on, 3, Vote.DOWN)
    vote(site, on, 3, Vote.NONE)
    _author, *counted, waiting, turned, withdrawn = entries(redis, on)
    assert {len(one) for one in (*counted, withdrawn)} == {7}
    assert waiting[3:] == [1, site.now(), 4, 0, site.now() + DAY]
    assert turned[3:] == [-1, site.now(), 4, 0, site.now() + DAY]
    assert withdrawn[3:] == [0, site.now(), 4, 0]
    read = site.maintenance.ledger.read({keys.shard(on.post_id): "0-0"})
    assert [one.counts_at for one in read if one.target == on][-3:] == [
        *[site.now() + DAY] * 2,
        None,
    ]


@BOTH
def test_void_vote_stays_void_whatever_its_voter_changes(site: VotingService, on: Target) -> None:
    site.votes.cast(BRAM, on, Vote.UP)
    reload(site, on, 1, 0, ups=(ADA, BRAM), uncounted={BRAM: VOID})
    for wanted in (Vote.DOWN, Vote.NONE, Vote.UP):
        ballot = site.votes.cast(BRAM, on, wanted)
        assert (ballot.changed, ballot.counts_at, tally(site, on)) == (True, VOID, (1, 0))
    assert seen(site, on, BRAM) == (Vote.UP, VOID)
    reload(site, on, 2, 0, ups=(ADA, BRAM))
    assert (site.votes.cast(BRAM, on, Vote.NONE).counts_at, tally(site, on)) == (None, (1, 0))


@BOTH
def test_places_are_known_again_after_a_rebuild(
    site: VotingService, redis: Redis, on: Target
) -> None:
    places = {NEW + number: newcomer(site, f"n{number}") for number in range(3)}
    redis.delete(keys.new_places(on))
    reload(site, on, 4, 0, ups=(ADA, *places), newcomers=places)
    assert vote(site, on, 4).counts_at == site.now() + DAY


@BOTH
def test_uncounted_votes_live_as_long_as_the_voter_set(
    site: VotingService, redis: Redis, on: Target
) -> None:
    for number in range(4):
        vote(site, on, number)
    for _ in range(2):
        voters, uncounted = redis.ttl(keys.voters(on)), redis.ttl(keys.uncounted(on))
        assert abs(voters - uncounted) <= 1
        ups = (ADA, *range(NEW, NEW + 4))
        reload(site, on, 4, 0, ups=ups, uncounted={NEW + 3: site.now() + DAY})
    assert redis.ttl(keys.new_places(on)) <= DAY


def test_inspection_shows_which_votes_do_not_count(site: VotingService) -> None:
    for number in range(4):
        vote(site, ON_POST, number)
        vote(site, ON_COMMENT, number)
    inspection, waiting = site.maintenance.inspection, {NEW + 3: site.now() + DAY}
    assert inspection.posts([POST])[POST].uncounted == waiting
    assert inspection.comments([ON_COMMENT])[ON_COMMENT].uncounted == waiting


@BOTH
@pytest.mark.parametrize("seed", range(5))
def test_any_votes_of_new_accounts_follow_the_rule(
    site: VotingService, clock: Clock, on: Target, seed: int
) -> None:
    chance, places = Random(seed), dict[str, tuple[int, int]]()
    votes, waiting, end = {ADA: Vote.UP}, dict[int, int](), site.now() + WEEK - DAY
    while site.now() < end:
        clock.advance(chance.choice((60, 5 * HOUR)))
        number = chance.randrange(8)
        person, network, wanted = NEW + number, f"n{number % 5}", chance.choice(list(Vote))
        ballot = vote(site, on, number, wanted, network=network)
        before = votes.pop(person, Vote.NONE)
        places = {key: one for key, one in places.items() if one[1] > site.now()}
        if before is wanted:
            pass
        elif wanted is Vote.NONE:
            if waiting.pop(person, None) is None:
                places = {key: one for key, one in places.items() if one[0] != person}
        elif before is Vote.NONE and (network in places or len(places) >= 3):
            waiting[person] = site.now() + DAY
        elif before is Vote.NONE:
            places[network] = person, site.now() + DAY
        if wanted is not Vote.NONE:
            votes[person] = wanted
        assert ballot.counts_at == waiting.get(person)
        counted = [one for who, one in votes.items() if who not in waiting]
        assert tally(site, on) == (counted.count(Vote.UP), counted.count(Vote.DOWN))


def test_rows_of_others_are_the_same_with_a_waiting_vote(site: VotingService) -> None:
    for number in range(3):
        vote(site, ON_POST, number)
    before: tuple[Row, ...] = site.posts.rows([POST], viewer=BRAM)
    vote(site, ON_POST, 3)
    assert site.posts.rows([POST], viewer=BRAM) == before
