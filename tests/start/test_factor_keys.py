"""A site is restored or imported only with the keys of its second factors, or without these."""

from pathlib import Path

import pytest

from tests.start.site import Site, manage

pytestmark = pytest.mark.long
OLD, NEW = "o" * 50, "n" * 50
MAKE = """
from allauth.mfa.totp.internal.auth import TOTP
from forum.models import User
eve = User.objects.create_user("eve")
TOTP.activate(eve, "JBSWY3DPEHPK3PXP")
"""
READ = """
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
print([get_adapter().decrypt(one.data["secret"]) for one in Authenticator.objects.all()])
"""
SECRET, NONE = "['JBSWY3DPEHPK3PXP']", "[]"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a backup and an export of a site where Eve has a second factor."""
    folder = tmp_path_factory.mktemp("factors")
    site = Site(folder / "data")
    done(site.data, "migrate", key=OLD)
    done(site.data, "shell", "-c", MAKE, key=OLD)
    with site.services(SECRET_KEY=OLD):
        done(site.data, "rebuild_voting", key=OLD)
        done(site.data, "backup", str(folder / "restore"), key=OLD)
        done(site.data, "export", str(folder / "import_export"), key=OLD)
    return folder


def done(data: Path, *arguments: str, key: str, old: str = "") -> str:
    """Run a command that succeeds, and return its output."""
    ended = manage(data, *arguments, SECRET_KEY=key, SECRET_KEY_FALLBACKS=old)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.parametrize("command", ["restore", "import_export"])
def test_site_without_the_old_key_is_refused_and_stays_empty(
    place: Path, tmp_path: Path, command: str
) -> None:
    ended = manage(tmp_path, command, str(place / command), SECRET_KEY=NEW)
    assert ended.returncode == 1
    assert "Nothing was changed" in ended.stderr
    assert "SECRET_KEY_FALLBACKS" in ended.stderr
    done(tmp_path, command, str(place / command), key=OLD)  # it is possible afterwards
    assert SECRET in done(tmp_path, "shell", "-c", READ, key=OLD)


@pytest.mark.parametrize("command", ["restore", "import_export"])
def test_site_with_the_old_key_as_a_fallback_needs_it_until_it_migrates(
    place: Path, tmp_path: Path, command: str
) -> None:
    done(tmp_path, command, str(place / command), key=NEW, old=OLD)
    done(tmp_path, "migrate", key=NEW, old=OLD)
    assert SECRET in done(tmp_path, "shell", "-c", READ, key=NEW)


@pytest.mark.parametrize("command", ["restore", "import_export"])
def test_factors_are_turned_off_if_the_old_key_is_lost(
    place: Path, tmp_path: Path, command: str
) -> None:
    done(tmp_path, command, str(place / command), "--turn-off-factors", key=NEW)
    assert NONE in done(tmp_path, "shell", "-c", READ, key=NEW)


def test_backup_with_its_own_key_is_restored_without_settings(place: Path, tmp_path: Path) -> None:
    site = Site(tmp_path / "old")
    assert manage(site.data, "migrate").returncode == 0
    assert manage(site.data, "shell", "-c", MAKE).returncode == 0
    with site.services():
        assert manage(site.data, "rebuild_voting").returncode == 0
        assert manage(site.data, "backup", str(tmp_path / "backup")).returncode == 0
    new = tmp_path / "new"
    restored = manage(new, "restore", str(tmp_path / "backup"))
    assert restored.returncode == 0, restored.stderr
    assert SECRET in manage(new, "shell", "-c", READ).stdout
    again = manage(new, "restore", "--force", str(tmp_path / "backup"))
    assert again.returncode == 0, again.stderr
    assert SECRET in manage(new, "shell", "-c", READ).stdout
