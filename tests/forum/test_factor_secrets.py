"""Secrets of second factors are stored encrypted, and survive a change of SECRET_KEY."""

import json
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from forum.models import SecurityEvent, User
from forum.operations.exporting.writing import DESCRIPTION, export
from tests.forum.factories import PASSWORD, person_with_email
from tests.forum.test_passkeys import give_passkey
from tests.forum.test_second_factor import code

pytestmark = pytest.mark.django_db(transaction=True)
NEW_KEY = "a new secret key " * 5


@pytest.fixture
def eve(settings: Any) -> User:
    """Eve, who has a confirmed email address."""
    settings.MFA_TOTP_TOLERANCE = 1  # seconds may pass until the code is checked
    return person_with_email("eve")


@pytest.fixture
def secret(eve: User) -> str:
    """The secret of Eve's authenticator app. She has recovery codes, too."""
    made: str = generate_totp_secret()
    TOTP.activate(eve, made)
    RecoveryCodes.activate(eve)
    return made


def stored() -> str:
    return json.dumps(list(Authenticator.objects.order_by("pk").values_list("data", flat=True)))


def recovery_codes(person: User) -> list[str]:
    factor = Authenticator.objects.get(user=person, type=Authenticator.Type.RECOVERY_CODES)
    return list(factor.wrap().get_unused_codes())


def may_log_in(given: str) -> bool:
    """Return whether Eve logs in with her password and this code."""
    window = Client()
    window.post("/accounts/login/", {"login": "eve", "password": PASSWORD})
    window.post("/accounts/2fa/authenticate/", {"code": given})
    return "_auth_user_id" in window.session


def migrate(**options: Any) -> None:
    call_command("migrate", interactive=False, verbosity=0, **options)


def replace_key(settings: Any, *, keep_old: bool) -> None:
    """Replace SECRET_KEY, and put the old key into SECRET_KEY_FALLBACKS if `keep_old`."""
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY] if keep_old else []
    settings.SECRET_KEY = NEW_KEY


def test_database_has_no_readable_secret(eve: User, secret: str) -> None:
    codes = recovery_codes(eve)
    assert secret not in stored()
    assert stored().count("gAAAAA") == 2
    assert may_log_in(code(secret))
    assert may_log_in(codes[0])
    assert recovery_codes(eve) == codes[1:]


def test_page_says_that_the_key_was_replaced_without_migrate(
    eve: User, secret: str, settings: Any
) -> None:
    replace_key(settings, keep_old=False)
    window = Client()
    window.post("/accounts/login/", {"login": "eve", "password": PASSWORD})
    page = window.post("/accounts/2fa/authenticate/", {"code": code(secret)})
    assert page.status_code == 503
    assert "Please tell an admin." in page.content.decode()


def test_secrets_of_earlier_versions_work_and_are_encrypted_by_migrate(eve: User) -> None:
    secret = generate_totp_secret()
    plain = {"seed": "00ff" * 20, "used_mask": 1, "migrated_codes": ["123456", "654321"]}
    for kind, data in (("totp", {"secret": secret}), ("recovery_codes", plain)):
        Authenticator.objects.create(user=eve, type=kind, data=data)
    codes = recovery_codes(eve)
    assert may_log_in(code(secret))
    migrate()
    assert not [text for text in (secret, plain["seed"], "123456") if str(text) in stored()]
    assert recovery_codes(eve) == codes == ["123456", "654321"]
    before = stored()
    migrate()
    assert stored() == before, "a second time changes nothing"


def test_old_key_can_be_removed_after_migrate(eve: User, secret: str, settings: Any) -> None:
    codes = recovery_codes(eve)
    replace_key(settings, keep_old=True)
    assert recovery_codes(eve) == codes, "people log in before the secrets are encrypted again"
    migrate()
    settings.SECRET_KEY_FALLBACKS = []
    assert may_log_in(code(secret))
    assert recovery_codes(eve) == codes


def test_migrate_without_the_old_key_names_a_person_and_changes_nothing(
    eve: User, secret: str, settings: Any
) -> None:
    before = stored()
    replace_key(settings, keep_old=False)
    with pytest.raises(CommandError, match=r"authentication of eve.*SECRET_KEY_FALLBACKS"):
        migrate()
    assert stored() == before


def subjects() -> list[str]:
    return [str(one.subject).removeprefix("[Rostra] ") for one in mail.outbox]


def test_factors_with_a_lost_key_are_removed_with_an_email(
    eve: User, secret: str, bob: User, settings: Any
) -> None:
    replace_key(settings, keep_old=False)
    kept = TOTP.activate(bob, generate_totp_secret()).instance
    migrate(turn_off_factors=True)
    assert list(Authenticator.objects.all()) == [kept]
    assert mail.outbox[-1].to == ["eve@example.org"]
    assert subjects() == ["The authenticator app was removed"]
    assert SecurityEvent.objects.get(person=eve).kind == SecurityEvent.Kind.FACTOR_REMOVED
    window = Client()
    window.post("/accounts/login/", {"login": "eve", "password": PASSWORD})
    assert "_auth_user_id" in window.session, "the password is enough"


def test_passkey_stays_when_the_key_of_other_factors_is_lost(
    eve: User, secret: str, settings: Any
) -> None:
    bob, cleo = person_with_email("bob"), person_with_email("cleo")
    give_passkey(eve)
    give_passkey(bob)
    RecoveryCodes.activate(bob)
    give_passkey(cleo)
    replace_key(settings, keep_old=False)
    migrate(turn_off_factors=True)
    kept = Authenticator.objects.order_by("pk").values_list("user__username", "type")
    assert list(kept) == [(name, "webauthn") for name in ("eve", "bob", "cleo")]
    assert [one.to for one in mail.outbox] == [["bob@example.org"], *[["eve@example.org"]] * 2]
    codes = "Your recovery codes were removed"
    assert subjects() == [codes, "The authenticator app was removed", codes]
    assert "generate new ones:\nhttp://localhost:8000/accounts/2fa/\n" in str(mail.outbox[0].body)


def export_to(folder: Path) -> Path:
    export(folder, lambda _rows: None)
    return folder


def needed_keys(folder: Path) -> list[str]:
    return list(json.loads((folder / DESCRIPTION).read_text())["factor_keys"])


def test_export_names_the_keys_that_its_factors_need_but_not_their_secrets(
    eve: User, secret: str, settings: Any, tmp_path: Path
) -> None:
    folder = export_to(tmp_path / "export")
    (key,) = needed_keys(folder)
    assert key not in settings.SECRET_KEY
    Authenticator.objects.all().delete()
    assert needed_keys(export_to(tmp_path / "without")) == []
