"""The names of all keys in Redis. No other package contains names of keys.

`{sNN}` (NN = post id mod 64) and `{rank}` are hash tags: on a cluster, keys with the same tag are
in the same slot. Some scripts learn post ids or group names only while they run. Such a script gets
a pattern, from which Lua's `string.format` makes the keys. Docstrings give the type, content, size
and lifetime of each key.
"""

from functools import cache

from voting.keys import people
from voting.types import Mix, Order, Target

SHARDS = 64
RANK_TAG = "{rank}"
LAYOUT = 3
"""Increase this number when the meaning of keys changes; see "Upgrade and reload" in
docs/operations.md.
"""

SHARD_PATTERN = "{s%02d}"
POST_PATTERN = SHARD_PATTERN + ":post:%d"
"""Pattern with which scripts make the key of a post (see `post`) from its shard and id."""

VOTERS_SUFFIX = ":voters"
"""The end of the key of a voter set; the beginning is the key of the `target`."""

SITE_RANKINGS = RANK_TAG + ":"
"""The beginning of the keys of the whole site's rankings. The name of the order follows."""
GROUP_RANKINGS, OF_GROUP = RANK_TAG + ":group:", ":"
"""The texts before and after a group's name in the keys of the group's rankings; the name of the
order comes last.
"""
GROUP_PATTERN = RANK_TAG + ":group:%s"
"""Pattern with which scripts make the key of a group (see `group`) from its name."""

SWEPT = RANK_TAG + ":swept"
"""HASH: for each band of `top`, a posting time. Posts up to this time have been moved to the next
band.

If posts of the same second still have to be checked, the field ending in `:last` has the last post
that was checked.
"""

MIX_PATTERN = RANK_TAG + ":mix:%s"
"""Pattern with which scripts make the key of a mix (see `mix`) from its checksum."""

OF_POSTS, OF_RANKINGS = "{s[0-9][0-9]}:*", RANK_TAG + ":*"
REBUILT = (OF_POSTS, OF_RANKINGS, people.EVERYBODY)
"""Patterns with which SCAN finds the keys that a rebuild fills again. They also match leases, which
a rebuild keeps.
"""
EVERYTHING = (OF_POSTS, OF_RANKINGS, "{u[0-9][0-9]}:*", "{act[0-9]*}:*", "{w:*}:*")
"""Patterns with which SCAN finds all keys: of posts, rankings, people, days and rate limits."""


def shard(post_id: int) -> int:
    """Return the number of the shard that has a post, its voter set and its ledger entries."""
    return post_id % SHARDS


def shard_tag(number: int) -> str:
    """Return the hash tag of a shard."""
    return SHARD_PATTERN % number


def tags() -> tuple[str, ...]:
    """Return every hash tag in use. Each of the tags has a key `generation`."""
    return (RANK_TAG, *(shard_tag(number) for number in range(SHARDS)), *people.tags())


def tag_of(key: str) -> str:
    """Return the hash tag of a key."""
    return key[: key.index("}") + 1]


def generation(tag: str) -> str:
    """STRING, 32 bytes: random text, written when the keys of this hash tag were filled. Lives for
    ever.
    """
    return f"{tag}:generation:{LAYOUT}"


def ended(tag: str) -> str:
    """STRING, 32 bytes: the last generation of a hash tag before the store was closed. If a rebuild
    dies, the next process can still archive the ledger of this generation. Lives until the store is
    cleared.
    """
    return f"{tag}:ended"


@cache
def leases() -> frozenset[str]:
    """Return the keys of all leases. Leases expire by themselves; a rebuild doesn't delete them."""
    return frozenset({rebuild_lease(), *(lease(number) for number in range(SHARDS))})


def rules() -> str:
    """STRING, 20 bytes: the site's rules (`Rules.signature`) with which the stored scores were
    computed; empty while the rules change. Lives for ever.
    """
    return f"{RANK_TAG}:rules"


VOTE_SECONDS = RANK_TAG + ":vote_seconds"
"""STRING: the vote value (s). Every script that ranks posts reads this key, so a new value applies
to all processes at the same moment. Lives for ever.
"""


def post(post_id: int) -> str:
    """HASH of a post, about 250 bytes; lives for ever. Fields: row (format:
    `voting.redis.encoding`), tally, views, author, version, commented_at. A retracted post has the
    field `gone` instead of `row`. On a cluster, the fields `stamp` and `was` are added (see
    `state_of.lua`).
    """
    return POST_PATTERN % (shard(post_id), post_id)


def target(on: Target) -> str:
    """HASH of a post or comment. For a post see `post`. For a comment: tally, post, posted_at,
    author, version, open (only for answers: voting never closes), gone (only if retracted).
    """
    if on.comment_id:
        return f"{shard_tag(shard(on.post_id))}:comment:{on.comment_id}"
    return post(on.post_id)


def voters(on: Target) -> str:
    """SET of integers: +user id voted up, -user id voted down. Up to 65,536 integers take 4 bytes
    each.

    The set lives until an hour after voting on the target has closed. The set of an answer lives
    for ever.

    Up and down votes are in one set, so that nobody votes both ways. A bitmap would be larger,
    because its size depends on the highest id: one voter with id 10^8 takes 12,501,000 bytes in a
    bitmap, and 48 bytes in this set (`tests/voting/test_answers.py`).
    """
    return target(on) + VOTERS_SUFFIX


