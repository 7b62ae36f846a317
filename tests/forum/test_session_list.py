"""People see where they are logged in and end sessions. Unused sessions end themselves."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.identity import session_use
from forum.identity.sessions import SessionStore
from forum.models import User
from forum.moderation.actions import appointments
from tests.forum.factories import PASSWORD, groups, person, reader
from tests.forum.outages import failing_sql

pytestmark = pytest.mark.django_db(transaction=True)
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like"
    " Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
)
ANDROID = (
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)"
    " Chrome/137.0.0.0 Mobile Safari/537.36"
)
PAGE, END = "/accounts/sessions/", "/accounts/sessions/end"


@pytest.fixture
def audrey() -> User:
    """Audrey, an auditor."""
    return person("audrey", is_auditor=True)


def entered(name: str, user_agent: str = FIREFOX, address: str = "192.0.2.77") -> Client:
    """Return a browser in which a person has logged in by the log-in form."""
    window = Client(headers={"User-Agent": user_agent}, REMOTE_ADDR=address)
    window.post("/accounts/login/", {"login": name, "password": PASSWORD, "remember": "on"})
    return window


def is_in(window: Client) -> bool:
    """Return whether somebody is logged in in a browser."""
    return 'action="/accounts/logout/"' in window.get("/about").content.decode()


def shown(window: Client) -> str:
    """Return the text of the page of sessions."""
    return re.sub(r"<[^>]+>|\s+", " ", window.get(PAGE).content.decode())


def spend(window: Client, used: timedelta, began: timedelta | None = None) -> None:
    """Make a browser's session look as if it began, and was last used, so long ago."""
    session, now = SessionStore(window.cookies["sessionid"].value), timezone.now()
    began_at = now - (used if began is None else began)
    session[session_use.KEY] = session_use.notes(began_at, now - used, "Firefox", "Linux", "")
    session.save()


def use(window: Client) -> session_use.SessionUse:
    found = session_use.use_of(SessionStore(window.cookies["sessionid"].value))
    assert found
    return found


def test_page_lists_device_coarse_network_and_last_use_of_each_session(ada: User) -> None:
    entered("ada", PHONE, "2001:db8:12:34::1")
    window = entered("ada")
    text = shown(window)
    assert "Firefox on Windows" in text
    assert "network 192.0.2.0/24" in text
    assert "Safari on iPhone" in text
    assert "network 2001:db8:12::/48" in text
    assert "192.0.2.77" not in text
    assert text.count("last used just now") == 2
    assert text.count("this browser") == 1


def test_devices_without_a_known_name_are_unknown(ada: User) -> None:
    window = entered("ada", "curl/8.5")
    assert "Unknown device" in shown(window)
    assert "Chrome on Android" in shown(entered("ada", ANDROID))


def test_one_session_is_ended_and_the_others_stay(ada: User) -> None:
    lost, window, third = entered("ada", PHONE), entered("ada"), entered("ada", ANDROID)
    page = window.get(PAGE).content.decode()
    [line] = [line for line in page.splitlines() if "iPhone" in line]
    [chosen] = re.findall(r'name="session" value="(\w+)"', line)
    form = {"session": chosen}
    ended, again = (window.post(END, form, follow=True).content.decode() for _ in range(2))
    assert "The session was ended." in ended
    assert "This session had already ended." in again
    assert [is_in(one) for one in (lost, window, third)] == [False, True, True]


def test_all_other_sessions_are_ended_at_once(ada: User) -> None:
    others, window = [entered("ada", PHONE), entered("ada", ANDROID)], entered("ada")
    window.post(END)
    assert [is_in(one) for one in (*others, window)] == [False, False, True]


def test_nobody_ends_the_session_of_another_member(ada: User, bob: User) -> None:
    window, theirs = entered("bob"), entered("ada", PHONE)
    theirs_too = entered("ada")
    page = theirs_too.get(PAGE).content.decode()
    for chosen in re.findall(r'name="session" value="(\w+)"', page):
        window.post(END, {"session": chosen})
    window.post(END)
    assert is_in(theirs)
    assert is_in(theirs_too)


