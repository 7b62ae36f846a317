"""The outbox row that asks the worker to draw the images of imported posts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from forum.models import Post, PreviewImage
from forum.previews.images import draw_image
from forum.previews.services import BATCH, MOST
from forum.store import outbox


@dataclass(frozen=True)
class MissingPreviewsSync(outbox.Sync):
    """Draws the images of posts that have none, from the newest post to the oldest.

    Each step draws a few images and writes a row for the next step. The last step is the one after
    which no image is missing, or as many as possible are stored.
    """

    kind = "missing_previews"
    in_background = True
    before: int | None = None
    """The step draws images of posts with smaller ids; None means all posts."""

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Do one step of each drawing."""
        for one in dict.fromkeys(syncs):
            posts = Post.objects.visible().filter(preview_image=None).order_by("-pk")
            if one.before is not None:
                posts = posts.filter(pk__lt=one.before)
            batch = list(posts[:BATCH])
            for post in batch:
                draw_image(post)
            if len(batch) == BATCH and PreviewImage.objects.count() < MOST:
                outbox.write(cls(before=batch[-1].pk))
