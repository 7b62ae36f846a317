"""What to check or repair: everything, one post with its comments, or one comment."""

import re
from dataclasses import dataclass

from django.db.models.functions import Mod

from forum.models import Comment, Post
from forum.models.managers import CommentQuerySet, DeletableQuerySet
from forum.store.service import get_voting_service

TARGET = re.compile(r"(post|comment):([1-9]\d{0,9})")


class InvalidScope(ValueError):
    """The target is misspelled or doesn't exist. The message is a sentence for the terminal."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What to check or repair: one post with its comments, one comment, or everything."""

    post_id: int = 0
    comment_id: int = 0

    @property
    def whole(self) -> bool:
        return self == WHOLE

    def posts(self) -> DeletableQuerySet[Post]:
        """Return the posts to check or repair, including deleted ones, ordered by id."""
        posts = Post.objects.order_by("pk")
        if self.comment_id:
            return posts.none()
        return posts.filter(pk=self.post_id) if self.post_id else posts

    def comments(self) -> CommentQuerySet[Comment]:
        """Return the comments to check or repair, including deleted ones, ordered by id."""
        comments = Comment.objects.order_by("pk")
        if self.comment_id:
            return comments.filter(pk=self.comment_id)
        return comments.filter(post_id=self.post_id) if self.post_id else comments


@dataclass(frozen=True, slots=True)
class ListScope(Scope):
    """The posts and comments with these ids, up to about 10,000.

    Other comments on these posts aren't included.
    """

    post_ids: frozenset[int] = frozenset()
    comment_ids: frozenset[int] = frozenset()

    def posts(self) -> DeletableQuerySet[Post]:
        return Post.objects.order_by("pk").filter(pk__in=self.post_ids)

    def comments(self) -> CommentQuerySet[Comment]:
        return Comment.objects.order_by("pk").filter(pk__in=self.comment_ids)


@dataclass(frozen=True, slots=True)
class ShardScope(Scope):
    """All posts in some shards, with their comments."""

    shards: frozenset[int] = frozenset()

    def posts(self) -> DeletableQuerySet[Post]:
        posts = Post.objects.order_by("pk").alias(shard=Mod("pk", _shard_count()))
        return posts.filter(shard__in=self.shards)

    def comments(self) -> CommentQuerySet[Comment]:
        comments = Comment.objects.order_by("pk").alias(shard=Mod("post_id", _shard_count()))
        return comments.filter(shard__in=self.shards)


WHOLE = Scope()


def parse(target: str) -> Scope:
    """Return the scope for text such as `post:42` or `comment:7`.

    Raises InvalidScope if the text is misspelled or SQL has no such post or comment.
    """
    match = TARGET.fullmatch(target)
    if not match:
        raise InvalidScope(f"{target}: give post:42 or comment:7.")
    number = int(match[2])
    scope = Scope(post_id=number) if match[1] == "post" else Scope(comment_id=number)
    if not scope.posts().exists() and not scope.comments().exists():
        raise InvalidScope(f"There is no {target} in SQL.")
    return scope


def _shard_count() -> int:
    return len(get_voting_service().maintenance.ledger.shards)
