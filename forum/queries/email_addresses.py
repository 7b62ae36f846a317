"""Reads email addresses. The site sends email only to confirmed addresses."""

from allauth.account.models import EmailAddress

from forum.models import User


def confirmed_address(user: User) -> str:
    """Return a person's primary email address if confirmed, else "". At most one query."""
    if not user.email:
        return ""
    own = EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True)
    return own.values_list("email", flat=True).first() or ""


def unconfirmed_address(user: User) -> str:
    """Return a person's unconfirmed email address, or "". One query.

    Call this only for people without a confirmed primary address.
    """
    added = EmailAddress.objects.filter(user=user, verified=False).order_by("-primary", "-pk")
    return added.values_list("email", flat=True).first() or user.email


def has_unconfirmed_email(user: User) -> bool:
    """Return whether a person has an unconfirmed email address. One query."""
    return bool(EmailAddress.objects.filter(user=user, verified=False).exists())
