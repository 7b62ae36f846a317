"""Votes: one person's state on one target, changed in one atomic step."""

from voting import keys, scripts
from voting.client import Store
from voting.errors import UnknownTarget, VotingClosed
from voting.ground import ground, member
from voting.types import Ballot, Rules, Target, Vote

VOTE = scripts.load("vote")
UNKNOWN, CLOSED, CHANGED = -2, -1, 1


def cast(
    store: Store, rules: Rules, now: int, user_id: int, target: Target, wanted: Vote
) -> Ballot:
    """Bring a person's vote on a post to `wanted` and return how it stands. One round trip.

    Raises VotingClosed at or after the posting time plus the window, UnknownTarget, and
    StoreUnavailable. Repeating a call changes nothing more.
    """
    if target.comment_id:
        raise UnknownTarget(target)
    shard = keys.shard(target.post_id)
    call = VOTE(
        (
            keys.target(target),
            keys.voters(target),
            keys.ledger(shard),
            keys.generation(keys.shard_tag(shard)),
            keys.generation(keys.RANK_TAG),
        ),
        *ground(rules, now),
        user_id,
        int(wanted),
        target.post_id,
        member(target.post_id),
    )
    outcome, *state = store.run(call)[0]
    if outcome == UNKNOWN:
        raise UnknownTarget(target)
    vote, up, down, posted_at = state
    ballot = Ballot(target, Vote(vote), up, down, outcome == CHANGED, posted_at + rules.window)
    if outcome == CLOSED:
        raise VotingClosed(ballot)
    return ballot
