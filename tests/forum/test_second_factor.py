"""Staff in production: without a second factor they are people like all others."""

from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client

from forum.models import Post, User
from tests.forum.cast import person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stella(settings: Any) -> User:
    """Staff of a site for the public, so far with a password alone."""
    settings.PRODUCTION = True
    return person("stella", is_staff=True, is_superuser=True)


@pytest.fixture
def written() -> Post:
    return post(person("ada"), "Knots")


def may_edit(window: Client, written: Post) -> bool:
    """Say whether the form to change a post is there for who looks."""
    status = window.get(f"/p/{written.pk}/edit").status_code
    assert status in {200, 403}
    return status == 200


def test_without_it_staff_change_nothing_of_others(stella: User, written: Post) -> None:
    assert not may_edit(reader(stella), written)
    assert reader(stella).get("/admin/forum/post/").status_code == 302
    assert may_edit(reader(written.author), written), "people change what is theirs all the same"


def test_with_it_they_do(stella: User, written: Post) -> None:
    TOTP.activate(stella, generate_totp_secret())
    assert may_edit(reader(stella), written)
    assert reader(stella).get("/admin/forum/post/").status_code == 200


def test_staff_whose_account_was_closed_change_nothing(stella: User, written: Post) -> None:
    TOTP.activate(stella, generate_totp_secret())
    window = reader(stella)
    User.objects.filter(pk=stella.pk).update(is_active=False)
    assert window.get(f"/p/{written.pk}/edit").status_code != 200


def test_on_a_developers_site_staff_need_none(settings: Any, stella: User, written: Post) -> None:
    settings.PRODUCTION = False
    assert may_edit(reader(stella), written)
