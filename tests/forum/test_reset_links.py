"""Staff mail a link that resets a password. They see no link and set no password."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.core import mail
from django.test import Client

from forum.models import FeedKey, GroupModerator, User
from tests.forum.factories import (
    PASSWORD,
    emailed_path,
    groups,
    person,
    person_with_email,
    reader,
)
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)

LABEL = "Send a link to reset the password"
NEW = "quite another sentence"


@pytest.fixture
def milan() -> Client:
    """A site moderator who may see and change people in the admin."""
    moderator = person("milan", is_staff=True)
    for label in ("forum", "account", "mfa"):
        of_app = Permission.objects.filter(content_type__app_label=label)
        moderator.user_permissions.add(*of_app)
    return reader(moderator)


def where(user: User, page: str = "password") -> str:
    return f"/admin/forum/user/{user.pk}/{page}/"


def test_staff_send_a_link_with_which_the_person_chooses_a_password(milan: Client) -> None:
    ada = person_with_email("ada")
    assert f'href="{where(ada)}">{LABEL}' in get_html(where(ada, "change"), milan)
    assert LABEL in get_html(where(ada), milan)
    html = milan.post(where(ada), follow=True).content.decode()
    assert "The link was sent to ada." in html
    assert [one.to for one in mail.outbox] == [["ada@example.org"]]
    assert emailed_path() not in html
    window = reader()
    form_page = window.get(emailed_path())
    window.post(form_page["Location"], {"password1": NEW, "password2": NEW})
    ada.refresh_from_db()
    assert ada.check_password(NEW)
    assert "Sent a link" in str(LogEntry.objects.latest("pk").get_change_message())


def test_link_from_staff_ends_sessions_of_a_thief(milan: Client) -> None:
    ada = person_with_email("ada")
    thief = reader(ada)
    assert thief.get("/preferences").status_code == 200
    milan.post(where(ada))
    assert thief.get("/preferences").status_code == 302


def test_nobody_in_the_admin_sets_a_password(milan: Client) -> None:
    ada, root = person_with_email("ada"), person("root", is_staff=True, is_superuser=True)
    for window in (milan, reader(root)):
        assert "password1" not in get_html(where(ada), window)
        words = {"password1": NEW, "password2": NEW, "usable_password": "true"}
        window.post(where(ada), words)
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)


def test_without_a_confirmed_address_only_the_server_sets_a_password(milan: Client) -> None:
    ada = person("ada", email="ada@example.org")
    EmailAddress.objects.create(user=ada, email=ada.email, primary=True)
    html = milan.post(where(ada)).content.decode()
    assert "manage.py changepassword ada" in html
    assert LABEL not in html
    assert mail.outbox == []


def test_no_link_is_sent_where_people_log_in_with_a_provider_only(
    milan: Client, settings: Any
) -> None:
    settings.OIDC_ONLY = True
    ada = person_with_email("ada")
    FeedKey.objects.create(user=ada)
    assert "only with a provider" in milan.post(where(ada)).content.decode()
    assert mail.outbox == []
    assert FeedKey.objects.filter(user=ada).exists(), "nothing is revoked"


@pytest.mark.parametrize("role", ["staff", "auditor", "moderator of a group"])
def test_only_admins_change_accounts_of_people_with_a_role(milan: Client, role: str) -> None:
    ada = person_with_email("ada", is_staff=role == "staff", is_auditor=role == "auditor")
    if role == "moderator of a group":
        GroupModerator.objects.create(group=groups("books")[0], user=ada)
    assert milan.post(where(ada)).status_code == 403
    milan.post(where(ada, "change"), {"about": "Taken over.", "is_active": ""})
    address = EmailAddress.objects.get(user=ada)
    on = f"/admin/account/emailaddress/{address.pk}/change/"
    milan.post(on, {"email": "milan@example.org", "verified": "on"})
    ada.refresh_from_db()
    address.refresh_from_db()
    assert (ada.about, ada.is_active, address.email) == ("", True, "ada@example.org")
    assert mail.outbox == []
    root = reader(person("root", is_staff=True, is_superuser=True))
    root.post(where(ada))
    assert [one.to for one in mail.outbox] == [["ada@example.org"]]
