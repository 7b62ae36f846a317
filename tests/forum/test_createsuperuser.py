"""Making the first person of a site at the terminal: under the rules that sign-up has for names."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from forum.models import User
from tests.forum.cast import person

pytestmark = pytest.mark.django_db(transaction=True)


def create(name: str) -> None:
    call_command("createsuperuser", interactive=False, username=name, email="me@example.org")


def test_who_runs_the_site_may_have_a_name_that_sign_up_keeps_for_the_site() -> None:
    create("admin")
    assert User.objects.get().is_superuser


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("me@example.org", "letters A to Z"),
        ("zoë", "letters A to Z"),
        ("..", "letters A to Z"),
        ("x", "2 to 30 characters"),
        ("x" * 31, "2 to 30 characters"),
        ("two words", "valid username"),
        ("ada", "already taken"),
        ("ADA", "other capital letters"),
    ],
)
def test_a_name_that_sign_up_refuses_is_refused_at_the_terminal_with_the_reason(
    name: str, reason: str
) -> None:
    person("ada")
    with pytest.raises(CommandError, match=reason):
        create(name)
    assert User.objects.get().username == "ada"
