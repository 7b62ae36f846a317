"""Comments: publishing, retracting, tallies, the page of a thread, and a post's newest comments.

All keys of a comment are in the shard of its post.

Redis has a list of a post's newest 5,000 comments. Pages use this list only after a process has
filled it from SQL. New comments are added to the list even before that, so that none are lost while
it is being filled. Every change of a comment updates the list.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from secrets import token_hex
from typing import Any

from voting import keys
from voting.errors import UnknownTarget
from voting.keys import comments as comment_keys
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.encoding import vote_parts
from voting.redis.queries import Query, fetch_all
from voting.redis.scripts import Call
from voting.scores import comment_score
from voting.topics.inbox import decode_unread, unread_call, unread_query
from voting.topics.person_lists import visit_call
from voting.topics.posts import decode_rows, decode_standing, explain_call, rows_call
from voting.topics.views import view_call
from voting.types import Rules, Target
from voting.types.comments import (
    Comment,
    CommentStates,
    CommentTally,
    NewestComment,
    NewestPage,
    Sort,
    ThreadState,
)

PUBLISH = scripts.load("publish_comment")
RETRACT = scripts.load("retract_comment")
TALLIES = scripts.load("tallies")
NEWEST = scripts.load("newest")
FILL = scripts.load("fill_newest")
PUBLISHED_AT_ONCE = 200
"""Comments published in one round trip."""
TALLIES_AT_ONCE = 200
"""Comments whose tallies one script call reads, which takes the server 0.75 ms."""
TALLY_FIELDS = 6
FILLER_LIFE = 15
"""Seconds that a process has to fill a list of newest comments before another process may try."""
FILL_BATCH = 100
"""Comments that one call of `fill_newest.lua` adds, which takes the server 0.3 ms."""
FILL_CALLS = 10
"""Calls of `fill_newest.lua` in one round trip."""
BEYOND = 2**53
"""A comment id above all others."""


class Comments:
    """The comments of one site. Methods raise StoreUnavailable if Redis is down."""

    max_newest = comment_keys.LATEST_KEPT
    """How many of a post's newest comments Redis stores."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now

    def publish(self, *comments: Comment) -> None:
        """Create or update comments. A new comment gets its author's up vote.

        A comment is not changed if Redis has a newer version. One round trip per 200 comments.
        """
        now = self._now()
        for start in range(0, len(comments), PUBLISHED_AT_ONCE):
            some = comments[start : start + PUBLISHED_AT_ONCE]
            self._store.run(*(publish_call(self._rules, now, comment) for comment in some))

    def retract(self, post_id: int, comment_id: int, version: int) -> None:
        """Close a comment to votes and remove it from the post's newest comments. One round trip.

        The votes stay. Does nothing if Redis has a newer version of the comment.
        """
        key = keys.target(Target(post_id, comment_id))
        call = RETRACT((key, _generation(post_id), *_newest_keys(post_id)), comment_id, version)
        self._store.run(call)

    def tallies(
        self, post_id: int, comment_ids: Sequence[int], viewer: int | None = None
    ) -> dict[int, CommentTally]:
        """Map ids of comments on one post to their tallies, which contain the viewer's votes.

        Unknown and retracted comments are left out. One round trip.
        """
        calls = _tallies_calls(post_id, comment_ids, viewer)
        replies = self._store.run(*calls) if calls else []
        return _decode_tallies(self._rules, self._now(), viewer, replies)

    def states(self, targets: Sequence[Target], viewer: int | None = None) -> CommentStates:
        """Return the tallies of comments with the viewer's votes, and the viewer's unread count.

        The comments may be on different posts. Unknown and retracted comments are left out. One
        round trip; none if there are no comments and no viewer.
        """
        tallies, unread = fetch_all(
            self._store,
            tallies_query(self._rules, self._now(), targets, viewer),
            Query((), lambda _replies: None) if viewer is None else unread_query(viewer),
        )
        return CommentStates(tallies, unread.total if unread else None)

    def score(self, sort: Sort, up: int, down: int, *, answer: bool = False) -> float:
        """Return the score by which `sort` orders comments, highest first. No round trip."""
        return comment_score(self._rules, sort, up, down, answer=answer)

    def thread(
        self,
        post_id: int,
        comment_ids: Sequence[int],
        *,
        viewer: int | None = None,
        visitor: str = "",
        comments: int | None = None,
    ) -> ThreadState:
        """Return a post, its comments' tallies and the viewer's votes; count a view by `visitor`.

        If `comments` (the number of comments in the thread) is given, also record the viewer's
        visit, and return the time of the previous visit. Raises UnknownTarget if the post is
        unknown or retracted. One round trip.
        """
        now, reads = self._now(), _tallies_calls(post_id, comment_ids, viewer)
        unread = [] if viewer is None else [unread_call(viewer)]
        visit, view = [], []
        if viewer is not None and comments is not None:
            visit = [visit_call(viewer, post_id, comments, now)]
        if visitor:
            view = [view_call(self._rules, now, post_id, visitor)]
        found, standing, *replies = self._store.run(
            rows_call((post_id,), viewer),
            explain_call(post_id),
            *reads,
            *unread,
            optional=(*visit, *view),
        )
        tallies, others = replies[: len(reads)], replies[len(reads) :]
        rows = decode_rows(self._rules, now, viewer, found[-1])
        if not rows:
            raise UnknownTarget(Target(post_id))
        return ThreadState(
            rows[0],
            decode_standing(self._rules, post_id, standing),
            _decode_tallies(self._rules, now, viewer, tallies),
            others[1] if visit else None,
            None if viewer is None else decode_unread(viewer, others[0]).total,
        )

    def newest(self, post_id: int, *, before: int | None = None, count: int) -> NewestPage:
        """Return up to `count` of a post's newest comments with ids below `before`, newest first.

        If the list of newest comments has not been filled, or has expired, the result is empty.
        Then one caller at a time gets a `filler` in the result, and can fill the list with
        `fill_newest`. One round trip.
        """
        filler = token_hex(8)
        call = NEWEST(
            (_generation(post_id), *_newest_keys(post_id)),
            BEYOND if before is None else before,
            count,
            comment_keys.LATEST_LIFE,
            filler,
            self._now(),
            FILLER_LIFE,
        )
        floor, *found = self._store.run(call)[0]
        if floor is None:
            return NewestPage((), None, filler if found[0] else None)
        pairs = zip(found[::2], found[1::2], strict=True)
        return NewestPage(tuple(NewestComment(int(one), card) for one, card in pairs), floor)

    def fill_newest(
        self, post_id: int, filler: str, found: Sequence[tuple[int, int, str]], *, floor: int
    ) -> bool:
        """Write a post's list of newest comments to Redis. Return whether it is now complete.

        First call `newest`, and pass the `filler` of its result. Only then read `found` from SQL:
        the id, version and text (`card`) of each comment whose id is `floor` or higher.

        One round trip per 1,000 comments. Another one writes the last 100 comments and marks the
        list as complete, because a cluster may run the calls of one round trip in any order.
        """

        def call(start: int) -> Call:
            return FILL(
                (_generation(post_id), *_newest_keys(post_id)),
                filler,
                comment_keys.beginning(post_id),
                comment_keys.LATEST_KEPT,
                comment_keys.LATEST_LIFE,
                "" if start + FILL_BATCH < len(found) else floor,
                *(part for one in found[start : start + FILL_BATCH] for part in one),
            )

        *starts, last = range(0, max(len(found), 1), FILL_BATCH)
        calls = map(call, starts)
        while some := list(islice(calls, FILL_CALLS)):
            if not all(self._store.run(*some)):
                return False
        return bool(self._store.run(call(last))[0])


