"""Reads email addresses. The site sends email only to confirmed addresses."""

from allauth.account.models import EmailAddress

from forum.models import User


def owner(address: str) -> User | None:
    """Return the person who can log in with an email address and reset the password with it.

    This is the person who confirmed it, else the first who gave it. Two queries, also if nobody
    has the address: the time must not show whether somebody has.
    """
    if not address.isprintable():
        return None
    given = EmailAddress.objects.filter(email=address.lower()).select_related("user")
    entry = given.order_by("-verified", "user_id").first()
    in_list: User | None = entry.user if entry else None
    in_account = User.objects.filter(email=address.lower()).order_by("pk").first()
    if in_list is None or in_account is None or entry.verified:
        return in_list or in_account
    return min(in_list, in_account, key=lambda person: person.pk)


def confirmed_owner(address: str) -> User | None:
    """Return the person who confirmed an email address, or None. One query."""
    confirmed = EmailAddress.objects.filter(email=address.lower(), verified=True)
    entry = confirmed.select_related("user").first()
    person: User | None = entry.user if entry else None
    return person


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
