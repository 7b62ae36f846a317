"""The names of all Redis keys. No other package builds key names.

A part in braces is a hash tag, such as `{s07}` for posts (post id mod 64) or `{rank}` for rankings.
On a cluster, keys with the same hash tag are on the same server. The docstrings give each key's
type, content, size and lifetime.

Some Lua scripts find out from Redis which posts or groups they need, so the caller can't pass the
keys. It passes a format pattern, from which the script makes each key with Lua's `string.format`.
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
"""Format pattern of a post's key. Scripts insert the shard and the post id."""

VOTERS_SUFFIX = ":voters"
"""Added to the key of a post or comment to get the key of its voter set."""
UNCOUNTED_SUFFIX = ":uncounted"
"""Added to the key of a post or comment to get the key `uncounted`."""
NEW_SUFFIX = ":new"
"""Added to the key of a post or comment to get the key `new_places`."""

SITE_RANKINGS = RANK_TAG + ":"
"""The beginning of the site's ranking keys. The name of an order follows."""
GROUP_RANKINGS, OF_GROUP = RANK_TAG + ":group:", ":"
"""The key of a group's ranking is `GROUP_RANKINGS`, group name, `OF_GROUP`, name of the order."""
GROUP_PATTERN = RANK_TAG + ":group:%s"
"""Format pattern of a group's key. Scripts insert the group's name."""

SWEPT = RANK_TAG + ":swept"
"""HASH: key of a ranking in `BANDS` -> the time (seconds) up to which posts were moved on from it.

Such posts were moved to the next ranking by `sweep.lua`. If its last run stopped between posts of
the same second, the field with `:last` after the key has the last post that was checked.
"""

MIX_PATTERN = RANK_TAG + ":mix:%s"
"""Format pattern of a mix's key."""

OF_POSTS, OF_RANKINGS = "{s[0-9][0-9]}:*", RANK_TAG + ":*"
REBUILT = (OF_POSTS, OF_RANKINGS, people.EVERYBODY)
"""SCAN patterns that match all keys that a rebuild deletes and fills again.

The patterns also match keys that a rebuild keeps, such as leases.
"""
EVERYTHING = (OF_POSTS, OF_RANKINGS, "{u[0-9][0-9]}:*", "{act[0-9]*}:*", "{w:*}:*")
"""SCAN patterns that together match every key of the site."""


def shard(post_id: int) -> int:
    """Return the number of the shard that has a post's data."""
    return post_id % SHARDS


def shard_tag(number: int) -> str:
    """Return the hash tag in the keys of a shard."""
    return SHARD_PATTERN % number


def tags() -> tuple[str, ...]:
    """Return the hash tags that have a `generation` key, which marks a tag's data as complete."""
    return (RANK_TAG, *(shard_tag(number) for number in range(SHARDS)), *people.tags())


def tag_of(key: str) -> str:
    """Return the hash tag at the beginning of a key."""
    return key[: key.index("}") + 1]


def generation(tag: str) -> str:
    """STRING, 32 bytes: a random text which shows that the keys with this hash tag are filled.

    Lives for ever.
    """
    return f"{tag}:generation:{LAYOUT}"


def ended(tag: str) -> str:
    """STRING, 32 bytes: the text of the `generation` key while Redis is closed for a rebuild.

    A rebuild begins by renaming `generation` to this key. If the rebuild dies, the next rebuild
    needs the text to archive the votes in `ledger`. Lives until a rebuild deletes the old data.
    """
    return f"{tag}:ended"


@cache
def leases() -> frozenset[str]:
    """Return the keys of all leases, which reserve work for one process.

    A rebuild doesn't delete these keys.
    """
    return frozenset({rebuild_lease(), *(lease(number) for number in range(SHARDS))})


def rules() -> str:
    """STRING, 20 bytes: the settings with which the stored scores were computed.

    The text is `Rules.signature`. It is empty after `VOTE_SECONDS` has changed, until the scores
    are computed again. Lives for ever.
    """
    return f"{RANK_TAG}:rules"


