"""Archived votes and ledger entries, written by the worker.

They have no foreign keys, so that accepted votes stay even if a person or post is deleted later.
"""

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _


class LedgerEntry(models.Model):
    """One accepted change of a vote, written only once.

    Only merging posts changes it: entries of votes on comments move with the comments.
    """

    id = models.BigAutoField(primary_key=True)
    generation = models.CharField(max_length=32)
    shard = models.PositiveSmallIntegerField()
    entry = models.CharField(max_length=32)
    """The id of the entry in its shard's stream."""
    user_id = models.PositiveIntegerField(_("person"))
    post_id = models.PositiveIntegerField(_("post"))
    comment_id = models.PositiveIntegerField(_("comment"), default=0)
    vote = models.SmallIntegerField(_("vote"))
    at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("vote log entry")
        verbose_name_plural = _("vote log")
        constraints = [
            models.UniqueConstraint(fields=["generation", "shard", "entry"], name="entry_once")
        ]
        indexes = [models.Index(fields=["post_id", "comment_id"], name="entry_by_target")]

    def __str__(self) -> str:
        return _of(self)


class ArchivedVote(models.Model):
    """A person's current vote on a target, as of their last ledger entry."""

    id = models.BigAutoField(primary_key=True)
    user_id = models.PositiveIntegerField(_("person"))
    post_id = models.PositiveIntegerField(_("post"))
    comment_id = models.PositiveIntegerField(_("comment"), default=0)
    """The id of the comment; 0 for a vote on the post itself."""
    vote = models.SmallIntegerField(_("vote"))
    at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("vote")
        verbose_name_plural = _("votes")
        constraints = [
            models.UniqueConstraint(
                fields=["post_id", "comment_id", "user_id"], name="one_vote_a_person_and_target"
            )
        ]
        indexes = [models.Index(fields=["user_id", "-at"], name="vote_by_person")]

    def __str__(self) -> str:
        return _of(self)


class UnitedVote(models.Model):
    """A vote on a merged post that counts on another post: the one that it was merged into.

    That post's `ArchivedVote` has the same vote and time, until the person votes there again.
    """

    id = models.BigAutoField(primary_key=True)
    post_id = models.PositiveIntegerField()
    """The post on which the vote counts."""
    user_id = models.PositiveIntegerField()
    vote = models.SmallIntegerField()
    at = models.DateTimeField()
    own_vote = models.SmallIntegerField(null=True)
    """The person's vote on the post itself, which this one replaced; None if there was none."""
    own_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["post_id", "user_id"], name="vote_united_once")
        ]


def _of(vote: LedgerEntry | ArchivedVote) -> str:
    """Return a text with the ids of person and target, since their names would take queries."""
    numbers = {"person": vote.user_id, "post": vote.post_id, "comment": vote.comment_id}
    if vote.comment_id:
        return (
            gettext("Vote by person %(person)d on comment %(comment)d of post %(post)d") % numbers
        )
    return gettext("Vote by person %(person)d on post %(post)d") % numbers


class LedgerCursor(models.Model):
    """How far a shard's ledger has been archived; moved in the transaction that writes the rows."""

    shard = models.PositiveSmallIntegerField(primary_key=True)
    generation = models.CharField(max_length=32)
    entry = models.CharField(max_length=32, default="0-0")
    behind = models.PositiveIntegerField(default=0, db_default=0)
    """How often Redis came back without archived entries up to this one; usually 0."""
