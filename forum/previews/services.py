"""Draws and stores the preview images of posts.

The worker draws an image soon after a post was published or edited. Later, it draws an image only
if somebody requests it and the stored image is missing or outdated, for example because the post
has more points now.
"""

from datetime import timedelta

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from forum.models import OutboxItem, Post, PreviewImage
from forum.previews.images import card_of, draw_image
from forum.previews.syncs import PreviewSync
from forum.store import outbox

NEW = timedelta(days=1)
"""How long after publishing the worker draws images that nobody asked for."""
BATCH = 10
"""Maximum number of images that are drawn at once, which takes about a second."""
MOST = 5_000
"""Maximum number of images that are stored: about 100 MB."""


def find_image(post_id: int, digest: str) -> PreviewImage | None:
    """Return the stored image of a visible post, or None.

    `digest` is the checksum of the wanted image's content. If the stored image is missing or
    outdated, the worker will draw a new image, but only if `digest` fits the post's current
    content. Raises Post.DoesNotExist if there is no such post, or if readers can't see it.
    """
    found = _visible_images().filter(pk=post_id).first()
    if found is None or found.digest != digest:
        post = Post.objects.visible().get(pk=post_id)
        waiting = OutboxItem.objects.filter(kind=PreviewSync.kind, subject_id=post_id)
        if card_of(post).digest == digest and not waiting.exists():
            outbox.write(PreviewSync(post_id))
    return found


def draw_new() -> None:
    """Draw missing and outdated images of posts of the last day."""
    stale = Q(preview_image=None) | ~Q(preview_image__post_version=F("version"))
    posts = Post.objects.visible().filter(stale, created_at__gte=timezone.now() - NEW)
    for post in posts.order_by("-created_at")[:BATCH]:
        draw_image(post)


def forget_old() -> None:
    """Delete the images of posts that readers can't see, then keep only the newest `MOST`
    images.
    """
    PreviewImage.objects.exclude(post__deleted_at=None).delete()
    last = PreviewImage.objects.order_by("-drawn_at").values_list("drawn_at", flat=True)[MOST:]
    if oldest := last.first():
        PreviewImage.objects.filter(drawn_at__lte=oldest).delete()


def _visible_images() -> QuerySet[PreviewImage]:
    return PreviewImage.objects.filter(post__deleted_at=None)
