"""Votes: one script sets a person's vote on a post or comment.

A post or comment can have votes but no voter set (the Redis set of who voted). This happens if the
clock of Redis was hours ahead for a moment, because Redis deletes expired voter sets by that clock.
Such a post or comment accepts no votes until it has been loaded from SQL again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from math import ceil

from voting import keys
from voting.errors import (
    StoreUnavailable,
    Throttled,
    TooManyVotes,
    UnknownTarget,
    VotingClosed,
    VotingError,
)
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.encoding import change, member, vote_parts
from voting.redis.queries import Query, fetch, fetch_all
from voting.redis.scripts import Argument, Call
from voting.topics.limits import hit_arguments, hits_key, window_arguments
from voting.topics.posts import rows_query
from voting.types import Ballot, Newcomer, Rules, Target, Vote
from voting.types.limits import NO_DAILY_LIMITS, DailyVotes, RateLimit, VoteRule
from voting.types.observer import Observer, VoteOutcome

VOTE = scripts.load_ruled("vote")
VOTE_COMMENT = scripts.load("vote_comment")
VOTERS_MISSING, LIMITED, UNKNOWN, CLOSED, CHANGED = -4, -3, -2, -1, 1
NEVER = 0
"""The value of `Ballot.closes_at` for an answer, on which voting never closes."""
OUTCOMES: dict[type[VotingError], VoteOutcome] = {
    VotingClosed: VoteOutcome.CLOSED,
    UnknownTarget: VoteOutcome.UNKNOWN,
    Throttled: VoteOutcome.LIMITED,
    TooManyVotes: VoteOutcome.LIMITED,
}


class Votes:
    """The votes of one site."""

    def __init__(
        self, store: Store, rules: Rules, clock: Callable[[], float], observer: Observer
    ) -> None:
        self._store = store
        self._rules = rules
        self._clock = clock
        self._observer = observer

    def cast(
        self,
        user_id: int,
        target: Target,
        vote: Vote,
        *,
        limit: RateLimit | None = None,
        daily: DailyVotes = NO_DAILY_LIMITS,
        newcomer: Newcomer | None = None,
        with_row: bool = False,
    ) -> Ballot:
        """Set a person's vote on a target; return the vote and the target's tally. One round trip.

        If the person's account is new (`newcomer`), the vote may have to wait before it counts.
        With `with_row`, the ballot also has the post's row, with the same vote and tally.

        Raises UnknownTarget if the target is unknown or retracted. Raises VotingClosed, with the
        person's final vote and the tally, if voting has closed. Raises Throttled if the vote would
        change, but `limit` is reached, and TooManyVotes if a limit in `daily` is. `daily` needs a
        `limit` whose windows cover a day. Raises StoreUnavailable if Redis is down or has lost the
        target's voter set.
        """
        query = vote_query(
            *(self._store, self._rules, self._clock(), user_id, target, vote),
            limit=limit,
            newcomer=newcomer,
            daily=daily,
        )
        with self._observed():
            if with_row:
                ballot = self._cast_with_row(query, user_id, target)
            else:
                ballot = fetch(self._store, query)
            outcome = VoteOutcome.COUNTED if ballot.changed else VoteOutcome.UNCHANGED
            self._observer.vote(outcome)
        return ballot

    def _cast_with_row(self, query: Query[Ballot], user_id: int, target: Target) -> Ballot:
        rows = rows_query(self._rules, int(self._clock()), (target.post_id,), user_id)
        ballot: Ballot
        ballot, posts = fetch_all(self._store, query, rows)
        if not posts:  # retracted between the two steps
            raise UnknownTarget(target)
        row = replace(
            posts[0],
            up=ballot.up,
            down=ballot.down,
            vote=ballot.vote,
            counts_at=ballot.counts_at,
        )
        return replace(ballot, rows=(row,))

    def is_open(self, posted_at: int) -> bool:
        """Return whether voting on a post or comment posted at `posted_at` (seconds) is open now.

        No round trip.
        """
        return self._clock() < posted_at + self._rules.window

    def has_voter_set(self, posted_at: int) -> bool:
        """Return whether the voter set (who voted) of a post or comment has not yet expired.

        `posted_at` is when the post or comment was posted (s since 1970). No round trip.
        """
        return self._clock() < posted_at + self._rules.window + keys.VOTERS_GRACE

    @contextmanager
    def _observed(self) -> Iterator[None]:
        """If the block raises a VotingError, report the vote's outcome to the observer."""
        try:
            yield
        except VotingError as error:
            self._observer.vote(OUTCOMES.get(type(error), VoteOutcome.UNAVAILABLE))
            raise


