"""Comments, and revisions of posts and comments."""

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from forum.models.managers import CommentQuerySet, Votable
from forum.models.post import Post
from forum.models.user import User


class Comment(Votable):
    """A reply to a post, or to another comment on the post. Replies nest without limit.

    On a question, a comment on the post itself is either an answer or a comment on the question.
    `up` and `down` are copies of the vote counts in Redis. They may be seconds older.
    """

    post = models.ForeignKey(
        Post, on_delete=models.PROTECT, related_name="comments", verbose_name=_("post")
    )
    parent = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="replies",
        verbose_name=_("in reply to"),
    )
    is_answer = models.BooleanField(_("answer"), default=False, db_default=False, editable=False)
    """Whether the comment is an answer to the question. Never changes."""
    author = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="comments", verbose_name=_("author")
    )
    body = models.TextField(_("text"), max_length=10_000)
    body_html = models.TextField(editable=False)
    edited_at = models.DateTimeField(_("edited at"), null=True, blank=True)
    """When the comment was last edited. Edits in the first minutes don't count."""

    objects = CommentQuerySet["Comment"].as_manager()

    class Meta:
        verbose_name = _("comment")
        verbose_name_plural = _("comments")
        indexes = [
            models.Index(fields=["post", "-id"], name="comment_by_post"),
            models.Index(fields=["author", "-id"], name="comment_by_author"),
            models.Index(fields=["id"], condition=Q(search_text=""), name="comment_not_searchable"),
            models.Index(
                fields=["deleted_at"],
                condition=Q(deleted_at__isnull=False, withheld="") & ~Q(body=""),
                name="comments_to_purge",
            ),
        ]

    def __str__(self) -> str:
        return self.body[:80]

    def get_absolute_url(self) -> str:
        return reverse("comment", args=[self.post_id, self.pk])


class Revision(models.Model):
    """The text of a post or comment before an edit. Never changed."""

    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="revisions")
    comment = models.ForeignKey(
        Comment, on_delete=models.CASCADE, null=True, related_name="revisions"
    )
    """The edited comment, or None for a revision of the post itself."""
    title = models.CharField(_("title"), max_length=200, blank=True)
    body = models.TextField(_("text"), blank=True)
    url = models.URLField(_("URL"), max_length=2_000, blank=True)
    """The address of a link before the edit. "" if the edit did not change the address."""
    until = models.DateTimeField(_("valid until"))
    by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    """The moderator who made the edit, or None if the author did."""

    class Meta:
        verbose_name = _("revision")
        verbose_name_plural = _("revisions")
        indexes = [models.Index(fields=["until"], name="revisions_oldest")]
