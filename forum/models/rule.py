"""Automatic rules of the site and of groups, and words and domains that a person mutes."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from forum.models.group import Group
from forum.models.user import User


class Rule(models.Model):
    """An automatic rule: it holds, flags or refuses posts and comments that meet its conditions.

    A post or comment must meet all conditions. An empty condition is always met.
    """

    class About(models.TextChoices):
        POST = "post", _("posts")
        COMMENT = "comment", _("comments")
        ANY = "any", _("posts and comments")

    class Effect(models.TextChoices):
        HOLD = "hold", _("hold for approval")
        FLAG = "flag", _("flag")
        REFUSE = "refuse", _("refuse with a message")

    group = models.ForeignKey(
        Group, on_delete=models.CASCADE, null=True, blank=True, related_name="rules"
    )
    """The group to whose posts and comments the rule applies, or None for the whole site."""
    name = models.CharField(_("name"), max_length=80)
    about = models.CharField(_("applies to"), max_length=7, choices=About, default=About.ANY)
    younger_than_days = models.PositiveIntegerField(
        _("account age below (days)"), null=True, blank=True
    )
    karma_below = models.IntegerField(_("karma below"), null=True, blank=True)
    domains = models.TextField(
        _("links to one of these domains"),
        max_length=4_000,
        blank=True,
        help_text=_("One per line. Subdomains are included."),
    )
    words = models.TextField(
        _("contains one of these words"),
        max_length=4_000,
        blank=True,
        help_text=_("One word or phrase per line. * stands for any letters: casino*"),
    )
    flags_at_least = models.PositiveIntegerField(
        _("at least this many flags"), null=True, blank=True
    )
    effect = models.CharField(
        _("what the rule does"), max_length=6, choices=Effect, default=Effect.HOLD
    )
    message = models.CharField(
        _("message"), max_length=300, blank=True, help_text=_("The author sees this message.")
    )
    enabled = models.BooleanField(_("enabled"), default=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        verbose_name = _("automatic rule")
        verbose_name_plural = _("automatic rules")
        indexes = [models.Index(fields=["enabled", "group"], name="rules_enabled")]

    def __str__(self) -> str:
        return self.name


class Mute(models.Model):
    """A word or domain that a person mutes. The person's lists leave out matching posts."""

    class Kind(models.TextChoices):
        WORD = "word", _("word")
        DOMAIN = "domain", _("domain")

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="mutes")
    kind = models.CharField(max_length=6, choices=Kind)
    text = models.CharField(_("word or domain"), max_length=100)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind", "text"], name="muted_once")]
