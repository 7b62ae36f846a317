"""A group that posts are in."""

from django.core.validators import RegexValidator
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


class Group(models.Model):
    """A topic and what it is about. Who is in it and in what order is voting's business."""

    slug = models.CharField(
        _("short name"),
        max_length=40,
        unique=True,
        validators=[
            RegexValidator(
                r"^[a-z0-9][a-z0-9.-]*\Z", _("Use small letters, digits, dots and hyphens.")
            )
        ],
        help_text=_("Part of the address; it never changes."),
    )
    title = models.CharField(_("title"), max_length=100)
    description = models.TextField(_("description"), max_length=2_000, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        ordering = ["slug"]
        verbose_name = _("group")
        verbose_name_plural = _("groups")

    def __str__(self) -> str:
        return self.slug

    def get_absolute_url(self) -> str:
        return reverse("group", args=[self.slug])
