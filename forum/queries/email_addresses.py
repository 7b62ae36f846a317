"""Which of a person's email addresses are confirmed. Mail goes only to those."""

from allauth.account.models import EmailAddress

from forum.models import User


def confirmed_address(user: User) -> str:
    """Return the person's own address if they have confirmed it, else "". One query, or none."""
    if not user.email:
        return ""
    own = EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True)
    return own.values_list("email", flat=True).first() or ""


def owes_confirmation(user: User) -> bool:
    """Return whether an unconfirmed address keeps a person from a second factor. One query."""
    return bool(EmailAddress.objects.filter(user=user, verified=False).exists())
