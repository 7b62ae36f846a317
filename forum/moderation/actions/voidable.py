"""Finds the votes that a moderator may void: those of some accounts, cast in a time span."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from forum.errors import Forbidden
from forum.identity import roles
from forum.models import ArchivedVote, Comment, Group, GroupChange, Post, User, VoteState
from forum.models.archive import ArchivedVoteQuerySet
from forum.models.powers import Powers
from forum.moderation.actions import appointments
from voting.types import Vote

ON_POST, ON_COMMENT = OuterRef("post_id"), OuterRef("comment_id")
VOTER = OuterRef("user_id")
Rows = TypeVar("Rows", bound=QuerySet[Any, Any])


@dataclass(frozen=True, slots=True)
class VoidableVotes:
    """The votes of some accounts that a moderator may void.

    Leaves out void votes, and what authors voted on their own posts and comments.
    """

    people: Collection[int]
    """The ids of the accounts."""
    since: datetime
    until: datetime
    group_id: int | None
    """The group that must govern the posts; None for all posts."""
    spared: int | None
    """The person on whose posts and comments no vote may be voided; None if there is nobody."""

    def rows(self) -> ArchivedVoteQuerySet:
        """Return the votes. Votes that Redis hasn't archived yet are missing."""
        return self.among(self.cast())

    def cast(self) -> ArchivedVoteQuerySet:
        """Return what the accounts voted in the time span, even if it may not be voided."""
        cast = ArchivedVote.objects.filter(user_id__in=self.people)
        cast = cast.filter(at__gte=self.since, at__lte=self.until)
        return cast.exclude(vote=Vote.NONE).exclude(state=VoteState.VOID)

    def among(self, cast: ArchivedVoteQuerySet) -> ArchivedVoteQuerySet:
        """Return those of the accounts' votes that may be voided."""
        cast = cast.filter(_on_others())
        if self.group_id is not None:
            cast = cast.filter(post_id__in=_governed(self.group_id))
        return cast if self.spared is None else cast.exclude(_written_by(self.spared))


def counted_once(rows: Rows) -> Rows:
    """Leave out votes that count on a post because their voters cast them on a merged post.

    `rows` are votes, or ledger entries about them, with those on the merged posts.
    """
    merged = Post.objects.filter(merged_into=OuterRef(ON_POST)).values("pk")
    same = rows.filter(comment_id=0, post_id__in=merged, user_id=VOTER, vote=OuterRef("vote"))
    return rows.exclude(Q(Exists(same), comment_id=0))


def _on_others() -> Q:
    """Select votes on what other people wrote. A post that was merged stays its author's."""
    own_comment = Comment.objects.filter(pk=ON_COMMENT, author=VOTER)
    own_post = Post.objects.filter(Q(pk=ON_POST) | Q(merged_into=ON_POST), author=VOTER)
    is_comment = Q(comment_id__gt=0)
    return (is_comment & ~Exists(own_comment)) | (~is_comment & ~Exists(own_post))


def _written_by(person_id: int) -> Q:
    """Select votes on a person's posts, on all comments there, and on the person's comments."""
    posts = Post.objects.filter(pk=ON_POST, author=person_id)
    comments = Comment.objects.filter(pk=ON_COMMENT, author=person_id)
    return Q(Exists(posts)) | Q(Exists(comments))


def _governed(group_id: int) -> QuerySet[Post, Any]:
    """Return the ids of the posts that a group governs (see `roles.governing_groups`)."""
    added = GroupChange.objects.filter(group=group_id, state=GroupChange.State.ADDED)
    posts = Post.objects.filter(groups=group_id).exclude(pk__in=added.values("post"))
    return posts.values("pk")


def require_voiding(by: User, people: Collection[User], group: Group | None) -> Powers:
    """Return the powers of `by`. Raises Forbidden unless `by` may void these people's votes.

    Only admins may void votes of the site's moderators. Moderators of a group may not void votes of
    the group's other moderators, or of those who appointed them.
    """
    powers = roles.require_moderator_of(by, group)
    if any(one.pk == by.pk for one in people):
        raise Forbidden(_("You can't void your own votes."))
    if not powers.is_admin and (above := _above(by, powers, people, group)):
        names = {"names": _(", ").join(sorted(one.username for one in above))}
        raise Forbidden(_("You may not void votes of these moderators: %(names)s.") % names)
    return powers


def _above(by: User, powers: Powers, people: Collection[User], group: Group | None) -> list[User]:
    """Return those of the people whose votes `by`, who isn't an admin, may not void."""
    ids: set[int] = set()
    if group and not powers.is_site_moderator:
        ids |= appointments.superiors_of(by, group)
        ids |= set(group.moderators.values_list("user_id", flat=True))
    return [one for one in people if one.is_staff or one.pk in ids]
