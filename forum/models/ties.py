"""Ties: the people, groups and posts that a person follows, hides, blocks, saves or watches."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from forum.models.comment import Comment
from forum.models.group import Group
from forum.models.post import Post
from forum.models.user import User


class PersonFollow(models.Model):
    """One person follows another."""

    follower = models.ForeignKey(User, on_delete=models.CASCADE, related_name="follows")
    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="fans")
    at = models.DateTimeField(_("time"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["follower", "person"], name="person_followed_once")
        ]
        indexes = [models.Index(fields=["person", "-at"], name="fans_newest")]


class GroupFollow(models.Model):
    """A person follows a group."""

    follower = models.ForeignKey(User, on_delete=models.CASCADE, related_name="group_follows")
    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="fans")
    at = models.DateTimeField(_("time"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["follower", "group"], name="group_followed_once")
        ]


class HiddenGroup(models.Model):
    """A group that a person hides. The person's lists leave out the group's posts."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="hidden_groups")
    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField(_("time"))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "group"], name="group_hidden_once")]


class Block(models.Model):
    """A person blocks another person, and gets no notifications from that person."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="blocks")
    blocked = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField(_("time"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "blocked"], name="person_blocked_once")
        ]


class PersonNote(models.Model):
    """A label and a note about another person, which only the writer sees."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="person_notes")
    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    label = models.CharField(_("label"), max_length=30, blank=True)
    note = models.TextField(_("note"), max_length=500, blank=True)
    at = models.DateTimeField(_("time"))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "person"], name="person_noted_once")]


class Mark(models.Model):
    """A post that a person saved or hid."""

    class Kind(models.TextChoices):
        SAVED = "saved", _("saved")
        HIDDEN = "hidden", _("hidden")

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="marks")
    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=6, choices=Kind)
    at = models.DateTimeField(_("time"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "post"], name="post_marked_once")
        ]
        indexes = [models.Index(fields=["user", "kind", "-at"], name="marks_newest")]


class SavedComment(models.Model):
    """A comment that a person saved for later."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="saved_comments")
    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="saves")
    at = models.DateTimeField(_("time"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "comment"], name="comment_saved_once")
        ]


class Watch(models.Model):
    """A person's choice to watch a thread or not. Without a row, the person has not chosen."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="watches")
    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="watches")
    on = models.BooleanField(default=True)
    muted = models.BooleanField(default=False, db_default=False)
    """Whether the person gets no notifications of replies in the thread either."""
    united_from = models.ForeignKey(Post, on_delete=models.CASCADE, null=True, related_name="+")
    """The merged post that the person watched, if merging the post created this watch.

    None if the person watches the thread itself.
    """

    class Meta:
        constraints = [models.UniqueConstraint(fields=["post", "user"], name="post_watched_once")]