VOTE_SECONDS = RANK_TAG + ":vote_seconds"
"""STRING: the seconds that one vote adds to a hot score. Lives for ever.

Scripts read this key, so a new number applies to all processes at the same moment.
"""


def post(post_id: int) -> str:
    """HASH of a post: row, tally, views, author, version, commented_at. About 250 bytes.

    The field `uncounted` is 1 if the key `uncounted` may exist. Lives for ever.
    `voting.redis.encoding` documents the format of `row`. A retracted post has the field `gone`
    instead of `row`, with an empty card. On a cluster, a post also has `stamp` and `was` (see
    `state_of.lua`).
    """
    return POST_PATTERN % (shard(post_id), post_id)


def target(on: Target) -> str:
    """HASH of the target of a vote: a post (see `post`) or a comment.

    Fields of a comment: tally, post, posted_at, author, version, `uncounted` as for a post. On an
    answer to a question, the field `open` means that voting never closes. A retracted comment also
    has `gone`.
    """
    if on.comment_id:
        return f"{shard_tag(shard(on.post_id))}:comment:{on.comment_id}"
    return post(on.post_id)


def voters(on: Target) -> str:
    """SET of voters: the user id for an up vote, minus the user id for a down vote.

    Takes 4 bytes per voter in a set of up to 65,536 voters. Lives until an hour after voting has
    closed. The voter set of an answer lives for ever, because voting on answers never closes.

    Up and down votes are in one set, so that nobody votes both ways. A bitmap would be larger,
    because its size depends on the highest id: one voter with id 10^8 takes 12,501,000 bytes in a
    bitmap, and 48 bytes in this set (`tests/voting/test_answers.py`).
    """
    return target(on) + VOTERS_SUFFIX


def uncounted(on: Target) -> str:
    """HASH of the voters whose votes on a target don't count; usually absent.

    User id -> the time (s) from which the vote counts, or 0 for a void vote. Lives as long as the
    voter set, which has these voters too.
    """
    return target(on) + UNCOUNTED_SUFFIX


def new_places(on: Target) -> str:
    """HASH of the votes of new accounts that count on a target; usually absent.

    Hash of the voter's network -> "user id, end", where end (s) is when the account stops being
    new. Has few fields (three by default). Lives until the last end.
    """
    return target(on) + NEW_SUFFIX


DAY_MS = 86_400_000
"""Milliseconds in a day, over which scripts count a person's votes."""
VOTERS_GRACE = 3_600
"""Seconds that a voter set outlives the voting window, in case server clocks differ."""


def missing_voters() -> str:
    """SET of posts and comments that have votes but no voter set, each as "post:comment".

    The comment id is 0 for a post. The worker loads the voters from SQL, and then removes the post
    or comment from this set.
    """
    return f"{RANK_TAG}:missing_voters"


def loading(on: Target, loader: str) -> str:
    """SET: a temporary voter set, which the process `loader` fills from SQL.

    A script then renames this key to the key of the voter set (`voters`). If no script renames the
    key, it expires after ten minutes.
    """
    return f"{voters(on)}:{loader}"


LOADING_LIFE = 600
"""Seconds after which a temporary voter set expires."""


def ledger(number: int) -> str:
    """STREAM of the changed votes in a shard, 60 bytes for each vote (see `record.lua`).

    An entry lives until the vote is archived in SQL.
    """
    return f"{shard_tag(number)}:ledger:{LAYOUT}"


def lease(number: int) -> str:
    """STRING: the name of the process that archives a shard's votes. Lives for seconds."""
    return f"{shard_tag(number)}:lease"


def readers() -> str:
    """ZSET of the processes that archive votes. Lives for seconds.

    The score of a process is the time (ms since 1970) when it last reserved shards (see `lease`).
    """
    return f"{RANK_TAG}:readers"


