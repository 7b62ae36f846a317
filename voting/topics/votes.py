"""Votes: one person's state on one target, changed in one atomic step.

Redis ends a voter set by its own clock. Where that was hours ahead for a moment, there are votes
and nobody who cast them: such a target takes no votes until it is loaded anew from the archive.
"""

from collections.abc import Iterable
from functools import cache
from math import ceil

from voting import keys
from voting.errors import StoreUnavailable, Throttled, UnknownTarget, VotingClosed
from voting.redis import scripts
from voting.redis.arguments import member
from voting.redis.connection import Store
from voting.redis.readings import Reading
from voting.redis.scripts import Argument, Call
from voting.redis.stored import change
from voting.topics.windows import hit_arguments, times_key, window_arguments
from voting.types import VOTES, Ballot, Rules, Target, Vote
from voting.types.limits import Pace

VOTE = scripts.load_ruled("vote")
VOTE_COMMENT = scripts.load("vote_comment")
VOTERS_GONE, TOO_FAST, UNKNOWN, CLOSED, CHANGED = -4, -3, -2, -1, 1
NEVER = 0
"""When voting closes on an answer to a question."""


def casting(
    store: Store,
    rules: Rules,
    now: float,
    user_id: int,
    target: Target,
    wanted: Vote,
    pace: Pace | None = None,
) -> Reading[Ballot]:
    """Return what brings a person's vote on a target to `wanted` and tells how it stands. May be
    repeated. `now` counts by the second, and for `pace` by the millisecond. It takes a round trip
    more where the target's voters are gone.

    Its answer raises VotingClosed at or after the posting time plus the window, UnknownTarget,
    StoreUnavailable, and Throttled where a change would be more than `pace` allows.
    """
    make = _comment_call if target.comment_id else _post_call
    call = make(rules, now, user_id, target, wanted, pace)
    return Reading((call,), lambda replies: _ballot(store, rules, target, replies[0]))


def _ballot(store: Store, rules: Rules, target: Target, reply: str) -> Ballot:
    outcome, *state = map(int, reply.split())
    if outcome == UNKNOWN:
        raise UnknownTarget(target)
    if outcome == VOTERS_GONE:
        store.command("SADD", keys.bereft(), f"{target.post_id}:{target.comment_id}")
        raise StoreUnavailable(f"the voters on {target} are gone, and are to be loaded anew")
    if outcome == TOO_FAST:
        raise Throttled(ceil(state[0] / 1_000))
    vote, up, down, posted_at, *endless = state
    closes_at = NEVER if any(endless) else posted_at + rules.window
    ballot = Ballot(target, VOTES[vote], up, down, outcome == CHANGED, closes_at)
    if outcome == CLOSED:
        raise VotingClosed(ballot)
    return ballot


def bereft(store: Store) -> set[Target]:
    """Return the targets that were found without their voters. One round trip."""
    found = store.command("SMEMBERS", keys.bereft())
    return {Target(*map(int, one.split(":"))) for one in found}


def forget_bereft(store: Store, targets: Iterable[Target]) -> None:
    """Take targets for whole again. One round trip."""
    spelled = (f"{one.post_id}:{one.comment_id}" for one in targets)
    store.command("SREM", keys.bereft(), *spelled)


def _post_call(
    rules: Rules, now: float, user_id: int, target: Target, wanted: Vote, pace: Pace | None
) -> Call:
    return VOTE(rules)(
        (
            keys.target(target),
            keys.voters(target),
            *_shard_keys(keys.shard(target.post_id)),
            keys.generation(keys.RANK_TAG),
            *_limit_key(pace),
        ),
        int(now),
        user_id,
        int(wanted),
        change(user_id, target, wanted, now),
        member(target.post_id),
        *_limit(now, pace),
    )


def _comment_call(
    rules: Rules, now: float, user_id: int, target: Target, wanted: Vote, pace: Pace | None
) -> Call:
    ledger, generation = _shard_keys(keys.shard(target.post_id))
    return VOTE_COMMENT(
        (
            keys.target(target),
            keys.voters(target),
            ledger,
            keys.post(target.post_id),
            generation,
            *_limit_key(pace),
        ),
        user_id,
        int(wanted),
        target.post_id,
        change(user_id, target, wanted, now),
        int(now),
        rules.window,
        *_limit(now, pace),
    )


@cache
def _shard_keys(number: int) -> tuple[str, str]:
    return keys.ledger(number), keys.generation(keys.shard_tag(number))


def _limit_key(pace: Pace | None) -> tuple[str, ...]:
    return (times_key(pace),) if pace else ()


def _limit(now: float, pace: Pace | None) -> tuple[Argument, ...]:
    return (*hit_arguments(now), *window_arguments(pace)) if pace else ()
