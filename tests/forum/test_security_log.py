"""People see what happened to their account, and admins see what happened to all accounts."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.core import mail
from django.test import Client, RequestFactory
from django.utils import timezone

from forum.actions import security_log
from forum.identity.network import network_hash
from forum.models import SecurityEvent, User
from tests.forum.factories import (
    PASSWORD,
    emailed_path,
    person_with_email,
    reader,
    reauthenticated_reader,
)

pytestmark = pytest.mark.django_db(transaction=True)
Kind = SecurityEvent.Kind
NEW = "an even longer sentence"


def kinds(person: User | None) -> list[str]:
    """Return the kinds of events about a person, oldest first."""
    events = SecurityEvent.objects.filter(person=person).order_by("pk")
    return list(events.values_list("kind", flat=True))


def log_in(login: str, password: str = PASSWORD) -> Client:
    window = reader()
    window.post("/accounts/login/", {"login": login, "password": password})
    return window


def page(person: User) -> str:
    return reader(person).get("/preferences/security").content.decode()


def test_person_sees_their_own_log_in_and_failures_only(bob: User, ada: User) -> None:
    log_in("bob", "wrong")
    log_in("bob")
    log_in("ada")
    assert kinds(bob) == [Kind.FAILURE, Kind.LOG_IN]
    html = page(bob)
    assert html.index("Logged in") < html.index("Wrong password")
    assert html.count("from the network you use now") == 2
    assert page(ada).count("from the network you use now") == 1


def test_log_in_is_logged_with_its_methods_and_the_log_out_follows(bob: User) -> None:
    log_in("bob").post("/accounts/logout/")
    secret = generate_totp_secret()
    TOTP.activate(bob, secret)
    code = hotp_value(secret, next(iter(yield_hotp_counters_from_time())))
    log_in("bob").post("/accounts/2fa/authenticate/", {"code": format_hotp_value(code)})
    events = SecurityEvent.objects.filter(person=bob).order_by("pk")
    assert [(one.kind, one.details) for one in events] == [
        (Kind.LOG_IN, {"methods": "password"}),
        (Kind.LOG_OUT, {}),
        (Kind.LOG_IN, {"methods": "password, totp"}),
    ]
    assert "Logged out" in page(bob)


def test_log_out_of_a_guest_is_not_logged() -> None:
    reader().post("/accounts/logout/")
    assert not SecurityEvent.objects.exists()


def test_person_without_events_reads_so(cleo: User) -> None:
    assert "Nothing yet." in page(cleo)


def test_event_from_elsewhere_says_so(bob: User) -> None:
    window = Client(REMOTE_ADDR="192.0.2.7")
    window.post("/accounts/login/", {"login": "bob", "password": PASSWORD})
    assert "from another network" in page(bob)


def test_guest_must_log_in_to_see_a_log() -> None:
    assert reader().get("/preferences/security").status_code == 302


def test_failure_with_an_email_address_or_another_case_is_logged_for_its_owner() -> None:
    eve = person_with_email("eve")
    log_in("EVE@example.org", "wrong")
    log_in("Eve", "wrong")
    assert kinds(eve) == [Kind.FAILURE, Kind.FAILURE]


def test_unknown_login_is_logged_without_what_was_typed() -> None:
    log_in("my secret password", "wrong")
    event = SecurityEvent.objects.get()
    assert (event.kind, event.person, event.details) == (Kind.FAILURE, None, {})


def test_too_many_failures_are_logged_as_a_lock(bob: User) -> None:
    for number in range(12):
        Client(REMOTE_ADDR=f"192.0.2.{number}").post(
            "/accounts/login/", {"login": "bob", "password": "wrong"}
        )
    assert kinds(bob)[-1] == Kind.LOCK


def test_changes_of_factors_are_logged(bob: User, settings: Any) -> None:
    TOTP.activate(bob, generate_totp_secret())
    window = reauthenticated_reader(bob)
    window.post("/accounts/2fa/recovery-codes/generate/")
    window.post("/accounts/2fa/totp/deactivate/")
    assert Kind.FACTOR_REMOVED in kinds(bob)
    removed = SecurityEvent.objects.filter(kind=Kind.FACTOR_REMOVED, person=bob)
    assert {event.details["factor"] for event in removed} == {"totp", "recovery_codes"}
    assert removed[0].network


def test_wrong_two_factor_code_is_logged(bob: User) -> None:
    TOTP.activate(bob, generate_totp_secret())
    log_in("bob").post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert kinds(bob) == [Kind.FACTOR_FAILURE]


def test_too_many_wrong_codes_are_logged_as_a_lock(bob: User) -> None:
    TOTP.activate(bob, generate_totp_secret())
    window = log_in("bob")
    for _number in range(6):
        window.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert kinds(bob) == [*[Kind.FACTOR_FAILURE] * 5, Kind.LOCK]


def test_password_reset_is_logged_from_request_to_end() -> None:
    eve = person_with_email("eve")
    reader().post("/accounts/password/reset/", {"email": "eve@example.org"})
    window = reader()
    form = window.get(emailed_path())["Location"]
    window.post(form, {"password1": NEW, "password2": NEW})
    assert kinds(eve) == [Kind.RESET_REQUEST, Kind.RESET]


def test_request_to_reset_the_password_of_an_unknown_address_is_logged() -> None:
    reader().post("/accounts/password/reset/", {"email": "nobody@example.org"})
    assert kinds(None) == [Kind.RESET_REQUEST]


def test_change_of_password_is_logged(bob: User) -> None:
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    reader(bob).post("/accounts/password/change/", form)
    assert kinds(bob) == [Kind.PASSWORD]


def test_changes_of_addresses_are_logged() -> None:
    eve = person_with_email("eve")
    window = reauthenticated_reader(eve)
    window.post("/accounts/email/", {"action_add": "", "email": "new@example.org"})
    confirmation = next(one for one in mail.outbox if one.to == ["new@example.org"])
    mail.outbox[:] = [confirmation]
    window.post(emailed_path())
    window.post("/accounts/email/", {"action_primary": "", "email": "new@example.org"})
    window.post("/accounts/email/", {"action_remove": "", "email": "eve@example.org"})
    assert EmailAddress.objects.get().email == "new@example.org"
    assert kinds(eve)[-4:] == [
        Kind.ADDRESS_ADDED,
        Kind.ADDRESS_CONFIRMED,
        Kind.ADDRESS_CHANGED,
        Kind.ADDRESS_REMOVED,
    ]


def test_refused_permission_is_logged_once_in_ten_minutes(bob: User) -> None:
    window = reader(bob)
    for path in ("/moderation", "/moderation", "/admin/"):
        assert window.get(path, follow=True).status_code == 403
    events = SecurityEvent.objects.filter(person=bob, kind=Kind.REFUSED)
    assert sorted(event.details["page"] for event in events) == ["GET admin:login", "GET queue"]


def test_guests_refusals_are_not_logged() -> None:
    reader().get("/moderation")
    assert not SecurityEvent.objects.exists()


def test_person_sees_that_staff_changed_their_account(admin: Client, root: User, bob: User) -> None:
    form = admin.get(f"/admin/forum/user/{bob.pk}/change/").context["adminform"].form
    given = {name: form[name].value() for name in ("email", "about")} | {"initial-about": ""}
    admin.post(f"/admin/forum/user/{bob.pk}/change/", given | {"about": "New.", "is_active": "on"})
    event = SecurityEvent.objects.get(person=bob)
    assert (event.kind, event.by) == (Kind.STAFF, root)
    assert event.network
    assert "Changed by staff" in page(bob)
    assert "root" not in page(bob)


def test_turning_off_factors_is_a_staff_action_on_each_person(
    admin: Client, bob: User, cleo: User
) -> None:
    chosen = [TOTP.activate(one, generate_totp_secret()).instance.pk for one in (bob, cleo)]
    form = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
    admin.post("/admin/mfa/authenticator/", form)
    assert kinds(bob) == kinds(cleo) == [Kind.STAFF]


def test_admins_see_all_events_and_can_change_none(admin: Client, bob: User) -> None:
    log_in("bob")
    log_in("nobody", "wrong")
    path, event = "/admin/forum/securityevent/", SecurityEvent.objects.first()
    assert event
    html = admin.get(path).content.decode()
    assert "Logged in" in html
    assert "Wrong password" in html
    assert event.network in html
    assert admin.post(f"{path}{event.pk}/delete/", {"post": "yes"}).status_code == 403
    assert admin.post(f"{path}{event.pk}/change/", {"network": "x"}).status_code == 403


def test_site_moderators_do_not_see_the_log(stella: User) -> None:
    assert reader(stella).get("/admin/forum/securityevent/").status_code == 403


def test_events_are_deleted_after_90_days(bob: User) -> None:
    for days in (91, 89):
        security_log.record(Kind.LOG_IN, person_id=bob.pk)
        newest = SecurityEvent.objects.latest("pk").pk
        made = timezone.now() - timedelta(days=days)
        SecurityEvent.objects.filter(pk=newest).update(at=made)
    security_log.delete_old()
    assert SecurityEvent.objects.get().at > timezone.now() - timedelta(days=90)


def test_a_long_log_has_pages(bob: User, settings: Any) -> None:
    settings.PAGE_SIZE = 2
    for _number in range(3):
        security_log.record(Kind.LOG_IN, person_id=bob.pk)
    first = page(bob)
    assert first.count("Logged in") == 2
    older = SecurityEvent.objects.order_by("-pk")[1].pk
    assert f"?before={older}" in first
    assert reader(bob).get(f"/preferences/security?before={older}").content.count(b"Logged in") == 1


@pytest.fixture
def hashes() -> Callable[..., str]:
    def of(address: str, day: int, month: int = 11) -> str:
        request = RequestFactory(REMOTE_ADDR=address).get("/")
        return network_hash(request, datetime(2026, month, day, tzinfo=UTC))

    return of


def test_network_hashes_are_equal_within_a_month_for_one_network_only(hashes: Any) -> None:
    assert hashes("192.0.2.7", 1) == hashes("192.0.2.7", 30)
    assert hashes("192.0.2.7", 1) != hashes("192.0.2.8", 1)
    assert hashes("2001:db8::1", 1) == hashes("2001:db8::ffff", 1)
    assert hashes("192.0.2.7", 30) != hashes("192.0.2.7", 1, month=12)


def test_network_hashes_depend_on_the_secret_key(hashes: Any, settings: Any) -> None:
    before = hashes("192.0.2.7", 1)
    settings.SECRET_KEY = "another " * 10
    assert hashes("192.0.2.7", 1) != before
