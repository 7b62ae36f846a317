"""With a bare Python, manage.py first creates `.venv`, even if an earlier attempt was stopped."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

import pytest

from forum.operations.supervision import bootstrap

BASE = bootstrap.BASE
BARE = str(Path(sys.base_prefix) / "bin" / "python3")
"""A Python without packages."""

WHEEL = {
    "django/__init__.py": "",
    "django/core/__init__.py": "",
    "django/core/exceptions.py": "class ImproperlyConfigured(Exception): pass\n",
    "django/core/management.py": (
        "import sys\ndef execute_from_command_line(argv): print(sys.prefix, *argv[1:])\n"
    ),
    "django-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: django\nVersion: 1.0\n",
    "django-1.0.dist-info/WHEEL": (
        "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    ),
    "django-1.0.dist-info/RECORD": "",
}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of the project, in a path with spaces. It requires only a fake package "django"."""
    clone = tmp_path / "a fresh clone"
    (clone / "forum" / "operations" / "supervision").mkdir(parents=True)
    parts = (
        "__init__.py",
        "operations/__init__.py",
        "operations/supervision/__init__.py",
        "operations/supervision/bootstrap.py",
    )
    for name in ("manage.py", *(f"forum/{part}" for part in parts)):
        shutil.copy(BASE / name, clone / name)
    (clone / "requirements.txt").write_text("django==1.0\n")
    (clone / "requirements-dev.txt").write_text("-r requirements.txt\n")
    with ZipFile(tmp_path / "django-1.0-py3-none-any.whl", "w") as wheel:
        for name, content in WHEEL.items():
            wheel.writestr(name, content)
    return clone