VOTERS_GRACE = 3_600
"""Seconds that a voter set outlives the voting window, in case the clocks of servers differ."""


def missing_voters() -> str:
    """SET of "post:comment" (comment 0: the post itself): targets with votes but without a voter
    set. Lives until the worker has reloaded those voter sets.
    """
    return f"{RANK_TAG}:missing_voters"


def loading(on: Target, loader: str) -> str:
    """SET: the voters of a post or comment that the process `loader` is loading. A script then
    renames this key to the key `voters`. Lives for minutes, in case that process dies.
    """
    return f"{voters(on)}:{loader}"


LOADING_LIFE = 600
"""Seconds after which the temporary voter sets of `loading` expire."""


def ledger(number: int) -> str:
    """STREAM of a shard: an entry of 60 bytes for each changed vote (see `record.lua`). An entry
    lives until it is archived.
    """
    return f"{shard_tag(number)}:ledger:{LAYOUT}"


def lease(number: int) -> str:
    """STRING: the name of the process that archives the shard's ledger. Lives for seconds."""
    return f"{shard_tag(number)}:lease"


def readers() -> str:
    """ZSET of the processes that share the work of archiving the ledger. The score is the time (ms
    since 1970) when a process last took leases. Lives for seconds.
    """
    return f"{RANK_TAG}:readers"


def rebuild_lease() -> str:
    """STRING: the name of the process that rebuilds the store. Lives for seconds; a rebuild doesn't
    delete this key.
    """
    return f"{RANK_TAG}:rebuild:lease"


def ranking(name: str, group: str | None = None) -> str:
    """ZSET of post ids by their score in an order. An id has ten digits, so that newer posts win
    ties.

    Scores: `hot`: see `voting.scores`. `new`: the posting time (s). `active`: the time of the last
    comment, or of the post. `views`: the number of views x 2^33 plus the posting time. Bands of
    `top`: the points x 2^33 plus the posting time. The posting time makes newer posts win ties. A
    ranking has the highest `ranking_limit` posts.
    """
    if group is None:
        return SITE_RANKINGS + name
    return GROUP_RANKINGS + group + OF_GROUP + name


BANDS = ("top:day", "top:week", "top:month", "top:older")
"""The four rankings that together are `top`: posts younger than a day, than 7 days, than 30 days,
and all other posts. Each post is only in the band for its age, so a vote writes to one ranking.
"""


def rankings(order: Order, group: str | None = None) -> tuple[str, ...]:
    """Return the keys of the rankings that a listing reads: some bands of `top`, or one ranking."""
    if order is Order.TOP_ALL:
        return tuple(ranking(band, group) for band in BANDS)
    if order in BANDS:
        return tuple(ranking(band, group) for band in BANDS[: BANDS.index(order) + 1])
    return (ranking(order, group),)


AUTHOR_PATTERN = RANK_TAG + ":author:%d"
"""Pattern with which scripts make the key of a person's posts (see `author`) from a user id."""


def author(user_id: int) -> str:
    """ZSET of the newest 1,000 posts of a person by posting time (s). Lives for ever."""
    return AUTHOR_PATTERN % user_id


def seen(post_id: int) -> str:
    """HASH, only on a cluster: the stamp (time in µs) of the last change of the post that the
    rankings include, and the data of the post that decides in which rankings it is (see
    `rank.lua`). About 150 bytes. Lives a day after the last change.
    """
    return f"{RANK_TAG}:seen:{post_id}"


SEEN_LIFE = 86_400
"""Seconds after which no delayed update of the rankings can still arrive."""


def wait_marker(tag: str) -> str:
    """STRING, 1 byte. Written just before the command WAIT, which then waits for all earlier
    changes too. Lives for ever.
    """
    return f"{tag}:held"


def group(name: str) -> str:
    """SET of the ids of all posts in a group. Every listing of the group relies on this set. Lives
    for ever.
    """
    return GROUP_PATTERN % name


def mix(combined: Mix, order: Order, direction: str) -> str:
    """ZSET of post ids: the ranking of a mix. At most 4,000 posts; lives `mix_seconds`."""
    return MIX_PATTERN % f"{combined}:{order}:{direction}"


def mixes() -> str:
    """ZSET of the keys of cached mixes by expiry (s); at most 200."""
    return f"{RANK_TAG}:mixes"


def feed(user_id: int, digest: str) -> str:
    """ZSET of post ids by hot score: a person's feed. `digest` is a checksum of the people and
    groups whose posts are in the feed. At most 1,000 posts; lives `mix_seconds`.
    """
    return f"{RANK_TAG}:following:{user_id}:{digest}"


def feeds() -> str:
    """ZSET of the keys of cached feeds by expiry (s); at most 500."""
    return f"{RANK_TAG}:followings"


WINDOWS = "{w:"
"""The beginning of all keys of rate limits, and of no other keys."""


def window(action: str, subject: str) -> str:
    """ZSET: the times (ms) at which a person or IP address did an action under a rate limit. Lives
    as long as the longest window of that limit.
    """
    return f"{WINDOWS}{subject}}}:{action}"
