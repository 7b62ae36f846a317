"""Opening a post: a view is counted, and the post is added to the reader's history."""

from collections.abc import Sequence
from dataclasses import dataclass

from forum.models import Post
from forum.store.service import get_voting_service
from voting.types.comments import ThreadState


@dataclass(frozen=True, slots=True)
class Visit:
    """A visit to a post's page. It is counted in the round trip that reads the page."""

    visitor: str
    """Name of the visitor's browser or account; "" if the view isn't counted."""
    keeps_history: bool
    """Whether the post is added to the list of posts that the reader viewed."""

    def __call__(
        self, post: Post, comment_ids: Sequence[int], viewer_id: int | None
    ) -> ThreadState:
        """Count the visit, and return the state of the post and its comments."""
        return get_voting_service().comments.thread(
            post.pk,
            comment_ids,
            viewer=viewer_id,
            visitor=self.visitor,
            comments=post.comment_count if self.keeps_history and self.visitor else None,
        )
