"""Reads settings from the environment; a bad value stops the start with a sentence.

A variable that is set but empty counts as not set.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from email.utils import quote
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.http.request import validate_host
from environ import Env

from forum import setting_addresses
from forum.data_directory import writing
from forum.setting_addresses import SEVERAL, host_of, is_host, is_pattern, is_sender
from voting.types.limits import Window, Windows

REDIS = ("redis", "rediss", "unix")
SQL = ("postgresql", "postgres", "sqlite")
SQL_PATIENCE = 3.0
"""Seconds that somebody waits for a connection to PostgreSQL before they are told to come back."""
SQL_PIECE = 0.1
"""Seconds after which it is looked whether that is in vain (`forum.postgresql`)."""
SQL_SILENCE = 2
"""Seconds within which a server must take a connection, or it is away."""
MOST_HITS = 1_000_000
"""The most that a spam window may allow, and its longest span in seconds."""
SSD = "-c random_page_cost=1.1"
"""PostgreSQL believes in turning disks unless told so, and then avoids indexes. `?options=...` in
the address says otherwise.
"""
MAIL = ("smtp", "smtp+tls", "smtp+ssl", "consolemail", "filemail", "dummymail")
SHOWN_MAIL = ("consolemail:", "dummymail:")
"""Mail that reaches nobody, and may show links to new passwords in a log."""
SECRET_LENGTH = 50


def text(name: str, default: str = "") -> str:
    """Return a setting as it is written; it must be written in UTF-8."""
    given = os.environ.get(name, "").strip() or default
    if given != given.encode(errors="replace").decode():  # Python keeps other bytes as surrogates
        raise ImproperlyConfigured(f"{name}: give text in UTF-8.")
    return given


def flag(name: str) -> bool:
    """Return a 0/1 setting."""
    given = text(name, "0").lower()
    if given in {"1", "true", "yes", "on"}:
        return True
    if given in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{name}={given!r}: give 1 or 0.")


def whole(name: str, default: int, lowest: int, highest: int) -> int:
    """Return a whole number between two bounds, both included."""
    given = text(name, str(default))
    if not (given.isdecimal() and len(given) < 20 and lowest <= int(given) <= highest):
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
    """Return an address whose scheme is one of `schemes`, with what its kind needs."""
    given = text(name, default)
    if not given.startswith(tuple(f"{scheme}://" for scheme in schemes)):
        accepted = ", ".join(f"{scheme}://" for scheme in schemes)
        raise ImproperlyConfigured(f"{name}: give an address that starts with {accepted}.")
    setting_addresses.check(name, given)
    return given


def server(
    name: str, default: str, understood: Callable[[str], bool], more: tuple[str, ...] = ()
) -> str:
    """Return the address of a Redis; `understood` says whether it is, to the end of its options."""
    given = url(name, default, (*REDIS, *more))
    if not understood(given):
        raise ImproperlyConfigured(
            f"{name}: behind the ? give options as redis-py has them, as in ?ssl_ca_certs=/a/file."
        )
    return given


def servers(name: str, default: str, understood: Callable[[str], bool], cache: str) -> str:
    """Return an address as `server` does, or one of several; those need a `cache` beside."""
    given = server(name, default, understood, SEVERAL)
    if given.startswith(SEVERAL) and not text(cache):
        raise ImproperlyConfigured(
            f"{name}: a cluster or sentinels need {cache} too, the address of one server for the"
            " cache and the sessions, as in redis://host:6379/0."
        )
    return given


def host(name: str, default: str) -> str:
    """Return a host's name or its IP address."""
    given = text(name, default)
    if not is_host(given):
        raise ImproperlyConfigured(
            f"{name}={given!r}: give a host's name or its IP address, as in localhost or 127.0.0.1."
        )
    return given


def hosts(name: str, default: list[str]) -> list[str]:
    """Return the hosts that the site answers to."""
    given = words(name, default)
    if all(map(is_pattern, given)):
        return given
    raise ImproperlyConfigured(f"{name}: give hosts without scheme and port, with commas between.")


def sender(name: str, site: str, host: str) -> str:
    """Return whom mail comes from: the `site`, whatever its name, unless it is said."""
    given = text(name)
    if given and not is_sender(given):
        raise ImproperlyConfigured(
            f"{name}={given!r}: give an address, or a name with one, as in Rostra <a@example.org>."
        )
    return given or f'"{quote(site)}" <noreply@{host}>'


