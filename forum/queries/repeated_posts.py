"""What somebody has sent: where it is if they sent it before, by a button pressed twice or a page
sent again, and whether Redis has heard of it.
"""

from forum.models import Comment, OutboxItem, Post, User


def sent_comment(
    author: User, post: Post, parent: Comment | None, body: str, *, on_question: bool
) -> Comment | None:
    """Return the person's newest comment of these words in the same place. One query."""
    same = Comment.objects.visible().filter(author=author, post=post, parent=parent, body=body)
    if on_question:
        same = same.filter(is_answer=False)
    return same.order_by("-pk").first()


def sent_post(author: User, title: str, url: str, body: str) -> Post | None:
    """Return the person's newest post of these words, with that address. One query."""
    same = Post.objects.visible().filter(author=author, title=title, url=url, body=body)
    return same.order_by("-created_at").first()


def is_waiting(post: Post) -> bool:
    """Say whether a change of the post still waits for Redis. One query."""
    return OutboxItem.waiting_posts().filter(subject_id=post.pk).exists()