def test_page_shows_no_session_key(ada: User) -> None:
    other, window = entered("ada", PHONE), entered("ada")
    page = window.get(PAGE).content.decode()
    assert other.cookies["sessionid"].value not in page
    assert window.cookies["sessionid"].value not in page


def test_sessions_that_a_new_password_ended_are_not_listed(ada: User) -> None:
    entered("ada", PHONE)
    ada.set_password("another long sentence")
    ada.save()
    assert "iPhone" not in shown(reader(ada))


def test_sessions_from_before_a_new_secret_key_are_listed_and_ended(
    ada: User, settings: Any
) -> None:
    other, window = entered("ada", PHONE), entered("ada")
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a new secret key " * 5
    assert "Safari on iPhone" in shown(window)
    window.post(END)
    assert [is_in(one) for one in (other, window)] == [False, True]


def test_last_use_is_written_once_an_hour_and_prolongs_the_session(ada: User) -> None:
    window = entered("ada")
    spend(window, timedelta(minutes=59))
    before = use(window).used_at
    window.get("/about")
    assert use(window).used_at == before
    Session.objects.update(expire_date=timezone.now() + timedelta(days=1))
    spend(window, timedelta(minutes=61))
    answer = window.get("/about")
    assert timezone.now() - use(window).used_at < timedelta(minutes=1)
    assert Session.objects.get().expire_date > timezone.now() + timedelta(days=29)
    assert answer.cookies["sessionid"]["max-age"] == 30 * 86_400


def test_members_session_ends_after_30_days_without_use(ada: User) -> None:
    window = entered("ada")
    spend(window, timedelta(days=29, hours=23))
    assert is_in(window)
    spend(window, timedelta(days=30, minutes=1))
    assert "used the site for 30 days" in window.get("/about").content.decode()
    assert not is_in(window)


@pytest.mark.parametrize(
    ("used", "began", "reason"),
    [
        (timedelta(hours=11, minutes=59), timedelta(days=1), ""),
        (timedelta(hours=12, minutes=1), timedelta(days=1), "used the site for 12 hours"),
        (timedelta(minutes=1), timedelta(days=6, hours=23), ""),
        (timedelta(minutes=1), timedelta(days=7, minutes=1), "had been logged in for 7 days"),
    ],
)
@pytest.mark.parametrize("is_cached", [True, False])
@pytest.mark.parametrize("role", ["stella", "gus", "audrey"])
def test_session_with_a_role_ends_after_12_hours_without_use_and_after_7_days_in_all(
    request: pytest.FixtureRequest,
    role: str,
    used: timedelta,
    began: timedelta,
    reason: str,
    is_cached: bool,
) -> None:
    request.getfixturevalue(role)
    window = entered(role)
    window.get("/about")
    spend(window, used, began)
    if not is_cached:
        cache.clear()
    html = window.get("/").content.decode()
    assert ('action="/accounts/logout/"' in html) is not bool(reason)
    assert ("You were logged out" in html) is bool(reason)
    assert reason in html
    assert Session.objects.exists() is not bool(reason)


@pytest.mark.parametrize("used", [timedelta(hours=13), timedelta(minutes=1)])
def test_old_session_of_a_member_ends_when_they_become_a_moderator(
    ada: User, root: User, used: timedelta
) -> None:
    window = entered("ada")
    spend(window, used, timedelta(days=8))
    assert is_in(window)
    appointments.appoint(groups("books")[0], ada, by=root)
    assert not is_in(window)
    assert is_in(entered("ada"))


def test_old_session_of_a_member_costs_no_query(ada: User) -> None:
    window = entered("ada")
    window.get("/preferences")
    with CaptureQueriesContext(connection) as usual:
        window.get("/preferences")
    spend(window, timedelta(minutes=1), timedelta(days=8))
    with CaptureQueriesContext(connection) as old:
        window.get("/preferences")
    assert len(old) == len(usual)


