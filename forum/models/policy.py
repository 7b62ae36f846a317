"""The site's policy: settings that admins change while the site runs."""

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

REASONS = """\
Spam
Off topic
Unkind
Illegal
Duplicate
Broken link
"""


class SitePolicy(models.Model):
    """The site's settings for moderation and sign-up. The table has at most one row."""

    class SignUp(models.TextChoices):
        OPEN = "open", _("open to everybody")
        INVITATION = "invitation", _("by invitation")
        APPLICATION = "application", _("by application")
        CLOSED = "closed", _("closed")

    ONLY = 1
    """The primary key of the only row."""

    names_moderators = models.BooleanField(
        _("show moderators' names"),
        default=False,
        help_text=_(
            "The moderation log and notices name the moderator who acted. If this setting is off,"
            " they name only the group."
        ),
    )
    reasons = models.TextField(
        _("reasons"),
        max_length=2_000,
        default=REASONS,
        help_text=_("One per line. Moderators choose one of these or write their own."),
    )
    queue_weight = models.FloatField(
        _("flag weight that puts an item in the moderation queue"),
        default=0.3,
        validators=[MinValueValidator(0)],
    )
    hide_weight = models.FloatField(
        _("flag weight that hides a post or comment"),
        default=3.0,
        validators=[MinValueValidator(0)],
        help_text=_("The item is hidden from readers until a moderator decides."),
    )
    hide_min_days = models.PositiveIntegerField(
        _("minimum account age for a flag to help hide a post or comment (days)"),
        default=3,
        validators=[MaxValueValidator(36_500)],
    )
    hide_min_karma = models.IntegerField(
        _("karma needed for a flag to help hide a post or comment"),
        default=5,
        help_text=_(
            "Everybody can flag, and moderators see all flags. Flags by moderators always count."
        ),
    )
    hide_author_karma = models.IntegerField(
        _("karma that protects an author from flags by strangers"),
        default=5,
        help_text=_(
            "Flags hide a post or comment by an author with this karma only if a moderator flagged"
            " it, or somebody with whose earlier flags moderators agreed. Flags of any members can"
            " hide what authors with less karma write."
        ),
    )
    holds_new_domains = models.BooleanField(
        _("hold posts that link to new domains"),
        default=False,
        help_text=_(
            "A domain is new if nobody has posted a link to it before. This setting applies only to"
            " a new member's first post."
        ),
    )
    sign_up = models.CharField(_("sign-up"), max_length=11, choices=SignUp, default=SignUp.OPEN)
    question = models.CharField(
        _("question to applicants"),
        max_length=300,
        blank=True,
        default="Why would you like to join?",
    )
    invite_min_days = models.PositiveIntegerField(
        _("minimum account age to invite (days)"), default=7
    )
    invite_min_karma = models.IntegerField(_("karma needed to invite"), default=10)
    invitations_a_month = models.PositiveIntegerField(
        _("invitations per member in 30 days"), default=5
    )
    sign_ups_a_network = models.PositiveIntegerField(
        _("sign-ups per day from one network"), default=20, validators=[MinValueValidator(1)]
    )
    sign_ups_a_mail_domain = models.PositiveIntegerField(
        _("sign-ups per day from one email domain"),
        default=50,
        validators=[MinValueValidator(1)],
        help_text=_("This limit doesn't apply to large public email services."),
    )

    class Meta:
        verbose_name = _("moderation and sign-up")
        verbose_name_plural = _("moderation and sign-up")

    def __str__(self) -> str:
        return str(self._meta.verbose_name)

    def clean(self) -> None:
        """Check the limits for flags, and require a question if people must apply to join.

        Flags must not hide a post or comment before moderators can see it in the queue, so
        `hide_weight` must be at least `queue_weight`.
        """
        problems = {}
        if self.hide_weight < self.queue_weight:
            problems["hide_weight"] = _(
                "This weight can't be lower than the flag weight that puts an item in the"
                " moderation queue."
            )
        if self.sign_up == self.SignUp.APPLICATION and not self.question.strip():
            problems["question"] = _("Write the question that applicants answer.")
        if problems:
            raise ValidationError(problems)
