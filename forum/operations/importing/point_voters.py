"""Draws the people behind a post's points. The same key gives the same people, on any machine."""

from collections.abc import Sequence
from random import Random

from forum.gateway.service import get_voting_service
from forum.operations.importing.drafts import Cast
from voting.types import Vote

SPREAD = 86_400
"""Seconds after posting in which votes come in."""


def draw(
    key: str, *, author_id: int, posted_at: int, up: int, down: int, people: Sequence[int]
) -> tuple[Cast, ...]:
    """Return `up` + `down` votes, the author's own among the up votes.

    `people` holds at least that many ids, the author's among them. Votes are cast after posting,
    while voting was open, and never in the future. No round trip.
    """
    chance = Random(key)  # noqa: S311 - nobody gains from guessing who is drawn
    span = min(SPREAD, get_voting_service().rules.window, get_voting_service().now() - posted_at)
    chosen = [one for one in chance.sample(people, up + down) if one != author_id]
    others = (
        Cast(
            user_id=one,
            vote=Vote.UP if number < up else Vote.DOWN,
            at=posted_at + int(chance.random() * span),
        )
        for number, one in enumerate(chosen[: up + down - 1], start=1)
    )
    return Cast(author_id, Vote.UP, posted_at), *others
