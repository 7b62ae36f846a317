"""Moderation actions, which together form the moderation log."""

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from forum.models.comment import Comment
from forum.models.group import Group
from forum.models.managers import LockingQuerySet
from forum.models.post import Post
from forum.models.rule import Rule
from forum.models.user import User

WHOLE = models.Q(parent=None)
"""Selects actions that have their own line in the log. Leaves out the parts of bulk actions."""


class ModAction(models.Model):
    """One action of a moderator, an automatic rule or the site: an entry of the moderation log.

    Rows are never deleted. An undone action stays in the log with `undone_at` set.
    """

    class Kind(models.TextChoices):
        REMOVE = "remove", _("removed")
        RESTORE = "restore", _("restored")
        """An admin restored a post or comment that its author had deleted."""
        HOLD = "hold", _("held for approval")
        HIDE = "hide", _("hidden until a moderator decides")
        APPROVE = "approve", _("approved")
        REJECT = "reject", _("rejected")
        DISMISS = "dismiss", _("flags dismissed")
        LOCK = "lock", _("thread locked")
        UNLOCK = "unlock", _("thread unlocked")
        HOLD_REPLIES = "hold_replies", _("replies held for approval")
        RELEASE_REPLIES = "release_replies", _("replies no longer held")
        EDIT = "edit", _("edited")
        MERGE = "merge", _("merged")
        WARN = "warn", _("warned")
        BAN = "ban", _("banned")
        UNBAN = "unban", _("ban ended")
        REMOVE_ALL = "remove_all", _("everything removed")
        RESTORE_FLAGGED = "restore_flagged", _("everything hidden by the same flags restored")
        """A moderator restored all that the flags of the same accounts had hidden."""
        TAKE_OUT = "take_out", _("taken out of a group")
        """A bulk removal took a post out of one group. The post stays in its other groups."""
        VOID_VOTES = "void_votes", _("votes voided")
        """Votes of some accounts no longer count. Each account is a part of the action."""
        FLAG = "flag", _("flagged")
        """An automatic rule flagged a post or comment."""
        REFUSE = "refuse", _("refused")
        """An automatic rule refused a post or comment before it was saved."""
        APPOINT = "appoint", _("made moderator")
        DISCHARGE = "discharge", _("no longer moderator")
        ADMIT = "admit", _("application accepted")
        DECLINE = "decline", _("application declined")

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(_("action"), max_length=16, choices=Kind)
    by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, related_name="+", verbose_name=_("moderator")
    )
    """The moderator, or None if a rule or the site acted."""
    rule = models.ForeignKey(
        Rule, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("rule")
    )
    group = models.ForeignKey(
        Group, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("group")
    )
    """The group whose moderators acted, or None for the site's moderators."""
    person = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, related_name="+", verbose_name=_("person")
    )
    """The person concerned: the author of the post or comment, or the person warned or banned."""
    post = models.ForeignKey(
        Post, on_delete=models.PROTECT, null=True, related_name="+", verbose_name=_("post")
    )
    """The post concerned. For an action on a comment, the comment's post."""
    comment = models.ForeignKey(
        Comment, on_delete=models.PROTECT, null=True, related_name="+", verbose_name=_("comment")
    )
    reason = models.TextField(_("reason"), max_length=1_000, blank=True)
    is_private = models.BooleanField(_("private"), default=False)
    """Whether the public log hides the title, text and person, for legal or privacy reasons."""
    until = models.DateTimeField(_("until"), null=True)
    """When a ban ends. None for a permanent ban and for other actions."""
    details = models.JSONField(default=dict)
    """The data that undoing the action needs."""
    parent = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="parts", db_index=False
    )
    """The bulk action to which this action belongs, or None."""
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    undone_at = models.DateTimeField(_("undone at"), null=True)
    undone_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    objects = LockingQuerySet["ModAction"].as_manager()

    class Meta:
        verbose_name = _("moderation action")
        verbose_name_plural = _("moderation log")
        indexes = [
            models.Index(fields=["person", "-id"], name="action_by_person"),
            models.Index(fields=["-id"], name="action_log", condition=WHOLE),
            models.Index(fields=["kind", "-id"], name="log_by_kind", condition=WHOLE),
            models.Index(fields=["by", "-id"], name="log_by_moderator", condition=WHOLE),
            models.Index(fields=["by", "kind", "-id"], name="log_by_both", condition=WHOLE),
            # Keep this after action_by_person: if two indexes fit, SQLite uses the later one.
            models.Index(fields=["person", "-id"], name="log_by_person", condition=WHOLE),
            models.Index(fields=["parent", "-id"], name="action_parts"),
            models.Index(
                fields=["person", "-id"],
                name="voids_by_person",
                condition=models.Q(kind="void_votes"),
            ),
        ]

    def __str__(self) -> str:
        return str(self.Kind(self.kind).label)

    def get_absolute_url(self) -> str:
        return reverse("mod_action", args=[self.pk])

    @property
    def translated_reason(self) -> str:
        """Return the action's reason. It is translated if the site itself acted."""
        by_site = self.by_id is None and self.rule_id is None
        return gettext(self.reason) if self.reason and by_site else self.reason


MERGED_VOTES_TO = "united_to"
"""The highest id of the people whose votes a merge has moved, in the details of its action."""


class LogPlace(models.Model):
    """An entry in the moderation log of one group. Copies the fields by which the log is filtered.

    An action about a post is in the logs of the groups that the post was in at the time. It is also
    in the log of the action's own group. Actions that are part of a bulk action are in no group's
    log.
    """

    id = models.BigAutoField(primary_key=True)
    action = models.ForeignKey(ModAction, on_delete=models.CASCADE, related_name="places")
    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=16, choices=ModAction.Kind)
    by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["group", "action"], name="action_once_a_group")
        ]
        indexes = [
            models.Index(fields=["group", "kind", "-action"], name="group_log_by_kind"),
            models.Index(fields=["group", "by", "-action"], name="group_log_by_moderator"),
        ]


class MovedComment(models.Model):
    """A comment that a merge moved. Undoing the merge moves it back and deletes this row."""

    id = models.BigAutoField(primary_key=True)
    action = models.ForeignKey(ModAction, on_delete=models.CASCADE, related_name="moved_comments")
    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["action", "comment"], name="moved_once_a_merge")
        ]
