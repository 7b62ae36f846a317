"""A post: a link, a text or a question."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from forum.models.group import Group
from forum.models.managers import DeletableQuerySet, Votable
from forum.models.user import User

ACTIONS = {
    *("accept", "c", "comment", "comments", "delete", "edit", "flag", "hide", "history"),
    *("merge", "moderate", "mute", "out", "restore", "save", "source", "vote", "watch"),
}
"""Words that name an action in a URL after a post's id. A post's slug can't be such a word."""


POINTS = F("up") - F("down") + F("starting_points")
"""A post's points in SQL, as in `Post.points`."""


class Post(Votable):
    """A link, text or question that a person submitted.

    `up`, `down` and `score` are copies of the values in Redis, and may be a few seconds old. The
    site uses these copies in a rebuild, while Redis is unavailable, and for posts that are too low
    for the rankings in Redis.
    """

    class Kind(models.TextChoices):
        LINK = "link", _("link")
        TEXT = "text", _("text")
        QUESTION = "question", _("question")

    author = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="posts", verbose_name=_("author")
    )
    kind = models.CharField(_("kind"), max_length=8, choices=Kind)
    title = models.CharField(_("title"), max_length=200)
    url = models.URLField(_("URL"), max_length=2_000, blank=True)
    url_key = models.CharField(max_length=2_000, blank=True, editable=False)
    """The URL without insignificant parts. Posts with equal keys link to the same page."""
    body = models.TextField(_("text"), max_length=40_000, blank=True)
    body_html = models.TextField(editable=False, blank=True)
    groups = models.ManyToManyField(Group, related_name="posts", verbose_name=_("groups"))
    edited_at = models.DateTimeField(_("edited at"), null=True, blank=True)
    locked = models.BooleanField(_("locked"), default=False, db_default=False, editable=False)
    """Whether only moderators can comment."""
    holds_replies = models.BooleanField(default=False, db_default=False, editable=False)
    """Whether new comments wait for a moderator's approval."""
    merged_into = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, editable=False, related_name="+"
    )
    """The post that got this post's comments and votes when a moderator merged the two."""
    starting_points = models.IntegerField(
        _("starting points"), default=0, db_default=0, editable=False
    )
    """Points that nobody's vote gave (see `forum.ledger.starting_points`).

    They count for score and rank, but not for karma, leaderboards or likes.
    """
    score = models.FloatField(_("score"), default=0, editable=False)
    comment_count = models.PositiveIntegerField(_("comments"), default=0, editable=False)
    """The number of comments that are not deleted."""
    commented_at = models.DateTimeField(_("last comment"), null=True, editable=False)
    last_comment = models.ForeignKey(
        "forum.Comment",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        verbose_name=_("newest comment"),
    )
    """The newest comment that is not deleted. `commented_at` is its time."""
    views = models.PositiveIntegerField(_("views"), default=0, editable=False)
    """A copy of the number of views in Redis. The copy may be a minute older."""
    accepted = models.ForeignKey(
        "forum.Comment",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        verbose_name=_("accepted answer"),
    )
    origin = models.CharField(max_length=64, null=True, unique=True, editable=False)
    """For an imported post: the source, and the post's id at the source.

    A repeated import doesn't add the post twice, because of this value.
    """

    host = models.CharField(max_length=255, blank=True, default="", db_default="", editable=False)
    """The link's host name in ASCII, without "www."; "" for texts and questions."""

    objects = DeletableQuerySet["Post"].as_manager()

    class Meta:
        verbose_name = _("post")
        verbose_name_plural = _("posts")
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="post_newest"),
            models.Index(fields=["-score", "-id"], name="post_best"),
            models.Index(POINTS.desc(), F("id").desc(), name="post_points"),
            models.Index(
                Coalesce("commented_at", "created_at").desc(), F("id").desc(), name="post_active"
            ),
            models.Index(fields=["-views", "-id"], name="post_viewed"),
            models.Index(fields=["author", "-created_at"], name="post_by_author"),
            models.Index(
                fields=["url_key", "-created_at"],
                name="post_by_address",
                # With these, PostgreSQL can also search the index for a prefix, in any collation.
                opclasses=["varchar_pattern_ops", "timestamptz_ops"],
            ),
            models.Index(fields=["host", "-id"], name="post_by_host"),
            models.Index(fields=["id"], condition=Q(search_text=""), name="post_not_searchable"),
            models.Index(
                fields=["-created_at", "-id"],
                condition=Q(kind="question", deleted_at=None),
                name="post_newest_questions",
            ),
            models.Index(
                fields=["deleted_at"],
                condition=Q(deleted_at__isnull=False, withheld="") & ~Q(title=""),
                name="posts_to_purge",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("post", args=[self.pk, self.slug])

    @property
    def points(self) -> int:
        """The up votes minus the down votes, plus the starting points."""
        return self.up - self.down + self.starting_points

    @property
    def slug(self) -> str:
        """Return the end of the post's URL, made from the title.

        It is never empty, and never the name of an action, such as "edit".
        """
        return slug_of(self.title)


def slug_of(title: str) -> str:
    """Return the slug of a post with this title. See `Post.slug`."""
    slug = slugify(title, allow_unicode=True)[:60].strip("-")
    return f"{slug}-" if slug in ACTIONS or not slug else slug
