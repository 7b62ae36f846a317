"""What becomes of a script on a cluster, where one script touches one slot.

A plan is a generator. It yields the calls that can be asked at once, is sent their replies, and
returns what the script would have replied on one server. An error of ours among the replies is
thrown into it. The plans of several calls go on side by side (see `store`), so that a page takes as
many round trips as its longest plan: three at most.

A post's own slot decides; the rankings follow in a step that is absolute and may be repeated
(`lua/rank.lua`). Where that step fails, content is told again by whoever sent it; a vote stands,
and the ledger's reader repeats the step (`voting.maintenance.ledger`).
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from voting import keys
from voting.errors import StoreUnavailable
from voting.redis import scripts
from voting.redis.arguments import LoadArguments, member
from voting.redis.cluster import page_plans
from voting.redis.cluster.page_plans import Plan
from voting.redis.scripts import Argument, Call, Command, Request

RANK = scripts.load_ruled("rank")
WINDOW = scripts.load("window")

CHANGED = "1 "
"""How the reply to a vote that changed something begins."""
POINTS_ONLY = frozenset({"rerank", "view", "vote"})
"""Scripts that leave a post where it is and change what it ranks by."""
WINDOW_KEY = 5
"""Where the key of a person's window follows in a vote's keys."""


def plan(call: Request) -> Plan:
    """Return how a call is carried out on a cluster."""
    return PLANS.get(call.name, _alone)(call)


def _alone(call: Request) -> Plan:
    return (yield [call])[0]


def _post(call: Call, *more: Argument, filling: Argument = 0) -> Plan:
    """Change a post, then its places in the rankings."""
    reply, state = (yield [_at_home(call, *more)])[0]
    if state is not None:
        yield [_rank_call(call, state, filling)]
    return reply


def _load(call: Call) -> Plan:
    told = LoadArguments._make(call.arguments[1:])
    return _post(call, filling=told.filling)


def _vote(call: Call, limits_at: int) -> Plan:
    """Ask the person's window, change the vote, then rank the post and take an idle hit back."""
    times, wait, hit = call.keys[WINDOW_KEY:], 0, None
    if times:
        now, hit, *windows = call.arguments[limits_at:]
        wait, _ = (yield [WINDOW((str(times[0]), str(times[0])), now, hit, "", 0, *windows)])[0]
    reply, state = (yield [_at_home(call, wait)])[0]
    afterwards: list[Request] = []
    if hit is not None and not wait and not reply.startswith(CHANGED):
        afterwards.append(Command(("ZREM", times[0], hit)))
    if state is not None:
        afterwards.append(_rank_call(call, state))
    if afterwards:
        with suppress(StoreUnavailable):
            yield afterwards
    return reply


def _at_home(call: Call, *more: Argument) -> Call:
    """Return the call's form for clusters, in which keys of other slots stand for a generation."""
    tag = keys.tag_of(str(call.key))
    own = [key if keys.tag_of(str(key)) == tag else keys.generation(tag) for key in call.keys]
    script = call.script.cluster_form or call.script
    return Call(script, (len(own), *own, *call.arguments, *more))


def _rank_call(call: Call, state: Sequence[Argument], filling: Argument = 0) -> Call:
    """Return the step that makes rankings follow a post's state."""
    post_id, author = int(str(call.key).rpartition(":")[2]), int(state[7])
    rules = call.script.rules
    if rules is None:
        raise TypeError(f"{call.name} knows of no rules to rank by")
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
    "vote": partial(_vote, limits_at=5),
    "vote_comment": partial(_vote, limits_at=6),
    "publish": _post,
    "retract": _post,
    "regroup": _post,
    "view": _post,
    "rerank": _post,
    "load": _load,
    "listing": page_plans.listing,
    "rows": page_plans.rows,
    "explain": page_plans.explain,
}
"""Scripts that touch several slots, by name."""