def vote_query(
    store: Store,
    rules: Rules,
    now: float,
    user_id: int,
    target: Target,
    vote: Vote,
    limit: RateLimit | None = None,
    newcomer: Newcomer | None = None,
    daily: DailyVotes = NO_DAILY_LIMITS,
) -> Query[Ballot]:
    """Return the query that sets a person's vote at the time `now` (seconds).

    Decoding the reply may raise the errors of `Votes.cast`. If the voter set (who voted) is missing
    in Redis, decoding takes another round trip.
    """
    make = _comment_call if target.comment_id else _post_call
    call = make(rules, now, user_id, target, vote, limit, daily, str(newcomer or ""))
    return Query((call,), lambda replies: _ballot(store, rules, target, replies[0]))


def _ballot(store: Store, rules: Rules, target: Target, reply: str) -> Ballot:
    code, vote, *rest = [*reply.split(), ""]
    outcome = int(code)
    if outcome == UNKNOWN:
        raise UnknownTarget(target)
    if outcome == VOTERS_MISSING:
        store.command("SADD", keys.missing_voters(), f"{target.post_id}:{target.comment_id}")
        raise StoreUnavailable(f"the voter set of {target} is missing and must be reloaded")
    if outcome == LIMITED:
        wait, rule = ceil(int(vote) / 1_000), int(rest[0])
        raise TooManyVotes(wait, VoteRule(rule)) if rule else Throttled(wait)
    up, down, posted_at, *more = map(int, rest[:-1])
    state, counts_at = vote_parts(vote)
    endless, start = (any(more), 0) if target.comment_id else (False, sum(more))
    closes_at = NEVER if endless else posted_at + rules.window
    changed = outcome == CHANGED
    ballot = Ballot(
        target, state, up, down, changed, closes_at, starting_points=start, counts_at=counts_at
    )
    if outcome == CLOSED:
        raise VotingClosed(ballot)
    return ballot


def _post_call(
    rules: Rules,
    now: float,
    user_id: int,
    target: Target,
    vote: Vote,
    limit: RateLimit | None,
    daily: DailyVotes,
    newcomer: str,
) -> Call:
    return VOTE(rules)(
        (
            keys.target(target),
            keys.voters(target),
            *_shard_keys(keys.shard(target.post_id)),
            keys.generation(keys.RANK_TAG),
            *_limit_key(limit),
        ),
        int(now),
        user_id,
        int(vote),
        change(user_id, target, vote, now),
        member(target.post_id),
        newcomer,
        *_limit_arguments(now, limit, daily.of_vote(vote)),
    )


def _comment_call(
    rules: Rules,
    now: float,
    user_id: int,
    target: Target,
    vote: Vote,
    limit: RateLimit | None,
    daily: DailyVotes,
    newcomer: str,
) -> Call:
    ledger, generation = _shard_keys(keys.shard(target.post_id))
    return VOTE_COMMENT(
        (
            keys.target(target),
            keys.voters(target),
            ledger,
            keys.post(target.post_id),
            generation,
            *_limit_key(limit),
        ),
        user_id,
        int(vote),
        target.post_id,
        change(user_id, target, vote, now),
        int(now),
        rules.window,
        newcomer,
        *_limit_arguments(now, limit, daily.of_vote(vote)),
    )


@cache
def _shard_keys(number: int) -> tuple[str, str]:
    return keys.ledger(number), keys.generation(keys.shard_tag(number))


def _limit_key(limit: RateLimit | None) -> tuple[str, ...]:
    return (hits_key(limit),) if limit else ()


def _limit_arguments(now: float, limit: RateLimit | None, daily: str) -> tuple[Argument, ...]:
    return (*hit_arguments(now), daily, *window_arguments(limit)) if limit else ()
