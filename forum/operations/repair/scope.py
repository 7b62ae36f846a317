"""Which posts and comments upkeep is about: all, one post with its comments, or one comment."""

import re
from dataclasses import dataclass

from django.db.models.functions import Mod
from django.utils.translation import gettext as _

from forum.gateway.service import get_voting_service
from forum.models import Comment, Post
from forum.models.managers import CommentQuerySet, DeletableQuerySet

SPELLED = re.compile(r"(post|comment):([1-9]\d{0,9})")


class Unreadable(ValueError):
    """No such scope can be; the text says what can."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What to look at. Nothing given: everything."""

    post_id: int = 0
    comment_id: int = 0

    @property
    def whole(self) -> bool:
        """Say whether it is the whole site."""
        return self == WHOLE

    def posts(self) -> DeletableQuerySet[Post]:
        """Return the posts, deleted ones too, by id."""
        posts = Post.objects.order_by("pk")
        if self.comment_id:
            return posts.none()
        return posts.filter(pk=self.post_id) if self.post_id else posts

    def comments(self) -> CommentQuerySet[Comment]:
        """Return the comments, deleted ones too, by id."""
        comments = Comment.objects.order_by("pk")
        if self.comment_id:
            return comments.filter(pk=self.comment_id)
        return comments.filter(post_id=self.post_id) if self.post_id else comments


@dataclass(frozen=True, slots=True)
class Chosen(Scope):
    """These posts and comments, without the comments of the posts. At most some 10,000 of each."""

    post_ids: frozenset[int] = frozenset()
    comment_ids: frozenset[int] = frozenset()

    def posts(self) -> DeletableQuerySet[Post]:
        return Post.objects.order_by("pk").filter(pk__in=self.post_ids)

    def comments(self) -> CommentQuerySet[Comment]:
        return Comment.objects.order_by("pk").filter(pk__in=self.comment_ids)


@dataclass(frozen=True, slots=True)
class Sharded(Scope):
    """The posts of some shards, with their comments."""

    shards: frozenset[int] = frozenset()

    def posts(self) -> DeletableQuerySet[Post]:
        found = Post.objects.order_by("pk").alias(
            shard=Mod("pk", len(get_voting_service().maintenance.ledger.shards))
        )
        return found.filter(shard__in=self.shards)

    def comments(self) -> CommentQuerySet[Comment]:
        comments = Comment.objects.order_by("pk")
        found = comments.alias(
            shard=Mod("post_id", len(get_voting_service().maintenance.ledger.shards))
        )
        return found.filter(shard__in=self.shards)


WHOLE = Scope()


def parse(spelled: str) -> Scope:
    """Read `post:42` or `comment:7`. Raises Unreadable, also where SQL knows no such thing."""
    found = SPELLED.fullmatch(spelled)
    if not found:
        raise Unreadable(_("%(spelled)s: give post:42 or comment:7.") % {"spelled": spelled})
    number = int(found[2])
    scope = Scope(post_id=number) if found[1] == "post" else Scope(comment_id=number)
    if not scope.posts().exists() and not scope.comments().exists():
        raise Unreadable(_("There is no %(spelled)s in SQL.") % {"spelled": spelled})
    return scope