def publish_call(rules: Rules, now: int, comment: Comment) -> Call:
    """Return the call that creates or updates a comment."""
    on = Target(comment.post_id, comment.id)
    return PUBLISH(
        (
            keys.target(on),
            keys.voters(on),
            keys.ledger(keys.shard(comment.post_id)),
            _generation(comment.post_id),
            *_newest_keys(comment.post_id),
        ),
        comment.id,
        comment.post_id,
        comment.author_id,
        comment.posted_at,
        comment.version,
        int(comment.answer),
        comment.card,
        now,
        rules.window,
        comment_keys.LATEST_KEPT,
        comment_keys.LATEST_LIFE,
    )


def _generation(post_id: int) -> str:
    return keys.generation(keys.shard_tag(keys.shard(post_id)))


def _newest_keys(post_id: int) -> tuple[str, str]:
    return comment_keys.latest(post_id), comment_keys.latest_texts(post_id)


# Tallies


def tallies_query(
    rules: Rules, now: int, targets: Iterable[Target], viewer: int | None
) -> Query[dict[int, CommentTally]]:
    """Return the query for the tallies of comments on any posts, with the viewer's votes."""
    by_shard: defaultdict[int, list[Target]] = defaultdict(list)
    for target in targets:
        by_shard[keys.shard(target.post_id)].append(target)
    calls = [
        call
        for some in by_shard.values()
        for call in _tallies_calls(some[0].post_id, [on.comment_id for on in some], viewer)
    ]
    return Query(calls, lambda replies: _decode_tallies(rules, now, viewer, replies))


def _tallies_calls(post_id: int, comment_ids: Sequence[int], viewer: int | None) -> list[Call]:
    """Return the calls that read the tallies of comments in one shard."""
    patterns = (viewer or 0, comment_keys.beginning(post_id), keys.VOTERS_SUFFIX)
    return [
        TALLIES((_generation(post_id),), *patterns, *comment_ids[start : start + TALLIES_AT_ONCE])
        for start in range(0, len(comment_ids), TALLIES_AT_ONCE)
    ]


def _decode_tallies(
    rules: Rules, now: int, viewer: int | None, replies: Iterable[Sequence[Any]]
) -> dict[int, CommentTally]:
    oldest = now - rules.window - keys.VOTERS_GRACE
    found = {}
    for reply in replies:
        for at in range(0, len(reply), TALLY_FIELDS):
            comment_id, posted_at, up, down, endless, vote = reply[at : at + TALLY_FIELDS]
            posted = int(posted_at)
            has_voters = viewer is not None and (endless or posted > oldest)
            closes_at = None if endless else posted + rules.window
            state, counts_at = vote_parts(vote) if has_voters else (None, None)
            found[int(comment_id)] = CommentTally(int(up), int(down), state, closes_at, counts_at)
    return found
