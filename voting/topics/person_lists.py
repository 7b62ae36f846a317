"""What all lists of people share: how they are changed, filled, read and looked through.

Each is a sorted set or a set below its person's hash tag.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from redis.client import Pipeline

from voting import keys
from voting.errors import StoreEmpty
from voting.keys import people
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.readings import Answer, Reading
from voting.redis.scripts import Argument, Call, Command

BOND = scripts.load("bond")
BATCH = 1_000
"""Members written in one round trip while filling."""
ALL = 0

Member = TypeVar("Member")


def spelled(at: float) -> str:
    """Return a time as lists keep it, to the microsecond, so that two rarely fall together."""
    return f"{at:.6f}"


def generation(person: int) -> str:
    """Return the key that says whether a person's lists are filled."""
    return keys.generation(people.tag(person))


def member_call(
    key: str, person: int, member: str | int, at: float | None, longest: int = ALL
) -> Call:
    """Return the call that puts a member into a person's list with its time (s), or takes it out
    where None; the newest `longest` stay.
    """
    return BOND((key, generation(person)), member, "" if at is None else spelled(at), longest)


def in_batches(store: Store, members: Iterable[Member]) -> Iterator[tuple[Pipeline, Member]]:
    """Yield members with the pipeline that takes what is to be done about them.

    A round trip a thousand.
    """
    remaining = iter(members)
    while batch := list(islice(remaining, BATCH)):
        with store.pipeline() as pipeline:
            for member in batch:
                yield pipeline, member
            pipeline.execute()


def reading(
    whose: Iterable[int], decode: Callable[..., Answer], *commands: Sequence[Argument]
) -> Reading[Answer]:
    """Return what reads lists of these people; `decode` is given the reply to each command.

    Its answer is StoreEmpty where a generation of theirs is missing.
    """
    generations = [("EXISTS", key) for key in sorted({generation(person) for person in whose})]

    def filled(replies: Sequence[Any]) -> Answer:
        if not all(replies[len(commands) :]):
            raise StoreEmpty("the generation of a person is missing")
        return decode(*replies[: len(commands)])

    return Reading([Command(tuple(words)) for words in (*commands, *generations)], filled)