def manage(clone: Path, *arguments: str, python: Sequence[str] = (BARE,)) -> subprocess.Popen[str]:
    """Start the clone's manage.py with a Python, by default one that has no packages installed."""
    folder = str(clone.parent)
    env = {
        "PATH": "/usr/bin:/bin",
        "PYTHONNOUSERSITE": "1",
        **{f"PIP_{name}": value for name, value in (("NO_INDEX", "1"), ("FIND_LINKS", folder))},
        **{f"UV_{name}": value for name, value in (("NO_INDEX", "1"), ("FIND_LINKS", folder))},
    }
    return subprocess.Popen(
        [*python, str(clone / "manage.py"), *arguments],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def output_of(process: subprocess.Popen[str]) -> str:
    return process.communicate(timeout=600)[0]


@pytest.mark.long
def test_two_first_starts_at_once_install_once_and_a_third_installs_nothing(clone: Path) -> None:
    both = [
        output_of(process) for process in [manage(clone, "up"), manage(clone, "up", "--reload")]
    ]
    assert both[0].endswith(f"{clone / '.venv'} up\n")
    assert both[1].endswith(f"{clone / '.venv'} up --reload\n")
    assert "".join(both).count("Setting up .venv") == 1
    assert output_of(manage(clone, "up")) == f"{clone / '.venv'} up\n"
    assert output_of(manage(clone, "shell")) == f"{clone / '.venv'} shell\n"


@pytest.mark.faults
def test_killed_installation_is_completed_by_the_next_start(clone: Path) -> None:
    first = manage(clone, "test")
    python = clone / ".venv" / "bin" / "python"
    while not python.exists():
        time.sleep(0.01)
    first.kill()
    first.communicate()
    python.unlink(missing_ok=True)
    python.symlink_to("/nowhere/python3")
    assert output_of(manage(clone, "test", "-x")).endswith(f"{clone / '.venv'} test -x\n")


@pytest.mark.long
def test_venv_without_an_executable_python_is_recreated(clone: Path) -> None:
    python = clone / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch(0o644)
    advice = "`python3 manage.py up` installs what is needed.\n"
    assert output_of(manage(clone, "shell")).endswith(advice)
    assert output_of(manage(clone, "up")).endswith(f"{clone / '.venv'} up\n")


@pytest.mark.long
def test_unavailable_requirement_ends_with_a_sentence(clone: Path) -> None:
    (clone / "requirements.txt").write_text("nowhere-to-be-found==1.0\n")
    process = manage(clone, "up")
    assert "Fix that and start again." in output_of(process)
    assert process.returncode == 1


@pytest.mark.long
def test_venv_of_root_needs_no_stamp_to_be_used_by_another_user(clone: Path) -> None:
    output_of(manage(clone, "up"))
    venv = clone / ".venv"
    (venv / "requirements.stamp").unlink()
    venv.chmod(0o555)
    without_roots_powers = ["setpriv", "--bounding-set=-all"] if os.getuid() == 0 else []
    own = [*without_roots_powers, str(venv / "bin" / "python")]
    assert output_of(manage(clone, "up", python=own)) == f"{venv} up\n"
    (clone / "requirements.txt").write_text("django==1.0\nnowhere-to-be-found==1.0\n")
    assert "Fix that and start again." in output_of(manage(clone, "up", python=own))


def test_other_commands_name_the_one_that_installs(clone: Path) -> None:
    process = manage(clone, "migrate")
    assert "`python3 manage.py up` installs what is needed" in output_of(process)
    assert process.returncode == 1


def test_pins_are_read_with_extras_and_includes(tmp_path: Path) -> None:
    (tmp_path / "base.txt").write_text("django==5.2\npsycopg[binary,pool]==3.3.9\n")
    (tmp_path / "dev.txt").write_text("-r base.txt\n# a word\nruff==0.1\n")
    assert list(bootstrap.pins(tmp_path / "dev.txt")) == [
        ("django", "5.2", ""),
        ("psycopg", "3.3.9", ""),
        ("ruff", "0.1", ""),
    ]


def test_pins_are_read_with_hashes_and_conditions(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    hashes = " \\\n    --hash=sha256:0f \\\n    --hash=sha256:1f==\n"
    condition = "python_full_version < '3.11.3'"
    file.write_text(f"django==5.2{hashes}async-timeout==5.0.1 ; {condition}{hashes}")
    assert list(bootstrap.pins(file)) == [
        ("django", "5.2", ""),
        ("async-timeout", "5.0.1", condition),
    ]


def listed(name: str) -> dict[str, str]:
    """Return the packages in a hand-written list of the project, each with its version."""
    lines = (BASE / name).read_text().splitlines()
    pairs = [line.partition("==") for line in lines if "==" in line]
    return {package.partition("[")[0]: pinned for package, _, pinned in pairs}


@pytest.mark.parametrize("stem", ["requirements", "requirements-sentry", "requirements-dev"])
def test_what_is_installed_has_hashes_and_the_versions_of_the_hand_written_list(stem: str) -> None:
    """If this fails, run `.ci/lock`."""
    locked = BASE / f"{stem}.txt"
    pinned = {pin.name: pin.version for pin in bootstrap.pins(locked)}
    assert listed(f"{stem}.in").items() <= pinned.items()
    for block in re.split(r"\n(?=[a-z])", locked.read_text().partition("\n\n")[2]):
        assert re.search(r"^    --hash=sha256:[0-9a-f]{64}", block, re.MULTILINE), block


def test_tests_run_with_the_packages_of_the_site() -> None:
    site, tests = (
        {pin.name: pin.version for pin in bootstrap.pins(BASE / name)}
        for name in ("requirements.txt", "requirements-dev.txt")
    )
    assert site.items() <= tests.items()


def test_debians_python_3_11_gets_async_timeout_which_redis_needs_there() -> None:
    (pin,) = [
        pin for pin in bootstrap.pins(BASE / "requirements.txt") if pin.name == "async-timeout"
    ]
    assert pin.condition == "python_full_version < '3.11.3'"


@pytest.mark.long
def test_package_with_a_wrong_hash_is_not_installed(clone: Path) -> None:
    wrong = f"django==1.0 --hash=sha256:{'0' * 64}\n"
    (clone / "requirements.txt").write_text(wrong)
    process = manage(clone, "up")
    assert "Fix that and start again." in output_of(process)
    assert process.returncode == 1


def test_changed_pin_requires_a_new_installation_and_a_comment_does_not(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    digests = []
    for content in ("django==5.2\n", "# a word\ndjango==5.2\n", "django==5.3\n"):
        file.write_text(content)
        digests.append(bootstrap.digest(file))
    assert digests[0] == digests[1] != digests[2]
