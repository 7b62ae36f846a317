"""Flags, and the items of the moderation queue."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from forum.models.comment import Comment
from forum.models.group import Group
from forum.models.managers import LockingQuerySet
from forum.models.mod_action import ModAction
from forum.models.post import Post
from forum.models.user import User


class QueueItem(models.Model):
    """Something for moderators to decide about.

    An item is a flagged post, comment or person, a post or comment held for approval, or an
    application. There is at most one open item about the same post, comment or person. If people
    flag it again after a decision, a new item opens.
    """

    class Kind(models.TextChoices):
        FLAGGED = "flagged", _("flagged")
        """A flagged post or comment."""
        PERSON = "person", _("flagged person")
        HELD = "held", _("held for approval")
        APPLICATION = "application", _("application")

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(_("kind"), max_length=11, choices=Kind)
    post = models.ForeignKey(Post, on_delete=models.CASCADE, null=True, related_name="+")
    """The post, or None if the item is about a comment or person."""
    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, null=True, related_name="+")
    person = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    """The flagged person or the applicant. None for items about posts and comments."""
    groups = models.ManyToManyField(Group, through="QueuePlace", related_name="+")
    """The groups of the post or comment. Moderators of these groups see the item in their queue.

    They see flagged items only if `group_weight` is at least `SitePolicy.queue_weight`.
    """
    weight = models.FloatField(_("weight"), default=0)
    """The sum of the weights of all flags."""
    group_weight = models.FloatField(default=0)
    """The sum of the weights of all flags, except flags sent only to the site's moderators."""
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    decided_at = models.DateTimeField(_("decided at"), null=True)
    decided_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, related_name="+", verbose_name=_("decided by")
    )
    decision = models.ForeignKey(ModAction, on_delete=models.PROTECT, null=True, related_name="+")
    """The moderation action that decided the item."""

    objects = LockingQuerySet["QueueItem"].as_manager()

    class Meta:
        verbose_name = _("queue item")
        verbose_name_plural = _("moderation queue")
        constraints = [
            models.UniqueConstraint(
                fields=["post"], condition=Q(decided_at=None), name="one_open_item_a_post"
            ),
            models.UniqueConstraint(
                fields=["comment"], condition=Q(decided_at=None), name="one_open_item_a_comment"
            ),
            models.UniqueConstraint(
                fields=["person"], condition=Q(decided_at=None), name="one_open_item_a_person"
            ),
        ]
        indexes = [
            models.Index(
                fields=["kind", "-weight", "-id"],
                name="queue_open",
                condition=Q(decided_at=None),
            ),
            models.Index(
                fields=["kind", "-decided_at", "-id"],
                name="queue_decided",
                condition=Q(decided_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.pk}"

    @property
    def target(self) -> Post | Comment | User:
        """Return the post, comment or person that the item is about.

        Raises ValueError if the item has no target.
        """
        target: Post | Comment | User | None = self.comment or self.post or self.person
        if target is None:
            raise ValueError(f"queue item {self.pk} is about nothing")
        return target


class QueuePlace(models.Model):
    """A copy of some fields of a queue item, for the queue of one group's moderators.

    The queue is filtered and sorted by these fields. So the queue of a small group loads fast even
    if other groups have many items (see `forum.queries.queue`).
    """

    id = models.BigAutoField(primary_key=True)
    item = models.ForeignKey(QueueItem, on_delete=models.CASCADE, related_name="places")
    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=11, choices=QueueItem.Kind)
    weight = models.FloatField(default=0)
    """The item's `group_weight`."""
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "group"], name="one_place_a_group")]
        indexes = [
            models.Index(
                fields=["group", "kind", "-weight", "-item"],
                name="queue_open_in_group",
                condition=Q(decided_at=None),
            ),
            models.Index(
                fields=["group", "kind", "-decided_at", "-item"],
                name="queue_decided_in_group",
                condition=Q(decided_at__isnull=False),
            ),
        ]


class Flag(models.Model):
    """A report of a post, comment or person. Each person has at most one flag on a queue item."""

    class Kind(models.TextChoices):
        SPAM = "spam", _("spam")
        OFF_TOPIC = "off_topic", _("off topic")
        UNKIND = "unkind", _("unkind")
        ILLEGAL = "illegal", _("illegal")
        BROKEN = "broken", _("broken or duplicate")
        OTHER = "other", _("other")
        VOTES = "votes", _("many votes of new accounts")
        """The alarm of the site (see `forum.moderation.vote_signs.alarms`). People can't use it."""

    class Outcome(models.TextChoices):
        OPEN = "", _("open")
        AGREED = "agreed", _("moderators agreed")
        DISAGREED = "disagreed", _("moderators disagreed")

    id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(
        User, on_delete=models.CASCADE, null=True, related_name="flags", verbose_name=_("person")
    )
    """The person who flagged the target, or None if an automatic rule or the site did."""
    item = models.ForeignKey(QueueItem, on_delete=models.CASCADE, related_name="flags")
    kind = models.CharField(_("reason"), max_length=9, choices=Kind)
    words = models.CharField(_("in your own words"), max_length=500, blank=True)
    weight = models.FloatField(_("weight"))
    to_admins = models.BooleanField(_("only for site moderators"), default=False)
    from_moderator = models.BooleanField(_("by a moderator"), default=False)
    """Whether the person moderated the target when writing the flag."""
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    outcome = models.CharField(
        _("outcome"), max_length=9, choices=Outcome, blank=True, default=Outcome.OPEN
    )

    class Meta:
        verbose_name = _("flag")
        verbose_name_plural = _("flags")
        constraints = [
            models.UniqueConstraint(fields=["item", "user"], name="flagged_once_a_person")
        ]
        indexes = [
            models.Index(fields=["user", "outcome"], name="flag_outcomes"),
            models.Index(fields=["user", "-id"], name="flags_by_person"),
        ]

    def __str__(self) -> str:
        return str(self.Kind(self.kind).label)
