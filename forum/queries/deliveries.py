"""What Redis has not heard of yet."""

from forum.models import OutboxItem, Post


def is_waiting(post: Post) -> bool:
    """Say whether a change of the post still waits for Redis. One query."""
    return OutboxItem.objects.filter(post=post).exists()
