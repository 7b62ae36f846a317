"""Spells every key in Redis. No other module does.

`{sNN}` (NN = post id mod 64) and `{rank}` are hash tags: on a cluster, keys with one tag share a
slot. Scripts that learn ids or group names while they run get a pattern for Lua's `string.format`.
"""

from functools import cache

from voting.keys import people
from voting.types import Mix, Order, Target

SHARDS = 64
RANK_TAG = "{rank}"
LAYOUT = 3
"""One more whenever keys mean something else; see "Upgrade and reload" in docs/operations.md."""

SHARD_PATTERN = "{s%02d}"
POST_PATTERN = SHARD_PATTERN + ":post:%d"
"""Pattern of `post`, from shard and post id."""

VOTERS_SUFFIX = ":voters"
"""What follows `target` in the key of its `voters`."""

SITE_RANKINGS = RANK_TAG + ":"
"""What every `ranking` of the whole site begins with; the order follows."""
GROUP_RANKINGS, OF_GROUP = RANK_TAG + ":group:", ":"
"""What stands before a group's name in every `ranking` of it, and behind; the order follows."""
GROUP_PATTERN = RANK_TAG + ":group:%s"
"""Pattern of `group`, from the group's name."""

SWEPT = RANK_TAG + ":swept"
"""HASH: for each band of `top`, the posting time up to which posts have left it; and `:last`, the
last post looked at, while others of that second are not.
"""

MIX_PATTERN = RANK_TAG + ":mix:%s"
"""Pattern of `mix`, from its digest."""

OF_POSTS, OF_RANKINGS = "{s[0-9][0-9]}:*", RANK_TAG + ":*"
REBUILT = (OF_POSTS, OF_RANKINGS, people.EVERYBODY)
"""What the keys look like to SCAN that a rebuild fills again, with leases among them."""
EVERYTHING = (OF_POSTS, OF_RANKINGS, "{u[0-9][0-9]}:*", "{act[0-9]*}:*", "{w:*}:*")
"""What all keys of voting look like to SCAN: of posts, rankings, people, days and windows."""


def shard(post_id: int) -> int:
    """Return the shard a post, its voters and its ledger entries live in."""
    return post_id % SHARDS


def shard_tag(number: int) -> str:
    """Return the hash tag of a shard."""
    return SHARD_PATTERN % number


def tags() -> tuple[str, ...]:
    """Return every hash tag in use; each holds a `generation`."""
    return (RANK_TAG, *(shard_tag(number) for number in range(SHARDS)), *people.tags())


def tag_of(key: str) -> str:
    """Return the hash tag of a key."""
    return key[: key.index("}") + 1]


def generation(tag: str) -> str:
    """STRING, 32 bytes: random, made when the tag's keys were last filled. Lives for ever."""
    return f"{tag}:generation:{LAYOUT}"


def ended(tag: str) -> str:
    """STRING, 32 bytes: the generation a tag had when the store was closed, so that the ledger can
    be archived after a rebuild that died. Lives until it is cleared.
    """
    return f"{tag}:ended"


def claim() -> str:
    """STRING: which site moves to this Redis. Named as a lease, so that a rebuild leaves it. Lives
    until the move is done.
    """
    return f"{RANK_TAG}:claim:lease"


@cache
def leases() -> frozenset[str]:
    """Return all that ends by itself and outlives a rebuild: leases, and a move's claim."""
    return frozenset({claim(), rebuild_lease(), *(lease(number) for number in range(SHARDS))})


def rules() -> str:
    """STRING, 20 bytes: rules the scores were made with; empty while they change. For ever."""
    return f"{RANK_TAG}:rules"


VOTE_SECONDS = RANK_TAG + ":vote_seconds"
"""STRING: seconds one net vote is worth in `hot`. Every script that ranks reads it, so that all
processes change at the same moment. Lives for ever.
"""


def post(post_id: int) -> str:
    """HASH of about 250 bytes; lives for ever. Fields: row (format: `voting.redis.stored`; a
    retracted post has it in `gone`), tally, views, author, version, commented_at; and on a cluster
    stamp and was (see `state_of.lua`).
    """
    return POST_PATTERN % (shard(post_id), post_id)


def target(on: Target) -> str:
    """HASH of a target: the post's own, or its comment's: tally, post, posted_at, author, version,
    open (an answer, on which voting never closes), gone.
    """
    if on.comment_id:
        return f"{shard_tag(shard(on.post_id))}:comment:{on.comment_id}"
    return post(on.post_id)


def voters(on: Target) -> str:
    """SET of integers, 4 bytes each up to 65,536 of them: +user id voted up, -user id down.

    Lives until an hour after voting on the target closed; for ever on an answer to a question.

    One set, so that nobody is in it twice. A bitmap costs by the highest id that votes: one voter
    with id 10^8 takes 12,501,000 bytes there and 48 here (`tests/voting/test_answers.py`).
    """
    return target(on) + VOTERS_SUFFIX


