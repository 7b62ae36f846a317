"""Installs the pinned requirements into `.venv`, using only the standard library.

`up` and `test` install missing requirements. Other commands only look for a Python that has them.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, NoReturn

BASE = Path(__file__).resolve().parents[3]
VENV = BASE / ".venv"
PYTHON = VENV / "bin" / "python"
NEEDS = {"up": "requirements.txt", "test": "requirements-dev.txt"}


class Pin(NamedTuple):
    """A requirement: exactly this version of a package."""

    name: str
    version: str
    condition: str = ""
    """Pythons and systems that need the package, such as `sys_platform == 'win32'`; "" for all."""


def prepare(arguments: list[str]) -> None:
    """If this Python lacks the command's requirements, run the command in `.venv` instead.

    If only root may change `.venv`, its Python is used as it is.
    """
    needed = BASE / NEEDS.get(arguments[0] if arguments else "", "requirements.txt")
    if _inside() and _stamped(needed):
        return
    if _satisfied(needed) and not (_inside() and os.access(VENV, os.W_OK)):
        return
    if arguments and arguments[0] in NEEDS:
        _install(needed)
        _continue_in_venv(arguments)
    if not _inside() and _is_runnable():
        _continue_in_venv(arguments)
    if find_spec("django") is None:
        sys.exit("Django is not installed yet: `python3 manage.py up` installs what is needed.")


def pins(file: Path) -> Iterator[Pin]:
    """Yield the requirements in `file` and in the files it includes.

    Hashes are on lines of their own; pip and uv check them.
    """
    for line in file.read_text().splitlines():
        if line.startswith("-r "):
            yield from pins(file.parent / line.removeprefix("-r ").strip())
        elif "==" in line and not line.startswith((" ", "#")):
            requirement, _, condition = line.removesuffix("\\").partition(";")
            name, _, pinned = requirement.partition("==")
            yield Pin(name.partition("[")[0].strip(), pinned.strip(), condition.strip())


def digest(file: Path) -> str:
    """Return a checksum of the Python version and the requirements in `file`."""
    requirements = sorted(f"{pin.name}=={pin.version}" for pin in pins(file))
    python = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    return hashlib.sha256("\n".join([python, *requirements]).encode()).hexdigest()


def _inside() -> bool:
    return os.path.realpath(sys.prefix) == os.path.realpath(VENV)


def _is_runnable() -> bool:
    return os.access(PYTHON, os.X_OK)


def _stamp(file: Path) -> Path:
    return VENV / f"{file.stem}.stamp"


def _stamped(file: Path) -> bool:
    """Return whether all current requirements in `file` were installed into `.venv`."""
    try:
        return _is_runnable() and _stamp(file).read_text() == digest(file)
    except OSError:
        return False


def _satisfied(file: Path) -> bool:
    """Return whether this Python has all pinned requirements.

    A package that only some Pythons and systems need may be missing.
    """
    return all(
        _installed(pin.name) == pin.version or (pin.condition and not _installed(pin.name))
        for pin in pins(file)
    )


def _installed(name: str) -> str:
    """Return the version of a package that this Python has; "" for none."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _install(file: Path) -> None:
    """Install the requirements into `.venv`. Also finish an installation that was interrupted."""
    with _one_at_a_time():
        if _stamped(file):
            return
        began = time.monotonic()
        print(f"Setting up .venv from {file.name}: once, for about a minute ...", flush=True)
        uv = shutil.which("uv")
        if not _has_usable_venv(needs_pip=uv is None):
            without = ["--without-pip"] if uv else []
            _run([sys.executable, "-m", "venv", "--clear", *without, str(VENV)])
        installer = [uv] if uv else [str(PYTHON), "-m"]
        python = ["--python", str(PYTHON)] if uv else []
        _run([*installer, "pip", "install", "--quiet", *python, "-r", str(file)])
        for each in {file, BASE / "requirements.txt"}:
            _stamp(each).write_text(digest(each))
        print(f"... done in {time.monotonic() - began:.0f} s.", flush=True)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Wait until no other process installs into `.venv`, then hold a lock until the block ends."""
    descriptor = os.open(BASE, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("Waiting for another process that is setting up .venv ...", flush=True)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)


def _has_usable_venv(*, needs_pip: bool) -> bool:
    """Return whether `.venv` has a Python of this version and, if needed, pip."""
    modules = "sys, pip" if needs_pip else "sys"
    code = f"import {modules}; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    if not _is_runnable():
        return False
    return not subprocess.run([PYTHON, "-c", code], capture_output=True, check=False).returncode


def _run(command: list[str]) -> None:
    """Run a command; exit if it fails."""
    if subprocess.run(command, check=False).returncode:
        sys.exit("Setting up .venv failed (see above). Fix that and start again.")


def _continue_in_venv(arguments: list[str]) -> NoReturn:
    os.execv(PYTHON, [str(PYTHON), str(BASE / "manage.py"), *arguments])
