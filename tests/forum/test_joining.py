"""The site's policy makes sign-up open, closed or by invitation, and limits mass sign-ups."""

import re
from functools import partial
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail

from forum.identity import local_limiter
from forum.models import Invitation, User
from forum.moderation.joining import invitations
from forum.moderation.joining.limits import mail_domain
from tests.forum.concurrency import run_at_once
from tests.forum.factories import (
    PASSWORD,
    emailed_path,
    person_with_email,
    reader,
    reauthenticated_reader,
    set_policy,
)
from tests.forum.outages import redis_down

pytestmark = pytest.mark.django_db(transaction=True)


def sign_up(name: str, code: str = "", **more: str) -> Any:
    query = f"?invitation={code}" if code else ""
    form = {"username": name, "password1": PASSWORD} | more
    return reader().post(f"/accounts/signup/{query}", form)


def test_closed_site_says_so_and_creates_no_account() -> None:
    set_policy(sign_up="closed")
    assert "Nobody can sign up" in reader().get("/accounts/signup/").content.decode()
    refused = sign_up("bob")
    assert refused.status_code == 403
    assert not User.objects.exists()


def test_invited_person_signs_up_and_the_site_records_who_invited_them(stella: User) -> None:
    set_policy(sign_up="invitation")
    code = invitations.create(by=stella).code
    assert "if a member invites you" in reader().get("/accounts/signup/").content.decode()
    assert sign_up("bob").status_code == 403
    assert sign_up("bob", code).status_code == 302
    assert User.objects.get(username="bob").counts_at_once, "votes of invited people never wait"
    assert User.objects.get(username="bob").invitation.by == stella


def test_invitation_is_still_there_after_a_refused_form(stella: User) -> None:
    set_policy(sign_up="invitation")
    code = invitations.create(by=stella).code
    page = reader().get(f"/accounts/signup/?invitation={code}").content.decode()
    assert '<form class="stack" method="post">' in page, "the form is sent to the page's own URL"
    refused = sign_up("b", code)
    assert refused.status_code == 200
    assert sign_up("bob", code).status_code == 302


def test_invitation_works_once(stella: User) -> None:
    set_policy(sign_up="invitation")
    code = invitations.create(by=stella).code
    sign_up("bob", code)
    refused = sign_up("eve", code)
    assert "already used" in refused.content.decode()
    assert not User.objects.filter(username="eve").exists()


def test_of_two_people_with_one_invitation_at_once_exactly_one_joins(stella: User) -> None:
    set_policy(sign_up="invitation")
    code = invitations.create(by=stella).code
    answers = run_at_once(*(partial(sign_up, name, code) for name in ("bob", "eve", "mia")))
    joined = User.objects.exclude(pk=stella.pk)
    assert joined.count() == 1
    assert joined.get().invitation.code == code
    assert len(answers) == 3


@pytest.mark.parametrize("code", ["", "nothing", "\x00", "a" * 5000])
def test_unknown_code_does_not_open_the_site(code: str) -> None:
    set_policy(sign_up="invitation")
    assert sign_up("bob", code).status_code == 403


def test_invitation_of_a_disabled_account_is_not_accepted(stella: User) -> None:
    set_policy(sign_up="invitation")
    code = invitations.create(by=stella).code
    stella.is_active = False
    stella.save()
    assert sign_up("bob", code).status_code == 403


def test_open_site_also_records_invitations_and_ignores_bad_ones(stella: User) -> None:
    sign_up("bob", invitations.create(by=stella).code)
    assert Invitation.objects.get().used_by == User.objects.get(username="bob")
    assert sign_up("eve", "nothing").status_code == 302


def test_network_gets_no_more_accounts_a_day_than_the_policy_allows() -> None:
    set_policy(sign_ups_a_network=2)
    assert [sign_up(name).status_code for name in ("one", "two", "three")] == [302, 302, 429]
    assert User.objects.count() == 2


