"""What a post's own page shows."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings
from django.utils import timezone

from forum import cards
from forum.models import Post
from forum.queries.listings import sql_row, with_archived_votes
from forum.store import voting
from voting.errors import StoreUnavailable, UnknownTarget
from voting.types import Row, Standing


@dataclass(frozen=True, slots=True)
class Above:
    """The post just above another, and the up votes that would pass it."""

    id: int
    title: str
    slug: str
    votes: int


@dataclass(frozen=True, slots=True)
class Thread:
    """A post as its page shows it. `standing` is None where voting rests or does not know the post
    yet; `resting` tells the two apart.
    """

    row: Row
    standing: Standing | None
    above: Above | None
    resting: bool

    @property
    def closes_at(self) -> datetime:
        """When voting on the post ends."""
        return datetime.fromtimestamp(self.row.posted_at + settings.VOTING_RULES.window, UTC)

    @property
    def closed(self) -> bool:
        """Whether that is past."""
        return self.closes_at <= timezone.now()

    @property
    def counts_as(self) -> datetime | None:
        """The posting time a post without votes would need for the same place."""
        return datetime.fromtimestamp(self.standing.score, UTC) if self.standing else None

    @property
    def vote_hours(self) -> float:
        """What the votes are worth."""
        return self.standing.vote_seconds / 3_600 if self.standing else 0.0


def thread(post: Post, viewer_id: int | None) -> Thread:
    """Return what a post's page shows beside its text. Two round trips; a query where the viewer's
    vote is archived, and one where voting can't tell.
    """
    service = voting()
    try:
        row, standing = service.post(post.pk, viewer=viewer_id)
        above = _above(standing)
    except UnknownTarget:
        return Thread(sql_row(post), None, None, resting=False)
    except StoreUnavailable:
        return Thread(sql_row(post), None, None, resting=True)
    (row,) = with_archived_votes((row,), viewer_id)
    return Thread(row, standing, above, resting=False)


def _above(standing: Standing) -> Above | None:
    """Return the post to pass. One round trip where there is one."""
    if standing.next_id is None or standing.votes_to_next is None:
        return None
    found = voting().rows([standing.next_id])
    if not found:
        return None
    card = cards.unpack(found[0].card)
    return Above(standing.next_id, card.title, card.slug, standing.votes_to_next)
