"""Members create and revoke invitations, and pages show who invited whom."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.errors import Forbidden
from forum.models import Ban, GroupModerator, Invitation, ModAction, User
from forum.moderation.joining import invitations, queries
from tests.forum.factories import groups, next_link, person, reader, set_policy

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _by_invitation() -> None:
    set_policy(sign_up="invitation")


@pytest.fixture
def ada() -> User:
    """Ada, a member who is allowed to invite others."""
    joined = timezone.now() - timedelta(days=8)
    return person("ada", date_joined=joined, karma=10)


def create(user: User | None) -> Any:
    return reader(user).post("/invitations")


def revoke(user: User | None, invitation: Invitation) -> Any:
    return reader(user).post(f"/invitations/{invitation.pk}/revoke")


def invite(by: User, name: str, **more: Any) -> User:
    """Create a person whom `by` invited."""
    invited = person(name, **more)
    Invitation.objects.create(code=name, by=by, used_by=invited)
    return invited


def test_member_creates_an_invitation_and_finds_its_link(ada: User) -> None:
    assert create(ada).status_code == 303
    code = Invitation.objects.get(by=ada).code
    page = reader(ada).get("/invitations").content.decode()
    assert f"/accounts/signup/?invitation={code}" in page
    assert code not in reader(person("bob")).get("/invitations").content.decode()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"date_joined": timezone.now() - timedelta(days=6)}, "when your account is 7 days old"),
        ({"karma": 9}, "You need 10 karma"),
        ({"is_applicant": True}, "about your application"),
    ],
)
def test_member_without_standing_reads_why_they_cannot_invite(
    ada: User, change: dict[str, Any], sentence: str
) -> None:
    User.objects.filter(pk=ada.pk).update(**change)
    refused = create(ada)
    assert refused.status_code == 403
    assert sentence in refused.content.decode()
    page = reader(ada).get("/invitations").content.decode()
    assert sentence in page
    assert "Create an invitation" not in page
    assert not Invitation.objects.exists()


def test_banned_member_invites_nobody_and_their_links_stop_working(ada: User) -> None:
    code = invitations.create(by=ada).code
    action = ModAction.objects.create(kind="ban", person=ada, reason="spam")
    Ban.objects.create(user=ada, action=action)
    assert create(ada).status_code == 403
    assert invitations.find(code) is None


def test_links_of_somebody_who_is_an_applicant_again_stop_working(ada: User) -> None:
    code = invitations.create(by=ada).code
    User.objects.filter(pk=ada.pk).update(is_applicant=True)
    assert reader().get(f"/accounts/signup/?invitation={code}").status_code == 200
    assert invitations.find(code) is None


def test_month_has_a_limit_which_revoking_does_not_lift(ada: User) -> None:
    set_policy(invitations_a_month=2)
    for _ in range(2):
        invitations.revoke(invitations.create(by=ada), by=ada)
    with pytest.raises(Forbidden, match="limit of 2 invitations in 30 days"):
        invitations.create(by=ada)
    old = timezone.now() - timedelta(days=31)
    Invitation.objects.update(created_at=old)
    invitations.create(by=ada)


def test_moderators_invite_without_limits() -> None:
    set_policy(invitations_a_month=0)
    gus = person("gus")
    GroupModerator.objects.create(group=groups("books")[0], user=gus)
    assert create(gus).status_code == 303
    assert create(person("stella", is_staff=True)).status_code == 303


def test_nobody_invites_to_a_closed_site(ada: User) -> None:
    set_policy(sign_up="closed")
    assert create(ada).status_code == 403


def test_guest_has_to_log_in_first() -> None:
    assert reader().get("/invitations")["Location"].startswith("/accounts/login/")
    assert create(None)["Location"].startswith("/accounts/login/")


def test_owner_or_site_moderator_revokes_and_a_stranger_does_not(ada: User) -> None:
    first, second = invitations.create(by=ada), invitations.create(by=ada)
    assert revoke(person("bob"), first).status_code == 403
    assert revoke(ada, first).status_code == 303
    assert revoke(ada, first).status_code == 303, "revoking twice changes nothing"
    assert revoke(person("stella", is_staff=True), second).status_code == 303
    assert reader(ada).get(f"/invitations/{first.pk}/revoke").status_code == 405
    assert invitations.find(first.code) is None
    assert invitations.find(second.code) is None


def test_used_invitation_cannot_be_revoked(ada: User) -> None:
    invite(ada, "bob")
    assert revoke(ada, Invitation.objects.get()).status_code == 400


def test_everybody_sees_who_invited_whom(ada: User) -> None:
    bob = invite(ada, "bob")
    eve = invite(bob, "eve")
    tree = reader().get("/invitations/tree").content.decode()
    assert "invited by ada" in tree
    assert "invited by bob" in tree
    page = reader().get("/u/bob/invited").content.decode()
    assert 'href="/u/ada/invited"' in page
    assert 'href="/u/eve/invited"' in page
    assert queries.inviters(eve) == ([ada, bob], False)
    assert queries.inviters(ada) == ([], False)
    assert reader().get("/u/BOB/invited")["Location"] == "/u/bob/invited"
    assert 'href="/u/bob/invited"' in reader().get("/u/bob/").content.decode()


def test_long_line_of_inviters_is_cut_off_and_takes_one_query(ada: User) -> None:
    last = ada
    for number in range(queries.DEEPEST + 1):
        last = invite(last, f"p{number}")
    with CaptureQueriesContext(connection) as asked:
        found, more = queries.inviters(last)
    assert [one.username for one in found] == [f"p{number}" for number in range(queries.DEEPEST)]
    assert more
    assert len(asked) == 1


def test_unused_invitations_are_not_public(ada: User) -> None:
    code = invitations.create(by=ada).code
    for path in ("/invitations/tree", "/u/ada/invited"):
        assert code not in reader().get(path).content.decode()


@pytest.mark.parametrize("path", ["/invitations", "/invitations/tree", "/u/ada/invited"])
def test_pages_continue_below_the_last_row_at_the_same_cost(
    ada: User, path: str, settings: Any
) -> None:
    settings.PAGE_SIZE = 3
    window, costs = reader(ada), []
    for number in range(7):
        invite(ada, f"p{number}")
        if number in {0, 6}:
            window.get(path)
            with CaptureQueriesContext(connection) as asked:
                window.get(path)
            costs.append(len(asked))
    assert costs[0] == costs[1]
    address, seen = path, []
    while address:
        html = window.get(address).content.decode()
        seen += [number for number in range(7) if f">p{number}<" in html]
        address = f"{path}{next_link(html)}" if 'rel="next"' in html else ""
    assert sorted(seen) == list(range(7))
