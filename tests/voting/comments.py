"""Creates comments for tests, and reads what Redis stores about comments."""

from collections.abc import Iterable
from typing import Any

from redis import Redis

from tests.voting import stored_state
from tests.voting.sites import BRAM
from voting import keys
from voting.keys import comments as comment_keys
from voting.service import VotingService
from voting.types import Ballot, Target, Vote
from voting.types.comments import Comment, CommentRecord

POST = 7
"""The post that people comment on, unless a test names another post."""


def comment(
    site: VotingService,
    comment_id: int,
    *,
    post_id: int = POST,
    author: int = BRAM,
    ago: int = 0,
    version: int = 1,
    answer: bool = False,
    card: str = "",
) -> Comment:
    """Return an unpublished comment, written `ago` seconds before now."""
    card = card or f"comment {comment_id}, version {version}"
    at = site.now() - ago
    return Comment(comment_id, post_id, author, at, card, version=version, answer=answer)


def publish_comment(site: VotingService, comment_id: int, **more: Any) -> Comment:
    """Publish a comment with the arguments of `comment`, and return the comment."""
    published = comment(site, comment_id, **more)
    site.comments.publish(published)
    return published


def vote(
    site: VotingService, person: int, comment_id: int, wanted: Vote = Vote.UP, post_id: int = POST
) -> Ballot:
    return site.votes.cast(person, Target(post_id, comment_id), wanted)


def record(
    published: Comment, *, ups: Iterable[int] = (BRAM,), downs: Iterable[int] = ()
) -> CommentRecord:
    """Return a comment with its voters, in the form in which the site loads comments from SQL."""
    up, down = tuple(ups), tuple(downs)
    return CommentRecord(published, len(up), len(down), up, down)


def voters(redis: Redis, comment_id: int, post_id: int = POST) -> tuple[set[int], set[int]]:
    """Return the ids of a comment's up voters and down voters, from Redis."""
    found: Any = redis.smembers(keys.voters(Target(post_id, comment_id)))
    numbers = {int(one) for one in found}
    return {n for n in numbers if n > 0}, {-n for n in numbers if n < 0}


def ledger(redis: Redis, comment_id: int, post_id: int = POST) -> list[tuple[int, int, int, int]]:
    """Return the ledger's entries on a comment."""
    return stored_state.ledger(redis, post_id, comment_id)


def assert_comment_fits(redis: Redis, site: VotingService, comment_id: int) -> None:
    """Assert that a comment's tally, its voter set and its ledger entries are consistent."""
    tally = site.comments.tallies(POST, [comment_id])[comment_id]
    ups, downs = voters(redis, comment_id)
    assert not ups & downs, "nobody votes both ways"
    assert (tally.up, tally.down) == (len(ups), len(downs)), "as many votes as voters"
    state: dict[int, int] = {}
    for person, cast, up, down in ledger(redis, comment_id):
        assert state.get(person, 0) != cast, f"the ledger has person {person}'s vote twice"
        state[person] = cast
        assert (up, down) == (list(state.values()).count(1), list(state.values()).count(-1))
    assert {one for one, cast in state.items() if cast == 1} == ups, (
        "the ledger gives the voter set"
    )
    assert {one for one, cast in state.items() if cast == -1} == downs


def stored_newest(redis: Redis, post_id: int = POST) -> tuple[list[int], dict[str, str]]:
    """Return a post's newest comments from Redis: ids, oldest first, and a dict from id to text."""
    ids: Any = redis.zrange(comment_keys.latest(post_id), 0, -1)
    texts: Any = redis.hgetall(comment_keys.latest_texts(post_id))
    return [int(one) for one in ids], {k: v for k, v in texts.items() if k.isdigit()}
