"""Votes that the worker copied from Redis to SQL: the log of all changes, and current votes.

The rows have no foreign keys, so that accepted votes stay even if a person or post is deleted.
"""

from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _


class VoteState(models.IntegerChoices):
    """Whether a vote counts. Voters see their own arrows in each state."""

    COUNTED = 0, _("counts")
    WAITING = 1, _("waits")
    VOID = 2, _("void")
    LATE = 3, _("never counts")
    """A waiting vote on a target whose voting closed before the wait ended."""


class ArchivedVoteQuerySet(models.QuerySet["ArchivedVote"]):
    """Votes, including those that don't count."""

    def counted(self) -> Self:
        """Return the votes that count."""
        return self.filter(state=VoteState.COUNTED)


class _Vote(models.Model):
    id = models.BigAutoField(primary_key=True)
    user_id = models.PositiveIntegerField(_("person"))
    post_id = models.PositiveIntegerField(_("post"))
    comment_id = models.PositiveIntegerField(_("comment"), default=0)
    """The id of the comment, or 0 for a vote on the post itself."""
    vote = models.SmallIntegerField(_("vote"))
    at = models.DateTimeField(_("time"))
    state = models.PositiveSmallIntegerField(
        _("state"), choices=VoteState, default=VoteState.COUNTED, db_default=VoteState.COUNTED
    )
    counts_at = models.DateTimeField(_("counts from"), null=True)
    """The time until which the vote waits or waited; None if it never had to."""

    class Meta:
        abstract = True

    def __str__(self) -> str:
        """Describe a vote by its ids, because names would need queries."""
        numbers = {"person": self.user_id, "post": self.post_id, "comment": self.comment_id}
        if self.comment_id:
            return (
                gettext("Vote by person %(person)d on comment %(comment)d of post %(post)d")
                % numbers
            )
        return gettext("Vote by person %(person)d on post %(post)d") % numbers


class LedgerEntry(_Vote):
    """A change of a vote, of whether it counts, or of starting points. Each is stored once.

    Rows change only when posts are merged: entries about moved comments get the new post's id.
    """

    class Kind(models.TextChoices):
        VOTE = "vote", _("vote")
        START = "start", _("starting points")
        COUNT = "count", _("waiting vote counts")
        VOID = "void", _("void")
        RESTORE = "restore", _("restored")

    VOTES: ClassVar = (Kind.VOTE, Kind.COUNT, Kind.VOID, Kind.RESTORE)
    """The kinds of entries about a person's vote. Each has the vote and its state afterwards."""

    kind = models.CharField(
        _("kind"), max_length=8, choices=Kind, default=Kind.VOTE, db_default=Kind.VOTE
    )
    points = models.IntegerField(_("points"), null=True)
    """How many starting points the post gets. None for votes.

    An entry of starting points has no person (0) and no vote (0).
    """
    generation = models.CharField(max_length=32)
    shard = models.PositiveSmallIntegerField()
    entry = models.CharField(max_length=32)
    """The entry's id in the Redis stream of its shard.

    In other entries, `generation` says where the change comes from, and `entry` what brought it.
    """

    class Meta:
        verbose_name = _("vote log entry")
        verbose_name_plural = _("vote log")
        constraints = [
            models.UniqueConstraint(fields=["generation", "shard", "entry"], name="entry_once")
        ]
        indexes = [
            models.Index(fields=["post_id", "comment_id"], name="entry_by_target"),
            models.Index(
                fields=["post_id"], condition=Q(points__isnull=False), name="entry_of_points"
            ),
        ]

    def __str__(self) -> str:
        if self.points is None:
            return super().__str__()
        numbers = {"points": self.points, "post": self.post_id}
        return gettext("%(points)+d starting points of post %(post)d") % numbers


class ArchivedVote(_Vote):
    """A person's current vote on a post or comment, from their last ledger entry about it."""

    objects = ArchivedVoteQuerySet.as_manager()

    class Meta:
        verbose_name = _("vote")
        verbose_name_plural = _("votes")
        constraints = [
            models.UniqueConstraint(
                fields=["post_id", "comment_id", "user_id"], name="one_vote_a_person_and_target"
            )
        ]
        indexes = [
            models.Index(fields=["user_id", "-at"], name="vote_by_person"),
            models.Index(
                fields=["counts_at"], condition=Q(state=VoteState.WAITING), name="waiting_vote"
            ),
        ]


class UnitedVote(models.Model):
    """A vote that a person cast on a merged post, and that counts on the remaining post, `post_id`.

    The person's `ArchivedVote` on the remaining post has the same vote and time. If the person
    votes on the remaining post after the merge, `ArchivedVote` has that newer vote, and only the
    newer vote counts.
    """

    id = models.BigAutoField(primary_key=True)
    post_id = models.PositiveIntegerField()
    """The id of the post on which the vote counts."""
    user_id = models.PositiveIntegerField()
    vote = models.SmallIntegerField()
    at = models.DateTimeField()
    own_vote = models.SmallIntegerField(null=True)
    """The person's earlier vote on `post_id`, which this vote replaced. None if there was none."""
    own_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["post_id", "user_id"], name="vote_united_once")
        ]


class LedgerCursor(models.Model):
    """The last ledger entry of a shard that the worker has archived.

    The worker moves the cursor in the transaction that writes the archived votes.
    """

    shard = models.PositiveSmallIntegerField(primary_key=True)
    generation = models.CharField(max_length=32)
    entry = models.CharField(max_length=32, default="0-0")
    behind = models.PositiveIntegerField(default=0, db_default=0)
    """How often Redis lost archived entries of the shard since they were last restored. Usually 0.
    """
