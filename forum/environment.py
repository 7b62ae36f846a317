"""Reads settings from the environment; a bad value stops the start with a sentence.

A variable that is set but empty counts as not set.
"""

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from environ import Env

SQL = ("postgresql", "postgres", "sqlite")
MAIL = ("smtp", "smtp+tls", "smtp+ssl", "consolemail", "filemail", "dummymail")


def text(name: str, default: str = "") -> str:
    """Return a setting as it is written."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool = False) -> bool:
    """Return a 0/1 setting."""
    given = text(name, "1" if default else "0").lower()
    if given in {"1", "true", "yes", "on"}:
        return True
    if given in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{name}={given!r}: give 1 or 0.")


def whole(name: str, default: int, lowest: int, highest: int) -> int:
    """Return a whole number between two bounds, both included."""
    given = text(name, str(default))
    if not given.isdecimal() or not lowest <= int(given) <= highest:
        raise ImproperlyConfigured(
            f"{name}={given!r}: give a whole number from {lowest} to {highest}."
        )
    return int(given)


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    """Return one of a few words."""
    given = text(name, default)
    if given not in allowed:
        raise ImproperlyConfigured(f"{name}={given!r}: give {' or '.join(allowed)}.")
    return given


def words(name: str, default: list[str]) -> list[str]:
    """Return a list written with commas."""
    given = [word.strip() for word in text(name).split(",")]
    return [word for word in given if word] or default


def url(name: str, default: str, schemes: tuple[str, ...]) -> str:
    """Return an address whose scheme is one of `schemes`."""
    given = text(name, default)
    if not given.startswith(tuple(f"{scheme}://" for scheme in schemes)):
        accepted = ", ".join(f"{scheme}://" for scheme in schemes)
        raise ImproperlyConfigured(f"{name}: give an address that starts with {accepted}.")
    return given


def database(name: str, file: Path) -> dict[str, Any]:
    """Return Django's settings of the SQL database; without an address it is SQLite in `file`."""
    if not text(name):
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(file)}
    config: dict[str, Any] = Env.db_url_config(url(name, "", SQL))
    return config


def mail(name: str) -> dict[str, Any]:
    """Return Django's settings of the way mail goes out; without an address to the terminal."""
    config: dict[str, Any] = Env.email_url_config(url(name, "consolemail://", MAIL))
    return config


def host_of(address: str) -> str:
    """Return the host of an address, as ALLOWED_HOSTS spells it."""
    host = urlsplit(address).hostname or ""
    return f"[{host}]" if ":" in host else host


def require(*names: str) -> None:
    """Refuse to run for the public while one of `names` is left to chance."""
    missing = [name for name in names if not text(name)]
    if missing:
        raise ImproperlyConfigured(f"PRODUCTION=1 needs {', '.join(missing)} to be set.")


def refuse(name: str, value: bool) -> None:
    """Refuse to run for the public with a flag that is only for developers."""
    if value:
        raise ImproperlyConfigured(f"{name}=1 and PRODUCTION=1 exclude each other.")


def secret_key(data: Path) -> str:
    """Return SECRET_KEY, or else the one that was made once and is kept in `data`."""
    return text("SECRET_KEY") or _kept(data / "secret-key")


def _kept(file: Path) -> str:
    """Return the content of `file`; where several processes make it at once, one wins."""
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            fresh = file.with_name(f"{file.name}.{os.getpid()}")
            fresh.touch(mode=0o600)
            fresh.write_text(token_urlsafe(48))
            with suppress(FileExistsError):
                os.link(fresh, file)
            fresh.unlink()
        return file.read_text()
    except OSError as error:
        raise ImproperlyConfigured(
            f"FORUM_DATA={file.parent}: give a directory that you may write to ({error.strerror})."
        ) from error
