"""Groups, and mixes of groups.

A mix is a+b (posts in any group), a&b (posts in all groups), or a~b (posts in a but not in b).
"""

from collections.abc import Sequence

from voting import keys
from voting.errors import InvalidMix, StoreEmpty
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.scripts import Call
from voting.types import Direction, Mix, Operator, Order, Rules

MIX = scripts.load("mix")
MAX_GROUPS = 4
"""The most groups in a mix."""
DEPTH = 1_000
"""The most posts that a mix takes from a group's ranking, so that building a mix is quick."""
MAX_MIXES = 200
"""The most mixes that are cached at a time."""


class Groups:
    """The groups of one site. Methods raise StoreUnavailable if Redis is down."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def sizes(self, names: Sequence[str]) -> dict[str, int]:
        """Return the number of posts in each group. One round trip."""
        with self._store.pipeline() as pipeline:
            pipeline.exists(keys.generation(keys.RANK_TAG))
            for name in names:
                pipeline.scard(keys.group(name))
            filled, *found = pipeline.execute()
        if not filled:
            raise StoreEmpty("the generation of the rankings is missing")
        return dict(zip(names, found, strict=True))


def parse(expression: str) -> str | Mix:
    """Return the group, or combined groups, of an expression like `a+b`, in canonical order.

    Raises InvalidMix if operators differ, a name is missing, or there are too many groups.
    """
    used = [operator for operator in Operator if operator in expression]
    if not used:
        return expression
    if len(used) > 1:
        raise InvalidMix("only one kind of operator is allowed")
    operator = used[0]
    first, *others = expression.split(operator)
    names = dict.fromkeys((first, *sorted(others)))
    if operator is Operator.WITHOUT:
        if first in others:
            raise InvalidMix("a group without itself is always empty")
    else:
        names = dict.fromkeys(sorted(names))
    if "" in names:
        raise InvalidMix("a group's name is missing")
    if len(names) > MAX_GROUPS:
        raise InvalidMix(f"at most {MAX_GROUPS} groups are allowed")
    return first if len(names) == 1 else Mix(operator, tuple(names))


def mix_call(rules: Rules, now: int, mix: Mix, order: Order, direction: Direction) -> Call:
    """Return the call that builds the ranking of combined groups.

    The call does nothing if Redis has a fresh cached ranking.
    """
    sources = [
        key for name in mix.groups for key in (keys.group(name), *keys.rankings(order, name))
    ]
    return MIX(
        (
            keys.mix(mix, order, direction),
            keys.mixes(),
            keys.generation(keys.RANK_TAG),
            *sources,
        ),
        mix.operator,
        int(direction is Direction.DESC),
        rules.mix_seconds,
        now,
        DEPTH,
        MAX_MIXES,
        len(keys.rankings(order)),
    )
