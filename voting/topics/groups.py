"""Groups and their combinations: a+b (in any), a&b (in all), a~b (in a but not in b)."""

from collections.abc import Sequence

from voting import keys
from voting.errors import BadMix, StoreEmpty
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.scripts import Call
from voting.types import Direction, Mix, Operator, Order, Rules

MIX = scripts.load("mix")
MIXED_GROUPS = 4
"""Groups a mix may combine."""
DEPTH = 1_000
"""Posts a mix takes from the top of a group's ranking, so that building one stays short."""
LIVING_MIXES = 200


def parse(expression: str) -> str | Mix:
    """Return the group or the mix that an expression like `a+b` names, in canonical order.

    Raises BadMix where operators differ, a name is missing, or there are too many.
    """
    used = [operator for operator in Operator if operator in expression]
    if not used:
        return expression
    if len(used) > 1:
        raise BadMix("one kind of operator at a time")
    operator = used[0]
    first, *others = expression.split(operator)
    names = dict.fromkeys((first, *sorted(others)))
    if operator is Operator.WITHOUT:
        if first in others:
            raise BadMix("a group without itself is always empty")
    else:
        names = dict.fromkeys(sorted(names))
    if "" in names:
        raise BadMix("a group's name is missing")
    if len(names) > MIXED_GROUPS:
        raise BadMix(f"at most {MIXED_GROUPS} groups at a time")
    return first if len(names) == 1 else Mix(operator, tuple(names))


def mix_call(rules: Rules, now: int, mix: Mix, order: Order, direction: Direction) -> Call:
    """Return the call that builds a mix unless a fresh one is there."""
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
        LIVING_MIXES,
        len(keys.rankings(order)),
    )


def sizes(store: Store, names: Sequence[str]) -> dict[str, int]:
    """Return how many posts each group has. Raises StoreEmpty. One round trip."""
    with store.pipeline() as pipeline:
        pipeline.exists(keys.generation(keys.RANK_TAG))
        for name in names:
            pipeline.scard(keys.group(name))
        filled, *found = pipeline.execute()
    if not filled:
        raise StoreEmpty("the generation of the rankings is missing")
    return dict(zip(names, found, strict=True))
