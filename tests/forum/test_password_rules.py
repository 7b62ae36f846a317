"""Passwords that are easy to guess are refused, and none needs certain kinds of characters."""

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from forum.models import User
from tests.forum.factories import PASSWORD, person, reader
from tests.forum.test_accounts import log_in, sign_up

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("Password123!", "This password is too common."),
        ("password2026", "This password is too common."),
        ("passwordpassword", "This password is too common."),
        ("!!Sunshine1987!!", "This password is too common."),
        ("rostra2026", "too similar to the name of the site"),
        ("Rostra1234567", "too similar to the name of the site"),
        ("xyz-ROSTRA-2026", "too similar to the name of the site"),
        (" " * 8, "only repeats a few characters"),
        ("a" * 40, "only repeats a few characters"),
        ("abcabcabcabc", "only repeats a few characters"),
        ("11112222333", "only repeats a few characters"),
    ],
)
def test_easy_passwords_are_refused_at_sign_up(password: str, reason: str) -> None:
    assert reason in sign_up("ada", password1=password).content.decode()
    assert not User.objects.exists()


@pytest.mark.parametrize(
    "password",
    [
        PASSWORD,
        "correcthorse",
        "7391846205",
        "bookkeeper-aardvark",
        "my rostra has a cat on it",
        "盘中餐粒粒皆辛苦谁知",
        "кто там ходит",
        "x7$kQ!m2vv",
    ],
)
def test_passwords_need_no_certain_kinds_of_characters(password: str) -> None:
    assert sign_up("ada", password1=password).status_code == 302


def test_name_of_this_site_is_refused_too(settings: Any) -> None:
    settings.SITE_NAME, settings.SITE_URL = "Bird Watch", "https://owls.example.org"
    for password in ("birdwatch2026", "Bird Watch 77", "owls.example.org1", "!owls-2026-owls"):
        with pytest.raises(ValidationError, match="name of the site"):
            validate_password(password)
    validate_password("an owl watches the birds")


@pytest.mark.parametrize("password", ["chess-club-1", "chess2026club!", "Chess_Club 77"])
def test_name_of_this_site_is_refused_with_other_characters_between(
    password: str, settings: Any
) -> None:
    settings.SITE_NAME = "Chess Club"
    with pytest.raises(ValidationError, match="name of the site"):
        validate_password(password)


def test_easy_passwords_are_refused_when_people_change_theirs() -> None:
    window = reader(person("ada"))
    form = {"oldpassword": PASSWORD, "password1": "rostra2026", "password2": "rostra2026"}
    page = window.post("/accounts/password/change/", form).content.decode()
    assert "too similar to the name of the site" in page
    assert log_in("ada").status_code == 302


def test_very_long_passwords_are_checked_in_an_instant() -> None:
    before = perf_counter()
    validate_password("ab" * 30 + "".join(chr(33 + n * n % 90) for n in range(200_000)))
    assert perf_counter() - before < 1


@pytest.mark.parametrize(("production", "least"), [("", 8), ("1", 10)])
def test_passwords_have_at_least_ten_characters_in_production(
    production: str, least: int, tmp_path: Path
) -> None:
    site = {
        "PRODUCTION": production,
        "SECRET_KEY": "a0" * 30,
        "SITE_URL": "https://example.org",
        "EMAIL_URL": "smtp://localhost",
        "FORUM_DATA": str(tmp_path),
        "PATH": os.environ["PATH"],
    }
    code = "from forum.settings import AUTH_PASSWORD_VALIDATORS as v; print(v[0]['OPTIONS'])"
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=site, capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == str({"min_length": least})
