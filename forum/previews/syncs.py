"""The outbox row that asks the worker to draw a post's preview image."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from forum.models import Post
from forum.previews.images import draw_image
from forum.store import outbox


@dataclass(frozen=True)
class PreviewSync(outbox.Sync):
    """Draws a post's preview image, because a page asked for it."""

    kind = "preview"
    in_background = True
    post_id: int

    @property
    def subject_id(self) -> int:
        """The post's id. With it, `find_image` checks whether the outbox has a row for the post."""
        return self.post_id

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Draw the images of visible posts."""
        for post in Post.objects.visible().filter(pk__in={one.post_id for one in syncs}):
            draw_image(post)