def reading_replicas(name: str, address: str) -> bool:
    """Return a 0/1 setting that needs who knows the replicas: sentinels, or a cluster."""
    wanted = flag(name)
    if wanted and not address.startswith(SEVERAL):
        raise ImproperlyConfigured(f"{name}=1 needs sentinels or a cluster as REDIS_URL.")
    return wanted


def windows(name: str, default: str) -> Windows:
    """Return spam windows: hits and seconds with a slash, as in `1/5 2/60`."""
    given = text(name, default)
    parts = [part.partition("/")[::2] for part in given.split()]
    if not all(_counts(hits) and _counts(seconds) for hits, seconds in parts):
        raise ImproperlyConfigured(
            f"{name}={given!r}: give how often within how many seconds, as in 1/5 2/60;"
            f" whole numbers from 1 to {MOST_HITS}."
        )
    return tuple(Window(int(hits), int(seconds)) for hits, seconds in parts)


def _counts(given: str) -> bool:
    return given.isdecimal() and len(given) < 20 and 1 <= int(given) <= MOST_HITS


def database(name: str, file: Path) -> dict[str, Any]:
    """Return Django's settings of the SQL database; without an address it is SQLite in `file`.

    PostgreSQL is reached by a pool of `DATABASE_POOL` connections in every process.
    """
    most = whole("DATABASE_POOL", 4, 0, 1_000)
    if not text(name):
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(file)}
    config: dict[str, Any] = Env.db_url_config(url(name, "", SQL))
    if config["ENGINE"].endswith("sqlite3"):
        return config
    config["ENGINE"] = "forum.postgresql"
    config["OPTIONS"] = {"connect_timeout": SQL_SILENCE} | config.get("OPTIONS", {})
    if most:
        # The pool keeps connections, so Django itself must not (CONN_MAX_AGE).
        config["CONN_MAX_AGE"] = 0
        config["OPTIONS"] = {"options": SSD} | config["OPTIONS"] | {"pool": pool(most)}
    return config


def pool(most: int) -> dict[str, Any]:
    """Return the settings of a process's pool of up to `most` connections; an idle one holds none.

    Trying to connect ends after a second, or the pauses between tries would grow and outlast the
    outage; who asks then begins it anew.
    """
    return {
        "min_size": 0,
        "max_size": most,
        "timeout": SQL_PIECE,
        "reconnect_timeout": 1.0,
    }


def mail(name: str) -> dict[str, Any]:
    """Return Django's settings of the way mail goes out; without an address to the terminal."""
    config: dict[str, Any] = Env.email_url_config(url(name, "consolemail://", MAIL))
    return config


def refuse_unsafe(debug: bool) -> None:
    """Refuse to run for the public with what is unsafe there. Raises ImproperlyConfigured."""
    missing = [name for name in ("SECRET_KEY", "SITE_URL", "EMAIL_URL") if not text(name)]
    allowed = words("ALLOWED_HOSTS", [])
    site = host_of(text("SITE_URL"))
    if debug:
        sentence = "DEBUG=1 and PRODUCTION=1 exclude each other."
    elif missing:
        sentence = f"PRODUCTION=1 needs {', '.join(missing)} to be set."
    elif len(text("SECRET_KEY")) < SECRET_LENGTH:
        sentence = f"SECRET_KEY: with PRODUCTION=1 give at least {SECRET_LENGTH} characters."
    elif "*" in allowed:
        sentence = "ALLOWED_HOSTS='*': with PRODUCTION=1 name the hosts."
    elif allowed and site and not validate_host(site, allowed):
        sentence = f"ALLOWED_HOSTS: with PRODUCTION=1 give {site} too, the host of SITE_URL."
    elif text("EMAIL_URL").startswith(SHOWN_MAIL):
        sentence = (
            "EMAIL_URL: with PRODUCTION=1 give smtp://, smtp+tls://, smtp+ssl://, filemail://."
        )
    else:
        return
    raise ImproperlyConfigured(sentence)


def secret_key(data: Path) -> str:
    """Return SECRET_KEY, or else the one that was made once and is kept in `data`."""
    return text("SECRET_KEY") or _kept(data / "secret-key")


def _kept(file: Path) -> str:
    """Return the content of `file`; where several processes make it at once, one wins."""
    with writing(file.parent):
        if not file.exists():
            fresh = file.with_name(f"{file.name}.{os.getpid()}")
            fresh.touch(mode=0o600)
            fresh.write_text(token_urlsafe(48))
            with suppress(FileExistsError):
                os.link(fresh, file)
            fresh.unlink()
        return file.read_text()
