"""Spells every key in Redis. Nobody else does.

`{sNN}` (NN = post id mod 64) and `{rank}` are hash tags: on a cluster, keys with one tag share a
slot. Scripts that learn ids or group names while they run get a pattern from here, in the format
of Lua's `string.format`, and never put a name together themselves.
"""

from voting.types import Mix, Order, Target

SHARDS = 64
RANK_TAG = "{rank}"

SHARD_PATTERN = "{s%02d}"
POST_PATTERN = SHARD_PATTERN + ":post:%d"
"""Pattern of `post`, from shard and post id."""

VOTERS_SUFFIX = ":voters"
"""What follows `target` in the key of its `voters`."""

SITE_RANKINGS = RANK_TAG + ":"
"""What every `ranking` of the whole site begins with; the order follows."""

GROUP_RANKINGS_PATTERN = RANK_TAG + ":group:%s:"
"""Pattern of what every `ranking` of a group begins with, from the group; the order follows."""

GROUP_PATTERN = RANK_TAG + ":group:%s"
"""Pattern of `group`, from the group's name."""

MIX_PATTERN = RANK_TAG + ":mix:%s"
"""Pattern of `mix`, from its digest."""


def shard(post_id: int) -> int:
    """Return the shard a post, its voters and its ledger entries live in."""
    return post_id % SHARDS


def shard_tag(number: int) -> str:
    """Return the hash tag of a shard."""
    return SHARD_PATTERN % number


def tags() -> tuple[str, ...]:
    """Return every hash tag in use; each holds a `generation`."""
    return (RANK_TAG, *(shard_tag(number) for number in range(SHARDS)))


def generation(tag: str) -> str:
    """STRING, 32 bytes: random, made when the tag's keys were last filled. Lives for ever."""
    return f"{tag}:generation"


def ended() -> str:
    """STRING, 32 bytes: the generation of a store that was closed and not cleared yet, so that
    whoever goes on after a rebuild's death can still archive its ledger.
    """
    return f"{RANK_TAG}:ended"


def rules() -> str:
    """STRING, about 20 bytes: signature of the rules the scores were made with. Lives for ever."""
    return f"{RANK_TAG}:rules"


def post(post_id: int) -> str:
    """HASH: posted_at, up, down, n (changes so far), last (ledger id), author, groups, version,
    card, gone (retracted). About 250 bytes. Lives for ever.
    """
    return POST_PATTERN % (shard(post_id), post_id)


def target(on: Target) -> str:
    """HASH of a target: the post's own, or its comment's (posted_at, up, down, n, last)."""
    if on.comment_id:
        return f"{shard_tag(shard(on.post_id))}:comment:{on.comment_id}"
    return post(on.post_id)


def voters(on: Target) -> str:
    """SET of integers, 4 bytes each up to 65,536 of them: +user id voted up, -user id down.

    Lives until an hour after voting on the target closed.
    """
    return target(on) + VOTERS_SUFFIX


VOTERS_GRACE = 3_600
"""Seconds a voter set outlives its window, so that no clock difference can empty it early."""


def loading(on: Target, loader: str) -> str:
    """SET: voters of a post that `loader` is about to load; takes the place of `voters` then.

    Lives for minutes, in case the loader dies.
    """
    return f"{voters(on)}:{loader}"


LOADING_LIFE = 600
"""Seconds within which a loader must have loaded a post."""


def ledger(number: int) -> str:
    """STREAM of a shard: one entry of about 60 bytes for each accepted change; trimmed when
    archived.
    """
    return f"{shard_tag(number)}:ledger"


def lease(number: int) -> str:
    """STRING: which reader archives the shard's ledger now. Lives for seconds."""
    return f"{shard_tag(number)}:lease"


def rebuild_lease() -> str:
    """STRING: who fills Redis anew now. Lives for seconds, and through `clear`."""
    return f"{RANK_TAG}:rebuild:lease"


def ranking(order: Order, group: str | None = None) -> str:
    """ZSET of post ids (ten digits, so that equal scores rank newer first) by the order's score.

    Scores: `hot` see `voting.scores`; `new` the posting time (s); `top:...` points plus posting
    time / 2^33, so that equal points rank newer first. The best `ranking_limit` posts.
    """
    if group is None:
        return SITE_RANKINGS + order
    return GROUP_RANKINGS_PATTERN % group + order


def swept() -> str:
    """HASH: for each ranking of a past span, the posting time up to which it has been swept."""
    return f"{RANK_TAG}:swept"


def group(name: str) -> str:
    """SET of post ids: who is in a group. Every listing trusts it. Lives for ever."""
    return GROUP_PATTERN % name


def mix(combined: Mix, order: Order, direction: str) -> str:
    """ZSET of post ids: a combined listing. At most 4,000 posts; lives `mix_seconds`."""
    return MIX_PATTERN % f"{combined}:{order}:{direction}"


def mixes() -> str:
    """ZSET of the keys of living mixes by the time they end (s); at most 200."""
    return f"{RANK_TAG}:mixes"
