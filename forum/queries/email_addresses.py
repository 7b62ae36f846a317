"""Confirmed email addresses. Email is sent only to those."""

from allauth.account.models import EmailAddress

from forum.models import User


def confirmed_address(user: User) -> str:
    """Return the primary email address if it is confirmed, else "". One query, or none."""
    if not user.email:
        return ""
    own = EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True)
    return own.values_list("email", flat=True).first() or ""


def has_unconfirmed_email(user: User) -> bool:
    """Return whether a person has an unconfirmed email address. One query."""
    return bool(EmailAddress.objects.filter(user=user, verified=False).exists())
