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
    site.data.mkdir()
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
def test_site_without_the_old_key_is_refused_unless_factors_may_be_turned_off(
    place: Path, tmp_path: Path, command: str
) -> None:
    refused = manage(tmp_path, command, str(place / command), SECRET_KEY=NEW)
    assert refused.returncode == 1
    assert "Nothing was changed" in refused.stderr
    assert "SECRET_KEY_FALLBACKS" in refused.stderr
    done(tmp_path, command, str(place / command), "--turn-off-factors", key=NEW)
    assert NONE in done(tmp_path, "shell", "-c", READ, key=NEW)


def test_restored_site_needs_the_old_key_until_it_migrates(place: Path, tmp_path: Path) -> None:
    done(tmp_path, "restore", str(place / "restore"), key=NEW, old=OLD)
    done(tmp_path, "migrate", key=NEW, old=OLD)
    assert SECRET in done(tmp_path, "shell", "-c", READ, key=NEW)


def test_imported_site_no_longer_needs_the_old_key(place: Path, tmp_path: Path) -> None:
    done(tmp_path, "import_export", str(place / "import_export"), key=NEW, old=OLD)
    assert SECRET in done(tmp_path, "shell", "-c", READ, key=NEW)


def test_backup_with_its_own_key_is_restored_without_settings(tmp_path: Path) -> None:
    site, new = Site(tmp_path / "old"), tmp_path / "new"
    with site.services():
        for arguments in (["migrate"], ["shell", "-c", MAKE], ["rebuild_voting"]):
            assert manage(site.data, *arguments).returncode == 0
        assert manage(site.data, "backup", str(tmp_path / "backup")).returncode == 0
    restored = manage(new, "restore", "--force", str(tmp_path / "backup"))
    assert restored.returncode == 0, restored.stderr
    assert SECRET in manage(new, "shell", "-c", READ).stdout
