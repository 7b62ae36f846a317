"""The security log."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from forum.models.user import User


class SecurityEvent(models.Model):
    """Something that happened to an account, such as a log-in. The worker deletes old events."""

    class Kind(models.TextChoices):
        LOG_IN = "login", _("Logged in")
        LOG_OUT = "logout", _("Logged out")
        FAILURE = "failure", _("Wrong password")
        PASSKEY_FAILURE = "passkey_failure", _("Passkey not accepted")
        LOCK = "lock", _("Refused after too many wrong passwords or codes")
        FACTOR_FAILURE = "factor_failure", _("Wrong two-factor code")
        FACTOR_ADDED = "factor_added", _("Two-factor authentication added")
        FACTOR_REMOVED = "factor_removed", _("Two-factor authentication removed")
        FACTOR_RESET = "factor_reset", _("New recovery codes")
        RESET_REQUEST = "reset_request", _("Asked for a link to reset the password")
        RESET = "reset", _("Password reset")
        PASSWORD = "password", _("Password changed")
        ADDRESS_ADDED = "address_added", _("Email address added")
        ADDRESS_CONFIRMED = "address_confirmed", _("Email address confirmed")
        ADDRESS_CHANGED = "address_changed", _("Email goes to another address")
        ADDRESS_REMOVED = "address_removed", _("Email address removed")
        NAME = "name", _("User name changed")
        PROVIDER_ADDED = "provider_added", _("Account at a provider connected")
        PROVIDER_REMOVED = "provider_removed", _("Account at a provider disconnected")
        TOKEN_CREATED = "token_created", _("Token created")
        TOKEN_REVOKED = "token_revoked", _("Token revoked")
        FEEDS_CREATED = "feeds_created", _("Addresses of private feeds created")
        FEEDS_REVOKED = "feeds_revoked", _("Addresses of private feeds revoked")
        EXPORT = "export", _("Copy of the data asked for")
        DELETION = "deletion", _("Deletion of the account asked for")
        KEPT = "kept", _("Deletion of the account cancelled")
        REFUSED = "refused", _("Permission denied")
        STAFF = "staff", _("Changed by staff")
        VOTES_SEEN = "votes_seen", _("An admin looked at who voted")
        VOID_PREVIEW = "void_preview", _("A moderator looked at what voiding votes would change")

    at = models.DateTimeField(_("time"), auto_now_add=True, db_index=True)
    kind = models.CharField(_("kind"), max_length=20, choices=Kind)
    person = models.ForeignKey(
        User,
        on_delete=models.CASCADE,
        null=True,
        db_index=False,  # `security_of_person` begins with it
        related_name="+",
        verbose_name=_("person"),
    )
    """The account's owner. None if a log-in named no account, or the event concerns no account."""
    by = models.ForeignKey(
        User, on_delete=models.CASCADE, null=True, related_name="+", verbose_name=_("staff")
    )
    """The member of staff who did it; None if the person did it, or somebody with the login."""
    network = models.CharField(_("network"), max_length=32, blank=True)
    """A keyed hash of the network (see `forum.identity.network.network_hash`); "" if unknown."""
    details = models.JSONField(_("details"), default=dict)
    """More about the event, such as the name of a token: text by name."""

    class Meta:
        verbose_name = _("security event")
        verbose_name_plural = _("security log")
        indexes = [models.Index(fields=["person", "-id"], name="security_of_person")]

    def __str__(self) -> str:
        return self.get_kind_display()
