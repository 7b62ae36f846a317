"""People who apply to join, on a site that requires a confirmed email address."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from forum.actions import unconfirmed
from forum.models import ModAction, QueueItem, User
from forum.moderation.actions import applications
from tests.forum.factories import PASSWORD, emailed_path, person, reader, set_policy

pytestmark = pytest.mark.django_db(transaction=True)
Kind = ModAction.Kind


@pytest.fixture
def eve(settings: Any) -> User:
    """Eve, who signed up with an application and hasn't confirmed her address."""
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
    set_policy(sign_up="application", question="Which knot is best?")
    form = {"username": "eve", "password1": PASSWORD, "email": "eve@example.org"}
    reader().post("/accounts/signup/", form | {"answer": "The bowline."})
    return User.objects.get()


def pass_eight_days() -> None:
    User.objects.update(date_joined=timezone.now() - timedelta(days=8))
    unconfirmed.delete_old()


def test_applicant_joins_the_queue_when_she_confirms_her_address(eve: User, stella: User) -> None:
    assert "bowline" not in reader(stella).get("/moderation").content.decode()
    reader().post(emailed_path())
    assert "bowline" in reader(stella).get("/moderation").content.decode()
    applications.decide(eve.application, Kind.ADMIT, by=stella)
    assert not User.objects.get(username="eve").is_applicant


@pytest.mark.parametrize("decision", ["admit", "decline"])
def test_nobody_decides_about_an_applicant_who_has_not_confirmed(
    eve: User, stella: User, decision: str
) -> None:
    path = f"/moderation/applications/{eve.application.pk}"
    page = reader(stella).post(path, {"decision": decision, "reason": "No."}, follow=True)
    assert "hasn&#x27;t confirmed their email address yet" in page.content.decode()
    pass_eight_days()
    assert not User.objects.filter(username="eve").exists()
    assert not QueueItem.objects.exists()


def test_accounts_in_the_moderation_log_keep_no_others_from_being_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unconfirmed, "BATCH", 1)
    banned = person("amy", is_unconfirmed=True)
    ModAction.objects.create(kind=Kind.BAN, person=banned)
    person("bob", is_unconfirmed=True)
    pass_eight_days()
    assert [left.username for left in User.objects.all()] == ["amy"]
