"""Preferences: notifications, email and lists."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from forum.actions import following, profiles
from forum.errors import Invalid
from forum.models import User
from tests.forum.factories import person, person_with_email, reader
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)
FORM = {"told": ["reply", "mention"], "mails_replies": "on", "digest": "weekly", "hides_read": "on"}


@pytest.fixture
def ada() -> User:
    return person_with_email("ada")


def test_preferences_are_saved(ada: User, window: Client) -> None:
    answer = window.post("/preferences", FORM)
    assert (answer.status_code, answer["Location"]) == (303, "/preferences")
    ada.refresh_from_db()
    assert set(ada.muted) == {"watched", "follower", "accepted", "flag"}
    assert (ada.mails_replies, ada.digest) == (True, "weekly")
    assert (ada.hides_read, ada.keeps_history) == (True, False)
    page = window.get("/preferences").content.decode()
    assert "Your preferences were saved." in page
    for chosen in ('value="reply"', 'value="weekly"'):
        assert "checked" in page.split(chosen, 1)[1].split(">", 1)[0]
    assert "checked" not in page.split('value="follower"', 1)[1].split(">", 1)[0]


def test_by_default_people_are_notified_of_everything_without_email(window: Client) -> None:
    page = window.get("/preferences").content.decode()
    for kind in ("reply", "mention", "watched", "follower", "accepted"):
        assert "checked" in page.split(f'value="{kind}"', 1)[1].split(">", 1)[0]
    assert "checked" in page.split('value="none"', 1)[1].split(">", 1)[0]


def test_person_without_an_address_is_asked_to_add_one() -> None:
    page = reader(person("bob")).get("/preferences").content.decode()
    assert "Add an email address to get email" in page
    assert "Change email address" not in page


def test_first_digest_comes_a_full_period_after_subscribing(ada: User, window: Client) -> None:
    window.post("/preferences", FORM)
    ada.refresh_from_db()
    first = ada.digest_at
    assert first is not None
    window.post("/preferences", FORM | {"hides_read": ""})
    ada.refresh_from_db()
    assert ada.digest_at == first, "saving other preferences doesn't postpone it"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((f"mails_{kind}", "on") for kind in ("replies", "mentions", "watched")),
        ("digest", "daily"),
    ],
)
def test_email_without_an_address_is_refused(bob: User, field: str, value: str) -> None:
    form = {"told": ["reply"], "digest": "none", field: value}
    answer = reader(bob).post("/preferences", form)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Your account has no email address. Add one to get email." in page
    assert "checked" not in page.split('value="mention"', 1)[1].split(">", 1)[0]


def test_nobody_gets_email_without_an_address_wherever_preferences_are_saved() -> None:
    bob = person("bob")
    wishes = dict.fromkeys(
        ("watches_own", "mails_mentions", "mails_watched", "mails_moderators"), False
    )
    wishes |= {"keeps_history": True, "hides_read": True}
    with pytest.raises(Invalid, match="Your account has no email address"):
        profiles.set_preferences(bob, muted=[], digest="none", **wishes, mails_replies=True)
    profiles.set_preferences(bob, muted=[], digest="none", **wishes, mails_replies=False)
    bob.refresh_from_db()
    assert (bob.hides_read, bob.mails_replies) == (True, False)


def test_person_with_an_unconfirmed_address_is_asked_to_confirm_it() -> None:
    bob = person("bob")
    EmailAddress.objects.create(user=bob, email="bob@example.org", verified=False)
    window = reader(bob)
    page = window.get("/preferences").content.decode()
    assert "bob@example.org is not confirmed yet." in page
    assert "Add an email address to get email" not in page
    refused = window.post("/preferences", {"told": ["reply"], "digest": "daily"})
    assert refused.status_code == 422
    assert "confirm bob@example.org first" in refused.content.decode()


@pytest.mark.parametrize("bad", [{"digest": "hourly"}, {"told": ["gossip"]}])
def test_unknown_choices_are_refused(ada: User, window: Client, bad: dict[str, Any]) -> None:
    assert window.post("/preferences", FORM | bad).status_code == 422
    ada.refresh_from_db()
    assert ada.muted == []


def test_guests_are_asked_to_log_in() -> None:
    assert "/accounts/login/" in reader().get("/preferences")["Location"]


def test_blocked_people_are_listed_in_pages_newest_first(
    settings: Any, ada: User, window: Client
) -> None:
    settings.PAGE_SIZE = 2
    for name in ("bob", "cleo", "dan"):
        following.block(ada, person(name), on=True)
    first = window.get("/preferences").content.decode()
    assert ["Unblock dan" in first, "Unblock cleo" in first, "Unblock bob" in first] == [1, 1, 0]
    assert 'href="/preferences?p=2"' in first
    second = window.get("/preferences?p=2").content.decode()
    assert "Unblock bob" in second
    assert "Unblock cleo" not in second
    answer = window.post("/u/bob/block", {"on": "0", "next": "/preferences?p=2"}, follow=True)
    assert "Unblock dan" in answer.content.decode(), "the last page replaces an emptied one"


def test_preferences_lead_to_display_and_language_and_say_what_blocking_does(ada: User) -> None:
    html = get_html("/preferences", ada)
    assert 'href="/display"' in html
    assert 'href="/language"' in html
    assert "their posts and comments are folded" in html
