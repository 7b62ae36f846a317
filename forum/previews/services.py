"""Draws and stores the preview images of posts.

The worker draws an image soon after a post was published or edited. Later, it draws an image only
if somebody requests it and the stored image is missing or outdated, for example because the post
has more points now. Imported posts get their images step by step, the newest posts first.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import F, Q
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


@dataclass(frozen=True, slots=True)
class FoundImage:
    """What is stored for the address of an image."""

    png: bytes
    """The content of the PNG file; empty if there is none that fits the address."""
    is_exact: bool
    """Whether the image shows exactly what the address names."""
    is_expected: bool
    """Whether the worker will soon draw a newer image."""


def find_image(post_id: int, digest: str) -> FoundImage:
    """Return the stored image of a visible post. `digest` names the content that was asked for.

    If the stored image is missing or outdated, the worker will draw a new image, but only if
    `digest` fits the post's current title and groups. Until then, this returns an older image with
    the same title and groups, if there is one; only its points may differ. Raises
    Post.DoesNotExist if there is no such post, or if readers can't see it.
    """
    stored = PreviewImage.objects.filter(pk=post_id, post__deleted_at=None).first()
    if stored and stored.digest == digest:
        return FoundImage(bytes(stored.png), is_exact=True, is_expected=False)
    card = card_of(Post.objects.visible().get(pk=post_id))
    similar = card.similar_digests()
    if digest not in similar:
        return FoundImage(b"", is_exact=False, is_expected=False)
    is_expected = stored is None or stored.digest != card.digest
    if is_expected and not _is_waiting(post_id):
        outbox.write(PreviewSync(post_id))
    png = bytes(stored.png) if stored and stored.digest in similar else b""
    return FoundImage(png, is_exact=False, is_expected=is_expected)


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


def _is_waiting(post_id: int) -> bool:
    return OutboxItem.objects.filter(kind=PreviewSync.kind, subject_id=post_id).exists()
