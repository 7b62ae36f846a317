"""Groups of posts, and former names of groups."""

from django.core.validators import RegexValidator
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from forum.models.managers import LockingQuerySet


class Hue(models.IntegerChoices):
    """The colours of groups. The stylesheet has a class for each, such as `hue-3`."""

    PINK = 0, _("Pink")
    RED = 1, _("Red")
    ORANGE = 2, _("Orange")
    YELLOW = 3, _("Yellow")
    LIME = 4, _("Lime")
    GREEN = 5, _("Green")
    TEAL = 6, _("Teal")
    CYAN = 7, _("Cyan")
    SKY = 8, _("Sky blue")
    BLUE = 9, _("Blue")
    PURPLE = 10, _("Purple")
    MAGENTA = 11, _("Magenta")


class Group(models.Model):
    """A topic for posts. A post is in one or more groups. A group's rankings are in Redis."""

    slug = models.CharField(
        _("short name"),
        max_length=40,
        unique=True,
        validators=[
            RegexValidator(
                r"^[a-z0-9][a-z0-9.-]*\Z", _("Use small letters, digits, dots and hyphens.")
            )
        ],
        help_text=_("Part of the URL. After a change, the old URL redirects to the new one."),
    )
    title = models.CharField(_("title"), max_length=100)
    description = models.TextField(_("description"), max_length=2_000, blank=True)
    closed = models.BooleanField(
        _("closed to new posts"),
        default=False,
        help_text=_("Everybody can still read the group, vote and comment."),
    )
    moderators_appoint = models.BooleanField(
        _("moderators may appoint moderators"),
        default=False,
        db_default=False,
        help_text=_("If this is off, only admins choose this group's moderators."),
    )
    hue = models.PositiveSmallIntegerField(
        _("colour"),
        choices=Hue,
        null=True,
        blank=True,
        help_text=_("If you choose none, the colour depends on the short name."),
    )
    merged_into = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )
    """The group to which the posts of this group are moving. None unless a merge is running."""
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    objects = LockingQuerySet["Group"].as_manager()

    class Meta:
        ordering = ["slug"]
        verbose_name = _("group")
        verbose_name_plural = _("groups")

    def __str__(self) -> str:
        return self.slug

    def get_absolute_url(self) -> str:
        return reverse("group", args=[self.slug])


class GroupAlias(models.Model):
    """A former short name of a group, or a name of another group that was merged into this group.

    URLs with this name redirect to `group`, unless a new group uses the name.
    """

    slug = models.CharField(max_length=40, unique=True)
    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="aliases")