VOTERS_GRACE = 3_600
"""Seconds a voter set outlives its window, so that no clock difference can empty it early."""


def missing_voters() -> str:
    """SET of "post:comment" (comment 0: the post itself) with votes but without a voter set. Lives
    until the worker has reloaded them.
    """
    return f"{RANK_TAG}:missing_voters"


def loading(on: Target, loader: str) -> str:
    """SET: voters of a post that `loader` is about to load; takes the place of `voters` then. Lives
    for minutes, in case the loader dies.
    """
    return f"{voters(on)}:{loader}"


LOADING_LIFE = 600
"""Seconds within which a loader must have loaded a post."""


def ledger(number: int) -> str:
    """STREAM of a shard: an entry of 60 bytes (`record.lua`) a change; trimmed when archived."""
    return f"{shard_tag(number)}:ledger:{LAYOUT}"


def lease(number: int) -> str:
    """STRING: which reader archives the shard's ledger now. Lives for seconds."""
    return f"{shard_tag(number)}:lease"


def readers() -> str:
    """ZSET of the readers that share the ledger, by when they were last at work (ms since 1970).
    Lives for seconds.
    """
    return f"{RANK_TAG}:readers"


def rebuild_lease() -> str:
    """STRING: who fills Redis anew now. Lives for seconds, and through `clear`."""
    return f"{RANK_TAG}:rebuild:lease"


def ranking(name: str, group: str | None = None) -> str:
    """ZSET of post ids (ten digits, so that equal scores rank newer first) by the order's score.

    Scores: `hot` see `voting.scores`; `new` the posting time (s); `active` the time of the last
    comment, or of the post; `views`, and points in the bands of `top`, plus posting time / 2^33,
    so that equal numbers rank newer first. The best `ranking_limit` posts.
    """
    if group is None:
        return SITE_RANKINGS + name
    return GROUP_RANKINGS + group + OF_GROUP + name


BANDS = ("top:day", "top:week", "top:month", "top:older")
"""The `ranking`s that make up `top`. A post is in the one of its age, so that a vote writes one:
younger than a day, then than 7 days, then than 30 days, and the rest.
"""


def rankings(order: Order, group: str | None = None) -> tuple[str, ...]:
    """Return the rankings that together hold what an order lists: bands of `top`, else one."""
    if order is Order.TOP_ALL:
        return tuple(ranking(band, group) for band in BANDS)
    if order in BANDS:
        return tuple(ranking(band, group) for band in BANDS[: BANDS.index(order) + 1])
    return (ranking(order, group),)


AUTHOR_PATTERN = RANK_TAG + ":author:%d"
"""Pattern of `author`, from user id."""


def author(user_id: int) -> str:
    """ZSET of the newest 1,000 posts of a person by posting time (s). Lives for ever."""
    return AUTHOR_PATTERN % user_id


def seen(post_id: int) -> str:
    """HASH, on a cluster: the stamp of the latest state of a post that rankings know, and where it
    put the post. About 150 bytes. Lives a day after the last change.
    """
    return f"{RANK_TAG}:seen:{post_id}"


SEEN_LIFE = 86_400
"""Seconds after which no step that was on its way can still arrive."""


def held(tag: str) -> str:
    """STRING, 1 byte: written before a WAIT, so that it waits for every write before. For ever."""
    return f"{tag}:held"


def group(name: str) -> str:
    """SET of post ids: who is in a group. Every listing trusts it. Lives for ever."""
    return GROUP_PATTERN % name


def mix(combined: Mix, order: Order, direction: str) -> str:
    """ZSET of post ids: a combined listing. At most 4,000 posts; lives `mix_seconds`."""
    return MIX_PATTERN % f"{combined}:{order}:{direction}"


def mixes() -> str:
    """ZSET of the keys of living mixes by the time they end (s); at most 200."""
    return f"{RANK_TAG}:mixes"


def feed(user_id: int, digest: str) -> str:
    """ZSET of post ids by `hot`: posts of the people and groups a person follows, which `digest`
    stands for. At most 1,000; lives `mix_seconds`.
    """
    return f"{RANK_TAG}:following:{user_id}:{digest}"


def feeds() -> str:
    """ZSET of the keys of living feeds by the time they end (s); at most 500."""
    return f"{RANK_TAG}:followings"


WINDOWS = "{w:"
"""What every key of a rate limit begins with, and no other."""


def window(action: str, subject: str) -> str:
    """ZSET of the hits of a person or IP address, by time (ms). Lives as long as the longest
    window.
    """
    return f"{WINDOWS}{subject}}}:{action}"
