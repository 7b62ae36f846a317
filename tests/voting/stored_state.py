"""Reads what Redis stores, with a plain redis-py client, and checks that the data is consistent."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from redis import Redis

from voting import keys
from voting.redis.encoding import member, tally_parts
from voting.service import VotingService
from voting.types import Order, Target


def contents(redis: Redis) -> dict[str, Any]:
    """Map all keys to their values. Leaves out the times of changes, which only clusters store."""
    found: dict[str, Any] = {}
    for key in redis.scan_iter("*"):
        fields: Any = redis.hgetall(key) if redis.type(key) == "hash" else redis.dump(key)
        if not key.startswith(f"{keys.RANK_TAG}:seen:"):
            found[key] = fields
            if isinstance(fields, dict):
                fields.pop("stamp", None)
    return found


def voters(redis: Redis, post_id: int) -> tuple[set[int], set[int]]:
    """Return the ids of a post's up voters and down voters, from Redis."""
    found: Any = redis.smembers(keys.voters(Target(post_id)))
    numbers = {int(one) for one in found}
    return {n for n in numbers if n > 0}, {-n for n in numbers if n < 0}


def tallies(redis: Redis, post_id: int) -> tuple[int, int]:
    """Return the numbers of up and down votes that Redis stores for a post."""
    up, down, *_ = tally_parts(str(redis.hget(keys.post(post_id), "tally")))
    return up, down


def score(redis: Redis, post_id: int, order: Order, group: str | None = None) -> float | None:
    """Return a post's score in a ranking."""
    found: list[Any] = [redis.zscore(key, member(post_id)) for key in keys.rankings(order, group)]
    scores = [float(one) for one in found if one is not None]
    assert len(scores) <= 1, f"post {post_id} is in several bands"
    return scores[0] if scores else None


def ledger(redis: Redis, post_id: int, comment_id: int = 0) -> list[tuple[int, int, int, int]]:
    """Return the ledger's entries on a post or comment."""
    entries: Any = redis.xrange(keys.ledger(keys.shard(post_id)))
    parsed = [[int(part) for part in fields["e"].split()] for _, fields in entries]
    return [
        (person, vote, up, down)
        for person, *target, vote, _, up, down in parsed
        if target == [post_id, comment_id]
    ]


def replayed(redis: Redis, post_id: int) -> tuple[set[int], set[int]]:
    """Return a post's up voters and down voters according to the ledger."""
    state: dict[int, int] = {}
    for person, vote, up, down in ledger(redis, post_id):
        assert state.get(person, 0) != vote, f"the ledger has person {person}'s vote twice"
        state[person] = vote
        counted = (list(state.values()).count(1), list(state.values()).count(-1))
        assert (up, down) == counted, (
            f"an entry on post {post_id} has tally {up, down} instead of {counted}"
        )
    return {p for p, v in state.items() if v == 1}, {p for p, v in state.items() if v == -1}


def whereabouts(redis: Redis, post_id: int) -> set[str]:
    """Return the keys of all rankings and groups that contain a post."""
    found = set()
    for key in redis.scan_iter(f"{keys.RANK_TAG}:*", count=1_000, _type="zset"):
        if redis.zscore(key, member(post_id)) is not None:
            found.add(key)
    for key in redis.scan_iter(f"{keys.RANK_TAG}:group:*", count=1_000, _type="set"):
        if redis.sismember(key, str(post_id)):
            found.add(key)
    return found


def expected_whereabouts(groups: Iterable[str], author: int = 1) -> set[str]:
    """Return the keys of all rankings and groups that must contain a post written today."""
    names = tuple(groups)
    orders = (Order.HOT, Order.NEW, Order.ACTIVE, Order.VIEWS, Order.TOP_DAY)
    rankings = {keys.ranking(order, scope) for order in orders for scope in (None, *names)}
    return rankings | {keys.group(name) for name in names} | {keys.author(author)}


def assert_fits(
    redis: Redis, site: VotingService, post_ids: Iterable[int], *, whole_ledger: bool = True
) -> None:
    """Assert that vote counts, voter sets, ledger and rankings of the posts are consistent."""
    posts = tuple(post_ids)
    inspected = site.maintenance.inspection.posts(posts)
    for post_id in posts:
        ups, downs = voters(redis, post_id)
        assert tallies(redis, post_id) == (len(ups), len(downs)), (
            f"the tallies of post {post_id} are not the sizes of its voter sets"
        )
        assert not ups & downs, f"people voted post {post_id} both up and down"
        if whole_ledger:
            assert replayed(redis, post_id) == (ups, downs), (
                f"the ledger of post {post_id}, replayed, does not give its voter set"
            )
        assert not inspected[post_id].misplaced, f"post {post_id} has a wrong score in a ranking"


def misplaced(site: VotingService, posts: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Map wrongly ranked posts to the rankings in which their place or score is wrong."""
    found = site.maintenance.inspection.posts(posts)
    return {post: one.misplaced for post, one in found.items() if one.misplaced}


def commands(redis: Redis, action: Callable[[], object]) -> Counter[str]:
    """Run an action, and return how often the server ran each Redis command during the action."""

    def ran() -> Counter[str]:
        found: Any = redis.info("commandstats")
        calls = {name.removeprefix("cmdstat_"): one["calls"] for name, one in found.items()}
        return Counter({name: n for name, n in calls.items() if name not in {"info", "config"}})

    before = ran()
    action()
    return ran() - before
