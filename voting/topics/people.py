"""What pages about people ask of voting, at once.

Reached as `VotingService.people`.
"""

from collections.abc import Callable, Sequence

from voting.redis.connection import Store
from voting.redis.readings import Reading, read, read_all
from voting.topics import comment_votes, counters, follows, rows, unread
from voting.types import Rules, Target
from voting.types.people import Sight

NOTHING: Reading[None] = Reading((), lambda _replies: None)


class People:
    """The people of one site as others see them."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now

    def see(
        self,
        person: int,
        *,
        viewer: int | None = None,
        post_ids: Sequence[int] = (),
        comments: Sequence[Target] = (),
        compared: bool = False,
    ) -> Sight:
        """Return what a page shows of a person, rows of the posts on it in the order asked for, and
        how the comments on it stand, without unknown ones, with the viewer's own votes.

        May raise StoreUnavailable. One round trip; two where somebody else's follows are `compared`
        with the person's.
        """
        other = None if viewer == person else viewer
        counts, ties, shown, tallies, waiting, common = read_all(
            self._store,
            counters.person(person),
            follows.ties(person, other),
            rows.reading(self._rules, self._now(), post_ids, viewer),
            comment_votes.reading(self._rules, self._now(), comments, viewer),
            NOTHING if viewer is None else unread.reading(viewer),
            follows.common(other, person) if compared and other is not None else NOTHING,
            from_copies=viewer is None,
        )
        return Sight(
            counts,
            ties,
            shown,
            tallies,
            waiting.total if waiting else None,
            read(self._store, common) if common else (),
        )
