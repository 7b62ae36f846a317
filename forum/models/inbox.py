"""Inbox items: notifications of events that concern a person."""

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from forum.models.comment import Comment
from forum.models.conversation import Conversation
from forum.models.deleted_names import shown_name
from forum.models.post import Post
from forum.models.user import User


class InboxItem(models.Model):
    """A notification for one person. An event creates at most one item for each person."""

    id = models.BigAutoField(primary_key=True)

    class Kind(models.TextChoices):
        REPLY = "reply", _("replies to you")
        MENTION = "mention", _("mentions of you")
        WATCHED = "watched", _("comments on threads you watch")
        FOLLOWER = "follower", _("new followers")
        ACCEPTED = "accepted", _("your accepted answers")
        MODERATOR = "moderator", _("messages from moderators")
        FLAG = "flag", _("decisions about your flags")

    AGREED, DISAGREED = "agreed", "disagreed"
    """Values of `text` for an item about a flag: whether moderators agreed with the flag.

    `text` is "" if the moderators didn't judge the flag.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="inbox")
    kind = models.CharField(max_length=9, choices=Kind)
    actor = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    post = models.ForeignKey(Post, on_delete=models.CASCADE, null=True, related_name="+")
    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, null=True, related_name="+")
    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, null=True, related_name="+"
    )
    """The conversation with moderators that the item is about."""
    text = models.TextField(_("text"), blank=True)
    """The text of a message from moderators, or the outcome of a flag."""
    created_at = models.DateTimeField(_("time"))
    read_at = models.DateTimeField(_("read at"), null=True, blank=True)

    class Meta:
        verbose_name = _("inbox item")
        verbose_name_plural = _("inbox items")
        constraints = [
            models.UniqueConstraint(fields=["user", "comment", "kind"], name="told_once")
        ]
        indexes = [
            models.Index(fields=["user", "-id"], name="inbox_newest"),
            models.Index(
                fields=["user", "kind"], name="inbox_unread", condition=models.Q(read_at=None)
            ),
            models.Index(
                fields=["read_at"], name="inbox_read", condition=models.Q(read_at__isnull=False)
            ),
        ]

    @property
    def can_be_replied_to(self) -> bool:
        """Return whether the comment and post of the item are both visible."""
        comment, post = self.comment, self.post
        return bool(comment and post and not comment.deleted_at and not post.deleted_at)

    @property
    def quoted(self) -> Comment | Post | None:
        """The visible comment of the item, or the visible post that mentions a person."""
        if self.comment_id:
            return self.comment if self.can_be_replied_to else None
        visible = self.post is not None and not self.post.deleted_at
        return self.post if visible and self.kind == self.Kind.MENTION else None

    @property
    def is_from_moderators(self) -> bool:
        """Whether moderators wrote the item. If so, readers must never see the `actor`."""
        return self.kind in {self.Kind.MODERATOR, self.Kind.FLAG}

    @property
    def sentence(self) -> str:
        """Return the notification as a sentence in the active language."""
        comment, post, conversation = self.comment, self.post, self.conversation
        group = conversation.group if conversation else None
        return sentence(
            Kind(self.kind),
            self.actor.username,
            self.text,
            group.title if group else "",
            is_answer=bool(comment and comment.is_answer),
            is_on_question=bool(
                comment and comment.parent_id is None and post and post.kind == Post.Kind.QUESTION
            ),
        )

    @property
    def message(self) -> str:
        """Return the text of a message from moderators, or "" for other items."""
        return "" if self.kind == self.Kind.FLAG else self.text


Kind = InboxItem.Kind


def sentence(
    kind: InboxItem.Kind,
    name: str,
    text: str,
    group: str,
    *,
    is_answer: bool,
    is_on_question: bool,
) -> str:
    """Return a notification as a sentence in the active language.

    `group` is the title of the group whose moderators wrote, or "". `is_answer` and
    `is_on_question` say what the comment is.
    """
    match kind:
        case Kind.REPLY:
            says = _reply(is_answer, is_on_question)
        case Kind.MENTION:
            says = gettext("%(name)s mentioned you")
        case Kind.WATCHED if is_answer:
            says = gettext("%(name)s answered a question you watch")
        case Kind.WATCHED:
            says = gettext("%(name)s commented in a thread you watch")
        case Kind.FOLLOWER:
            says = gettext("%(name)s follows you")
        case Kind.ACCEPTED:
            says = gettext("%(name)s accepted your answer")
        case Kind.MODERATOR:
            return _from_moderators(group)
        case Kind.FLAG:
            return _flag_outcome(text)
    return says % {"name": shown_name(name)}


def _reply(is_answer: bool, is_on_question: bool) -> str:
    if is_answer:
        return gettext("%(name)s answered your question")
    if is_on_question:
        return gettext("%(name)s commented on your question")
    return gettext("%(name)s replied to you")


def _from_moderators(group: str) -> str:
    if not group:
        return gettext("Message from the moderators")
    return gettext("Message from the moderators of %(group)s") % {"group": group}


def _flag_outcome(text: str) -> str:
    if text == InboxItem.AGREED:
        return gettext("Moderators agreed with your flag")
    if text == InboxItem.DISAGREED:
        return gettext("Moderators looked at what you flagged and found nothing wrong")
    return gettext("Moderators looked at what you flagged")
