"""How a cluster runs scripts that need several slots.

A plan is a generator that runs one script in steps. In each step, the plan yields calls and
receives the replies to these calls. At the end, the plan returns what the script would return on a
single server. The plans of several calls run in parallel (see `connection`), so a page takes at
most three round trips.

A script that changes a post is split in two. The first step changes the post in its own slot. The
second step writes the new scores to the rankings (`lua/rank.lua`), and can run again without harm.
If the second step of an edit fails, the caller syncs the post again. If the second step of a vote
fails, the vote still counts, and the process that archives votes runs the step again
(`voting.maintenance.ledger`).
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from voting import keys
from voting.errors import StoreUnavailable
from voting.redis import scripts
from voting.redis.cluster import page_plans
from voting.redis.cluster.page_plans import Plan
from voting.redis.encoding import LoadArguments, member
from voting.redis.scripts import Argument, Call, Command, Request

RANK = scripts.load_ruled("rank")
WINDOW = scripts.load("window")
DAILY_VOTES = scripts.load("daily_votes")

CHANGED = "1 "
"""The beginning of a voting script's reply if the vote changed."""
POINTS_ONLY = frozenset({"rerank", "view", "vote"})
"""Scripts that change a post's scores, but not which rankings have the post."""
WINDOW_KEY = 5
"""Index of the rate limit's key among the keys of a voting script."""


def plan(call: Request) -> Plan:
    """Return the plan that runs this script or command on a cluster, step by step."""
    return PLANS.get(call.name, _unplanned)(call)


def _unplanned(call: Request) -> Plan:
    return (yield [call])[0]


def _post(call: Call, *more: Argument, filling: Argument = 0) -> Plan:
    """Change a post in its own slot, then update the post's places in the rankings."""
    reply, state = (yield [_cluster_form(call, *more)])[0]
    if state is not None:
        yield [_rank_call(call, state, filling)]
    return reply


def _load(call: Call) -> Plan:
    arguments = LoadArguments._make(call.arguments[1:])
    return _post(call, filling=arguments.filling)


def _vote(call: Call, limits_at: int, wanted_at: int) -> Plan:
    """Check the limits, cast the vote, then update the rankings.

    A vote that changes nothing doesn't count for the limits. Simultaneous votes may exceed the
    daily limits, because the target's author isn't known when a hit is recorded.
    """
    times, checked = call.keys[WINDOW_KEY:], _Checked()
    if times:
        checked = yield from _check_limits(call, str(times[0]), limits_at, wanted_at)
    cast = _cluster_form(call, checked.rule, checked.wait)
    (reply, state), *_ = yield [cast, *checked.naming]
    last: list[Request] = []
    if checked.hits and not reply.startswith(CHANGED):
        last.append(Command(("ZREM", times[0], *checked.hits)))
    if state is not None:
        last.append(_rank_call(call, state))
    if last:
        with suppress(StoreUnavailable):
            yield last
    return reply


class _Checked(NamedTuple):
    """The result of checking the limits of a vote."""

    wait: int = 0
    """Time to wait (ms); 0 if the vote is allowed."""
    rule: int = 0
    """The number of the daily limit that is reached (see `daily_votes.lua`); 0 for none."""
    hits: tuple[Argument, ...] = ()
    """Names of the hit that was recorded."""
    naming: tuple[Request, ...] = ()
    """Commands that add the target's author to the name of the hit."""


def _check_limits(call: Call, times: str, limits_at: int, wanted_at: int) -> Plan:
    """Record a hit if the windows allow it, and check the daily limits; return a `_Checked`.

    One round trip. Two if the person has so many hits that a daily limit may be reached.
    """
    now, hit, daily, *windows = call.arguments[limits_at:]
    window = WINDOW((times, times), now, hit, "", 0, *windows)
    author_of = [Command(("HGET", call.key, "author"))] if daily else []
    (wait, _, before), *authors = yield [window, *author_of]
    if wait or not authors:
        return _Checked(wait, hits=() if wait else (hit,))
    author, wanted, rule = authors[0] or "", int(call.arguments[wanted_at]), 0
    if before >= int(str(daily).split()[0]):
        wait, rule = (yield [DAILY_VOTES((times,), now, daily, author)])[0]
    if wait:
        return _Checked(wait, rule, (hit,))
    name = f"{hit!s}:{author}:{wanted}"
    naming = Command(("ZADD", times, now, name)), Command(("ZREM", times, hit))
    return _Checked(hits=(hit, name), naming=naming)


def _cluster_form(call: Call, *more: Argument) -> Call:
    """Return the call that runs the script on a cluster, where all keys must be in one slot.

    Replaces each key in another slot by a placeholder: the key that marks the shard as filled
    (`keys.generation`). The script doesn't write to placeholders.
    """
    tag = keys.tag_of(str(call.key))
    own = [key if keys.tag_of(str(key)) == tag else keys.generation(tag) for key in call.keys]
    script = call.script.cluster_form or call.script
    return Call(script, (len(own), *own, *call.arguments, *more))


def _rank_call(call: Call, state: Sequence[Argument], filling: Argument = 0) -> Call:
    """Return the call that writes a post's scores to the rankings.

    `state` is the changed post's data for the rankings, as `state_of.lua` returns it.
    """
    post_id, author = int(str(call.key).rpartition(":")[2]), int(state[7])
    rules = call.script.rules
    if rules is None:
        raise TypeError(f"{call.name} has no rules to rank by")
    return RANK(rules)(
        (
            keys.seen(post_id),
            keys.generation(keys.RANK_TAG),
            keys.author(author),
        ),
        call.arguments[0],
        post_id,
        member(post_id),
        keys.SEEN_LIFE,
        filling,
        int(call.script.name not in POINTS_ONLY),
        *state,
    )


PLANS: dict[str, Callable[[Any], Plan]] = {
    "vote": partial(_vote, limits_at=6, wanted_at=2),
    "vote_comment": partial(_vote, limits_at=7, wanted_at=1),
    "publish": _post,
    "retract": _post,
    "view": _post,
    "rerank": _post,
    "load": _load,
    "listing": page_plans.listing,
    "rows": page_plans.rows,
    "explain": page_plans.explain,
}
"""The plans of the scripts that need several slots, by script name."""