def test_use_does_not_prolong_a_staff_session_beyond_7_days() -> None:
    person("stella", is_staff=True)
    window = entered("stella")
    spend(window, timedelta(hours=2), timedelta(days=6))
    window.get("/about")
    assert timezone.now() - use(window).began_at > timedelta(days=5)


def test_sessions_from_before_an_update_are_listed_and_noted(ada: User) -> None:
    window = reader(ada)
    session = SessionStore(window.cookies["sessionid"].value)
    del session[session_use.KEY]
    session.save()
    assert "Unknown device" in shown(window)
    assert timezone.now() - use(window).used_at < timedelta(minutes=1)


def test_read_only_site_notes_no_use(ada: User, settings: Any) -> None:
    window = entered("ada")
    spend(window, timedelta(hours=2))
    settings.READ_ONLY = True
    assert is_in(window)
    assert timezone.now() - use(window).used_at > timedelta(hours=1)


def test_pages_open_although_the_use_cannot_be_written(ada: User) -> None:
    window = entered("ada")
    spend(window, timedelta(hours=2))
    window.get("/about")
    spend(window, timedelta(hours=2))
    with failing_sql("UPDATE"):
        assert is_in(window)


def end_in_admin(staff: User, *chosen: User) -> str:
    form = {"action": "end_sessions", "_selected_action": [one.pk for one in chosen]}
    return reader(staff).post("/admin/forum/user/", form, follow=True).content.decode()


def test_staff_end_all_sessions_of_anybody(ada: User, bob: User) -> None:
    root = person("root", is_staff=True, is_superuser=True)
    windows = [entered("ada"), entered("ada", PHONE)]
    theirs = entered("bob")
    assert "ada" in end_in_admin(root, ada)
    assert [is_in(one) for one in (*windows, theirs)] == [False, False, True]
    history = reader(root).get(f"/admin/forum/user/{ada.pk}/history/").content.decode()
    assert "Ended all sessions." in history


@pytest.fixture
def milan() -> User:
    """Milan, a site moderator who may change people in the admin."""
    moderator = person("milan", is_staff=True)
    codenames = ("view_user", "change_user")
    moderator.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return moderator


def test_site_moderators_end_sessions_of_all_but_admins(
    milan: User, ada: User, gus: User, audrey: User, stella: User, root: User
) -> None:
    people = (ada, gus, audrey, stella)
    windows = [entered(one.username) for one in (*people, root)]
    page = end_in_admin(milan, *people, root)
    assert "This action succeeded for: ada, audrey, gus, stella." in page
    assert "failed for: root. Only admins can end the sessions of admins." in page
    assert [is_in(window) for window in windows] == [False] * 4 + [True]


def test_site_moderator_who_ends_their_own_sessions_logs_in_again(milan: User) -> None:
    window, other = entered("milan"), entered("milan", PHONE)
    spend(window, timedelta(hours=2))
    form = {"action": "end_sessions", "_selected_action": [milan.pk]}
    answer = window.post("/admin/forum/user/", form, follow=True)
    assert "/accounts/login/" in answer.redirect_chain[-1][0]
    assert [is_in(one) for one in (window, other)] == [False, False]


def test_session_has_a_new_key_after_the_password_was_asked_for_again(ada: User) -> None:
    window = entered("ada")
    old = window.cookies["sessionid"].value
    window.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert window.cookies["sessionid"].value.startswith(f"{ada.pk}-")
    assert is_in(window)
    window.cookies["sessionid"] = old
    assert not is_in(window)


def test_deactivating_an_account_ends_its_sessions_for_good(ada: User, admin: Client) -> None:
    window = entered("ada")
    path = f"/admin/forum/user/{ada.pk}/change/"
    fields = admin.get(path).context["adminform"].form
    form = {name: fields[name].value() for name in ("email", "about")} | {"initial-about": ""}
    admin.post(path, form | {"initial-is_active": "True"})
    assert not Session.objects.filter(session_key__startswith=f"{ada.pk}-").exists()
    admin.post(path, form | {"initial-is_active": "False", "is_active": "on"})
    assert not is_in(window)
    assert is_in(entered("ada"))
