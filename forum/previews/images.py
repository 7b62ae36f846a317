"""Draws and stores the preview image of a post."""

from django.utils import timezone

from forum.config.hidden_scores import is_hidden
from forum.models import Post, PreviewImage
from forum.previews.card import PreviewCard
from forum.previews.drawing import draw


def card_of(post: Post) -> PreviewCard:
    """Return the content of a post's preview image."""
    groups = post.groups.values_list("slug", flat=True)
    return PreviewCard.of(post.title, groups, 0 if is_hidden(post.posted_at) else post.points)


def draw_image(post: Post) -> None:
    """Draw and store a post's image, unless the stored image is current. Safe to repeat."""
    card = card_of(post)
    same = PreviewImage.objects.filter(pk=post.pk, digest=card.digest)
    if not same.update(post_version=post.version):
        drawn = {"png": draw(card), "digest": card.digest, "drawn_at": timezone.now()}
        PreviewImage.objects.update_or_create(
            pk=post.pk, defaults=drawn | {"post_version": post.version}
        )
