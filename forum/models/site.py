"""Texts, a tagline and a logo that the owners of the site can edit."""

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


class SiteText(models.Model):
    """The text of a page that the site's owners write, in one language or for all languages."""

    class Page(models.TextChoices):
        RULES = "rules", _("Rules")
        PRIVACY = "privacy", _("Privacy")
        CONTACT = "contact", _("Contact")
        ABOUT = "about", _("About")

    page = models.CharField(_("page"), max_length=7, choices=Page)
    language = models.CharField(_("language"), max_length=10, blank=True)
    """A code of `settings.LANGUAGES`, or "" for a text that pages show in every language."""
    body = models.TextField(_("text"), max_length=40_000)
    body_html = models.TextField(editable=False)
    updated_at = models.DateTimeField(_("changed at"), auto_now=True)

    class Meta:
        ordering = ["page", "language"]
        verbose_name = _("site text")
        verbose_name_plural = _("site texts")
        constraints = [
            models.UniqueConstraint(
                fields=["page", "language"],
                name="one_text_a_page_and_language",
                violation_error_message=_("This page already has a text in this language."),
            )
        ]

    def __str__(self) -> str:
        name = str(self.Page(self.page).label)
        return f"{name} ({self.language})" if self.language else name

    def get_absolute_url(self) -> str:
        return reverse(self.page)


class SiteIdentity(models.Model):
    """The site's tagline and logo. The table has at most one row."""

    ONLY = 1
    """The primary key of the only row."""

    tagline = models.CharField(
        _("tagline"),
        max_length=120,
        blank=True,
        help_text=_("One sentence that guests read on the front page."),
    )
    logo = models.BinaryField(editable=False, default=bytes)
    """The content of a PNG file, or empty without a logo."""

    class Meta:
        verbose_name = _("tagline and logo")
        verbose_name_plural = _("tagline and logo")

    def __str__(self) -> str:
        return str(self._meta.verbose_name)
