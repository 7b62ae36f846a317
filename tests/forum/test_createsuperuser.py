"""`createsuperuser` accepts the same names and passwords as sign-up, and the names of roles."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from forum.models import User
from tests.forum.factories import person

pytestmark = pytest.mark.django_db


class Terminal:
    """A standard input that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def create(name: str) -> None:
    call_command("createsuperuser", interactive=False, username=name, email="me@example.org")


def test_superuser_may_have_a_reserved_name() -> None:
    create("admin")
    assert User.objects.get().is_superuser


def test_votes_of_superusers_count_at_once() -> None:
    create("grace")
    assert User.objects.get().counts_at_once


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("me@example.org", r"letters \(A to Z\)"),
        ("zoë", r"letters \(A to Z\)"),
        ("..", r"letters \(A to Z\)"),
        ("x", "2 to 30 characters"),
        ("x" * 31, "2 to 30 characters"),
        ("two words", r"letters \(A to Z\)"),
        ("ada", "already"),
        ("ADA", "Upper and lower case"),
        ("a-da", "looks like"),
    ],
)
def test_name_that_sign_up_refuses_is_refused_at_the_terminal(name: str, reason: str) -> None:
    person("ada")
    with pytest.raises(CommandError, match=reason):
        create(name)
    assert User.objects.get().username == "ada"


def test_a_name_that_is_typed_must_be_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["x", "grace", "me@example.org"])
    monkeypatch.setattr("builtins.input", lambda _message: next(answers))
    monkeypatch.setattr("getpass.getpass", lambda *_message: "a fine password")
    call_command("createsuperuser", stdin=Terminal())
    assert User.objects.get().username == "grace"
    assert User.objects.get().counts_at_once


def test_a_password_that_sign_up_refuses_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "password")
    with pytest.raises(CommandError, match="too common"):
        create("grace")
    assert not User.objects.exists()
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a fine password")
    create("grace")
    assert User.objects.get().check_password("a fine password")


def test_a_password_that_is_typed_must_be_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["grace", "me@example.org", "y"])
    monkeypatch.setattr("builtins.input", lambda _message: next(answers))
    typed = iter(["password", "password", "a fine one", "another", "a fine one", "a fine one"])
    monkeypatch.setattr("getpass.getpass", lambda *_message: next(typed))
    call_command("createsuperuser", stdin=Terminal())
    assert User.objects.get().check_password("a fine one")
    assert next(answers) == "y", "nobody is asked whether to bypass the rules"
