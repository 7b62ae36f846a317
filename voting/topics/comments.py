"""Comments as voting sees them: published, retracted, tallied, loaded, and the newest of a post.

Reached as `VotingService.comments`; all methods may raise StoreUnavailable. Everything of a comment
lives in its post's shard.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from voting import keys
from voting.keys import comments as comment_keys
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.readings import Reading, read_all
from voting.redis.scripts import Call
from voting.topics import comment_loading, comment_votes, newest, unread
from voting.types import Rules, Target
from voting.types.comments import (
    Comment,
    CommentRecord,
    CommentStates,
    InspectedComment,
    NewestPage,
    Tally,
)

PUBLISH = scripts.load("comment")
RETRACT = scripts.load("retract_comment")
PIECE = 200
"""Comments published in one round trip."""


class Comments:
    """The comments of one site."""

    kept = comment_keys.LATEST_KEPT
    """The newest comments of a post that Redis holds."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now

    def publish(self, *comments: Comment) -> None:
        """Make comments what is told; the first time, open voting with the author's own up vote.

        May be repeated and in any order; an older version than is known changes nothing. One round
        trip for 200 comments.
        """
        now = self._now()
        for start in range(0, len(comments), PIECE):
            some = comments[start : start + PIECE]
            self._store.run(*(publish_call(self._rules, now, comment) for comment in some))

    def retract(self, post_id: int, comment_id: int, version: int) -> None:
        """Close a comment to votes and take it from the newest; its votes stay. One round trip.

        A `version` older than is known changes nothing.
        """
        on = Target(post_id, comment_id)
        call = RETRACT(
            (keys.target(on), _generation(post_id), *newest.lists(post_id)), comment_id, version
        )
        self._store.run(call)

    def tallies(
        self, post_id: int, comment_ids: Sequence[int], viewer: int | None = None
    ) -> dict[int, Tally]:
        """Return how comments of one post stand, without unknown and retracted ones, with the
        viewer's own votes. One round trip, however many.
        """
        calls = comment_votes.tallies_calls(post_id, comment_ids, viewer)
        replies = self._store.run(*calls) if calls else []
        return comment_votes.decode_tallies(self._rules, self._now(), viewer, replies)

    def states(self, targets: Sequence[Target], viewer: int | None = None) -> CommentStates:
        """Return how comments of whatever posts stand, without unknown and retracted ones, with the
        viewer's own votes and unread items. One round trip; none if nothing is asked.
        """
        tallies, waiting = read_all(
            self._store,
            comment_votes.reading(self._rules, self._now(), targets, viewer),
            Reading((), lambda _replies: None) if viewer is None else unread.reading(viewer),
            from_copies=viewer is None,
        )
        return CommentStates(tallies, waiting.total if waiting else None)

    def newest(self, post_id: int, *, before: int | None = None, count: int) -> NewestPage:
        """Return a post's newest comments below the id `before`, at most `count`. One round trip.

        Where Redis has not got them, one reader at a time gets the right to `fill` them.
        """
        return newest.read(self._store, self._now(), post_id, before, count)

    def fill(
        self, post_id: int, filler: str, found: Sequence[tuple[int, int, str]], *, floor: int
    ) -> bool:
        """Fill a post's newest comments, each an id, a version and what is shown.

        `found` must have been read after `newest` gave the right; it has every comment from the id
        `floor` on, 0 where there are none beyond it. Says whether the list is whole now; what was
        written meanwhile is kept. A round trip for 1,000 comments, and one more.
        """
        return newest.fill(self._store, post_id, filler, found, floor)

    def load(self, records: Iterable[CommentRecord], *, filling: bool = False) -> int:
        """Put whole comments with tallies and voters in; return how many were new.

        Comments that Redis knows are left alone. `filling`: see `Upkeep.load`. Three round trips
        for 200 records.
        """
        now = self._now()
        found = comment_loading.load(self._store, self._rules, now, records, filling=filling)
        return len(found)

    def reload(self, records: Iterable[CommentRecord], last: Mapping[Target, str]) -> set[Target]:
        """Put whole comments in, in place of what Redis knows of them; see `Upkeep.reload`."""
        now = self._now()
        return comment_loading.load(
            self._store, self._rules, now, records, filling=False, replacing=last
        )

    def inspect(self, targets: Sequence[Target]) -> dict[Target, InspectedComment]:
        """Return all that Redis holds of comments, without unknown ones. One round trip."""
        return comment_loading.inspect(self._store, targets)


def publish_call(rules: Rules, now: int, comment: Comment) -> Call:
    """Return the call that makes a comment what it is told to be."""
    on = Target(comment.post_id, comment.id)
    return PUBLISH(
        (
            keys.target(on),
            keys.voters(on),
            keys.ledger(keys.shard(comment.post_id)),
            _generation(comment.post_id),
            *newest.lists(comment.post_id),
        ),
        comment.id,
        comment.post_id,
        comment.author_id,
        comment.posted_at,
        comment.version,
        int(comment.answer),
        comment.shown,
        now,
        rules.window,
        comment_keys.LATEST_KEPT,
        comment_keys.LATEST_LIFE,
    )


def _generation(post_id: int) -> str:
    return keys.generation(keys.shard_tag(keys.shard(post_id)))