def rebuild_lease() -> str:
    """STRING: the name of the process that rebuilds the store. Lives for seconds."""
    return f"{RANK_TAG}:rebuild:lease"


def ranking(name: str, group: str | None = None) -> str:
    """ZSET of post ids by their score in one sort order: the `ranking_limit` highest scores.

    Scores in each order:

    - `hot`: see `voting.scores`
    - `new`: the posting time (seconds)
    - `active`: the time of the last comment, or the posting time without comments
    - `views`: the number of views x 2^33, plus the posting time
    - rankings of `top` (see `BANDS`): the points x 2^33, plus the posting time

    Newer posts win ties, because scores contain the posting time and ids are padded to ten digits.
    """
    if group is None:
        return SITE_RANKINGS + name
    return GROUP_RANKINGS + group + OF_GROUP + name


BANDS = ("top:day", "top:week", "top:month", "top:older")
"""The four rankings of `top`: posts younger than a day, than 7 days, than 30 days, and others.

Each post is in one of these rankings, so a vote changes only one.
"""


def rankings(order: Order, group: str | None = None) -> tuple[str, ...]:
    """Return the keys of the rankings that a listing reads.

    A listing in `top` reads up to four rankings, and other listings read one.
    """
    if order is Order.TOP_ALL:
        return tuple(ranking(band, group) for band in BANDS)
    if order in BANDS:
        return tuple(ranking(band, group) for band in BANDS[: BANDS.index(order) + 1])
    return (ranking(order, group),)


AUTHOR_PATTERN = RANK_TAG + ":author:%d"
"""Format pattern of the key `author`. Scripts insert the user id."""


def author(user_id: int) -> str:
    """ZSET of a person's newest 1,000 posts by posting time (seconds). Lives for ever."""
    return AUTHOR_PATTERN % user_id


def seen(post_id: int) -> str:
    """HASH, only on a cluster: the last change of a post that was written to the rankings.

    Contains the time of the change (µs), and the data from which `rank.lua` decides which rankings
    contain the post. About 150 bytes. Lives a day after the change.
    """
    return f"{RANK_TAG}:seen:{post_id}"


SEEN_LIFE = 86_400
"""Seconds for which `seen` is stored, so that older changes that arrive late are ignored."""


def wait_marker(tag: str) -> str:
    """STRING, 1 byte, written just before the Redis command WAIT. Lives for ever.

    WAIT waits until replicas have received this write. Replicas receive writes in order, so they
    then also have all earlier writes, even those of other connections.
    """
    return f"{tag}:held"


def group(name: str) -> str:
    """SET of the ids of all posts in a group. Lives for ever."""
    return GROUP_PATTERN % name


def mix(combined: Mix, order: Order, direction: str) -> str:
    """ZSET of post ids: the ranking of a mix (several groups listed together, `types.Mix`).

    Contains at most 4,000 posts, and lives for `mix_seconds`.
    """
    return MIX_PATTERN % f"{combined}:{order}:{direction}"


def mixes() -> str:
    """ZSET of the keys of at most 200 cached mixes (combined groups).

    The score of a key is its expiry time (seconds).
    """
    return f"{RANK_TAG}:mixes"


def feed(user_id: int, digest: str) -> str:
    """ZSET of post ids by hot score: a person's feed.

    Contains at most 1,000 posts, and lives for `mix_seconds`. `digest` is a checksum of the people
    and groups whose posts are in the feed.
    """
    return f"{RANK_TAG}:following:{user_id}:{digest}"


def feeds() -> str:
    """ZSET of the keys of at most 500 cached feeds. The score is the expiry time (seconds)."""
    return f"{RANK_TAG}:followings"


def window(action: str, subject: str) -> str:
    """ZSET of the times (ms since 1970) when a person or IP address did a rate-limited action.

    Lives as long as the longest window of the rate limit.
    """
    return f"{{w:{subject}}}:{action}"
