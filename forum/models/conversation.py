"""Conversations between a person and moderators, and moderators' notes about a person."""

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from forum.models.group import Group
from forum.models.managers import LockingQuerySet
from forum.models.mod_action import ModAction
from forum.models.user import User


class Conversation(models.Model):
    """All messages between a person and the moderators of a group, or of the site."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        """The person wrote last."""
        ANSWERED = "answered", _("answered by moderators")
        """The moderators wrote last."""
        CLOSED = "closed", _("closed")

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="conversations")
    group = models.ForeignKey(Group, on_delete=models.CASCADE, null=True, related_name="+")
    """The group, or None for a conversation with the site's moderators."""
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.ANSWERED)
    updated_at = models.DateTimeField(_("changed at"))

    objects = LockingQuerySet["Conversation"].as_manager()

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        constraints = [
            models.UniqueConstraint(fields=["user", "group"], name="one_conversation_a_group"),
            models.UniqueConstraint(
                fields=["user"],
                condition=models.Q(group=None),
                name="one_conversation_with_the_site",
            ),
        ]
        indexes = [
            models.Index(fields=["-updated_at", "-id"], name="conversations_newest"),
            models.Index(fields=["state", "-updated_at"], name="conversations_by_state"),
            models.Index(fields=["group", "-updated_at"], name="conversations_by_group"),
        ]

    def get_absolute_url(self) -> str:
        return reverse("conversation", args=[self.pk])


class Message(models.Model):
    """A message in a conversation. Never changed."""

    id = models.BigAutoField(primary_key=True)
    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="messages"
    )
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    """The writer. None if the message is a notice about what a rule or the site did."""
    from_moderators = models.BooleanField()
    action = models.ForeignKey(ModAction, on_delete=models.PROTECT, null=True, related_name="+")
    """The action that a notice is about. None for messages that people write."""
    body = models.TextField(_("message"), max_length=10_000, blank=True)
    body_html = models.TextField(editable=False, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["conversation", "id"], name="messages_in_order")]

    def get_absolute_url(self) -> str:
        return f"{self.conversation.get_absolute_url()}#message-{self.pk}"


class ModNote(models.Model):
    """A private note of moderators about a person."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="mod_notes")
    group = models.ForeignKey(Group, on_delete=models.CASCADE, null=True, related_name="+")
    """The group whose moderators can read the note. None for the site's moderators."""
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    text = models.TextField(_("note"), max_length=2_000)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["user", "-id"], name="notes_of_person")]
