"""Writes the signals of Django and django-allauth to the security log, and renews sessions."""

from typing import Any

from allauth.account import signals as account
from allauth.account.authentication import get_authentication_records
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.mfa import signals as factors
from allauth.mfa.models import Authenticator
from allauth.socialaccount import signals as providers
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.signals import user_logged_out, user_login_failed
from django.db.models import Value
from django.db.models.functions import Lower
from django.db.models.signals import post_save
from django.dispatch import Signal, receiver
from django.http import HttpRequest

from forum.actions import security_log
from forum.identity.factors import note_added
from forum.identity.network import network_hash
from forum.models import SecurityEvent, User

Kind = SecurityEvent.Kind
KINDS: dict[Signal, Kind] = {
    account.password_set: Kind.PASSWORD,
    account.password_changed: Kind.PASSWORD,
    account.password_reset: Kind.RESET,
    account.email_added: Kind.ADDRESS_ADDED,
    account.email_changed: Kind.ADDRESS_CHANGED,
    account.email_removed: Kind.ADDRESS_REMOVED,
    factors.authentication_failed: Kind.FACTOR_FAILURE,
    factors.authenticator_added: Kind.FACTOR_ADDED,
    factors.authenticator_removed: Kind.FACTOR_REMOVED,
    factors.authenticator_reset: Kind.FACTOR_RESET,
}
"""The signals that name a person, and the kind of event that each is."""


def note(
    kind: Kind,
    request: HttpRequest | None,
    person: User | None,
    details: dict[str, str] | None = None,
) -> None:
    """Record an event of a request. `person` is None if the request names no account."""
    network = network_hash(request) if request else ""
    security_log.record(
        kind, person_id=person.pk if person else None, network=network, details=details
    )


def person_of(credentials: dict[str, Any]) -> User | None:
    """Return the person whom the user name or email address of a log-in form names, if any.

    One query whether or not there is such a person, so that strangers can't measure which it is.
    """
    login = str(credentials.get("username") or credentials.get("email") or "")
    if not login.isprintable():
        return None
    if "@" in login:  # no user name has one
        owned = EmailAddress.objects.filter(email__iexact=login, verified=True)
        return User.objects.filter(pk__in=owned.values("user")).first()
    names = User.objects.alias(small=Lower("username"))  # uses the index; `iexact` doesn't
    return names.filter(small=Lower(Value(login))).first()


@receiver(list(KINDS))
def _happened(
    signal: Signal,
    request: HttpRequest | None,
    user: User,
    authenticator: Authenticator | None = None,
    **_more: Any,
) -> None:
    details = {"factor": str(authenticator.type)} if authenticator else {}
    note(KINDS[signal], request, user, details)


@receiver(factors.authenticator_added)
def _factor_added(request: HttpRequest, **_more: Any) -> None:
    note_added(request)


@receiver(account.user_logged_in)
def _logged_in(
    request: HttpRequest, user: User, sociallogin: SocialLogin | None = None, **_more: Any
) -> None:
    """Record a log-in, its methods, for example "password, totp", and the provider's name."""
    used = get_authentication_records(request, user)
    methods = [one.get("type") or one.get("provider") or one["method"] for one in used]
    details = {"methods": ", ".join(methods)}
    if sociallogin:
        details["name"] = sociallogin.account.get_provider().name
    note(Kind.LOG_IN, request, user, details)


@receiver(user_logged_out)
def _logged_out(request: HttpRequest, user: User | None, **_more: Any) -> None:
    if user:
        note(Kind.LOG_OUT, request, user)


@receiver(account.authentication_step_completed)
def _step_completed(request: HttpRequest, **step: Any) -> None:
    """Give the session a new key if the person has confirmed again who they are."""
    if step.get("reauthenticated"):
        request.session.cycle_key()


@receiver(providers.social_account_added)
def _connected(request: HttpRequest, sociallogin: SocialLogin, **_more: Any) -> None:
    name = sociallogin.account.get_provider().name
    note(Kind.PROVIDER_ADDED, request, sociallogin.user, {"name": name})


@receiver(providers.social_account_removed)
def _disconnected(request: HttpRequest, socialaccount: SocialAccount, **_more: Any) -> None:
    name = socialaccount.get_provider().name
    note(Kind.PROVIDER_REMOVED, request, socialaccount.user, {"name": name})


@receiver(account.email_confirmed)
def _confirmed(request: HttpRequest, email_address: EmailAddress, **_more: Any) -> None:
    note(Kind.ADDRESS_CONFIRMED, request, email_address.user)


@receiver(user_login_failed)
def _failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_more: Any) -> None:
    note(Kind.FAILURE, request, person_of(credentials))


@receiver(post_save, sender=LogEntry)
def _staff_acted(instance: LogEntry, created: bool, **_more: Any) -> None:
    """Record what staff changed in the admin. If they changed an account, its owner sees it."""
    content = instance.content_type
    if not created or content is None:
        return
    on_person = content.model_class() is User
    security_log.record(
        Kind.STAFF,
        person_id=int(instance.object_id or 0) if on_person else None,
        by_id=instance.user_id,
        network=network_hash(context.request) if context.request else "",
        details={"model": content.model, "object": str(instance.object_id)},
    )