def confirm(name: str, address: str) -> Any:
    """Sign up, and follow the link in the email. Return the response to the confirmation."""
    mail.outbox.clear()
    assert sign_up(name, email=address).status_code == 302
    return reader().post(emailed_path())


def is_confirmed(address: str) -> bool:
    return bool(EmailAddress.objects.filter(email=address, verified=True).exists())


def test_mail_domain_gets_no_more_confirmed_accounts_a_day_than_the_policy_allows() -> None:
    set_policy(sign_ups_a_mail_domain=1)
    assert confirm("one", "one@a.flood.example").status_code == 302
    refused = sign_up("two", email="two@b.flood.example")
    assert refused.status_code == 429
    assert "email address at flood.example" in refused.content.decode()
    assert sign_up("three", email="three@gmail.com").status_code == 302
    assert sign_up("four", email="four@gmail.com").status_code == 302


def test_sign_ups_with_addresses_of_others_keep_nobody_of_their_domain_out() -> None:
    set_policy(sign_ups_a_mail_domain=1)
    for name in ("one", "two", "three"):
        assert sign_up(name, email=f"{name}@firm.example").status_code == 302
    assert confirm("ada", "ada@firm.example").status_code == 302
    assert is_confirmed("ada@firm.example")


def test_addresses_collected_before_the_first_confirmation_count_as_well() -> None:
    set_policy(sign_ups_a_mail_domain=1)
    for name in ("one", "two"):
        assert sign_up(name, email=f"{name}@flood.example").status_code == 302
    links = [re.search(r"(/accounts/confirm-email/\S+)", str(m.body)) for m in mail.outbox]
    answers = [reader().post(link[1]) for link in links if link]
    assert [answer.status_code for answer in answers] == [302, 429]
    assert "email address at flood.example" in answers[1].content.decode()


def test_tagged_addresses_of_one_mailbox_count_as_one() -> None:
    assert confirm("one", "ada+one@gmail.com").status_code == 302
    refused = confirm("two", "ADA+two@gmail.com")
    assert refused.status_code == 429
    assert "Addresses that differ only after “+” count as one." in refused.content.decode()
    assert not is_confirmed("ada+two@gmail.com")
    assert confirm("three", "bob+one@gmail.com").status_code == 302


def test_second_address_of_a_member_counts_for_no_limit() -> None:
    set_policy(sign_ups_a_mail_domain=1)
    ada = person_with_email("ada")
    assert confirm("one", "one@firm.example").status_code == 302
    mail.outbox.clear()
    window = reauthenticated_reader(ada)
    window.post("/accounts/email/", {"email": "ada@firm.example", "action_add": ""})
    window.post(emailed_path())
    assert is_confirmed("ada@firm.example")


@pytest.mark.parametrize(
    ("email", "domain"),
    [
        ("ada@example.org", "example.org"),
        ("ada@MAIL.Example.org", "example.org"),
        ("ada@shop.example.co.uk", "example.co.uk"),
        ("ada@shop.example.museum", "example.museum"),
        ("ada@mail.shop.shibuya.tokyo.jp", "shop.shibuya.tokyo.jp"),
        ("ada@mine.duckdns.org", "duckdns.org"),
        ("ada@co.uk", "co.uk"),
        ("ada@localhost", "localhost"),
        ("", ""),
    ],
)
def test_subdomains_count_as_the_domain_that_was_registered(email: str, domain: str) -> None:
    assert mail_domain(email) == domain


def test_limits_hold_while_redis_is_down(settings: Any) -> None:
    set_policy(sign_ups_a_network=1)
    local_limiter.memory.clear()
    with redis_down(settings):
        assert [sign_up(name).status_code for name in ("one", "two")] == [302, 429]


def test_program_that_fills_in_the_invisible_field_gets_no_account() -> None:
    page = reader().get("/accounts/signup/").content.decode()
    assert 'name="homepage" tabindex="-1"' in page
    refused = sign_up("bob", homepage="https://spam.example")
    assert refused.status_code == 429
    assert not User.objects.exists()
