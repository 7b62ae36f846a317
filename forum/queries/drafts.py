"""Reads a person's drafts of posts and comments."""

from django.db.models import Exists, OuterRef, QuerySet

from forum.models import Draft, Post


def with_drafts(posts: QuerySet[Post], author_id: int | None) -> QuerySet[Post]:
    """Annotate posts with `has_drafts`: whether the person has drafts of comments on the post."""
    return posts.annotate(has_drafts=Exists(_drafts(author_id).filter(post=OuterRef("pk"))))


def find_draft(author_id: int, key: str) -> Draft | None:
    """Return a person's draft by its key, or None. One query."""
    return _drafts(author_id).filter(key=key).first()


def drafts_of(author_id: int) -> list[Draft]:
    """Return all drafts of a person, with posts and parents, newest first. One query."""
    return list(_newest(_drafts(author_id).select_related("post", "parent__author")))


def drafts_on(author_id: int, post: Post | None) -> list[Draft]:
    """Return a person's drafts of comments on a post, or of new posts, newest first. One query."""
    return list(_newest(_drafts(author_id).filter(post=post).select_related("parent__author")))


def _drafts(author_id: int | None) -> QuerySet[Draft]:
    return Draft.objects.filter(author=author_id)


def _newest(drafts: QuerySet[Draft]) -> QuerySet[Draft]:
    return drafts.order_by("-updated_at", "-pk")
