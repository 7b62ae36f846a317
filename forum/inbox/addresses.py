"""Where mail to a person may go: only to an address they have confirmed."""

from allauth.account.models import EmailAddress

from forum.models import User


def confirmed_address(user: User) -> str:
    """Return the person's own address if they have confirmed it, else "". One query, or none."""
    if not user.email:
        return ""
    own = EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True)
    return own.values_list("email", flat=True).first() or ""
