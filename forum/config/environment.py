"""Reads settings from environment variables. The site doesn't start if a value is invalid.

The error names the variable and the values it may have. It never shows a URL, because URLs may
contain passwords. Names of hosts and databases aren't checked here. An empty variable counts as not
set.
"""

import os
import re
from contextlib import suppress
from difflib import get_close_matches
from email.utils import parseaddr, quote
from importlib.util import find_spec
from pathlib import Path
from secrets import token_urlsafe
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.http.request import validate_host
from environ import Env

from forum import __version__
from forum.config.data_directory import writing
from voting.service import is_redis_url
from voting.types.limits import Window, Windows

REDIS_CLUSTERS = ("redis+cluster", "rediss+cluster", "redis+sentinel", "rediss+sentinel")
"""Schemes of Redis URLs that name several servers."""
REDIS = ("redis", "rediss", "unix")
SQL = ("postgresql", "postgres", "sqlite")
MAIL = ("smtp", "smtp+tls", "smtp+ssl", "consolemail", "filemail", "dummymail")
MAIL_TO_NOBODY = ("consolemail:", "dummymail:")
"""Mail URLs that deliver no email. `consolemail:` prints links that reset passwords."""
ALLOWED_HOST = re.compile(r"\*|\.?[\w.-]+|\[[0-9a-fA-F:.]+\]")
"""Matches an entry of ALLOWED_HOSTS.

An entry is a host, ".example.org" for a host's subdomains, an IPv6 address, or "*" for all hosts.
"""
EMAIL = re.compile(r"[^\s@:/]+@[^\s@:/]+")
CONTACT = re.compile(r"(mailto:|https://)\S+")
SENTRY_DSN = re.compile(r"https?://[^@/]+@[^@/]+/(?:.+/)?\d+")
ESCAPES = "in a password write %2F for / and %23 for #"
CONNECTION_WAIT = 3.0
"""How many seconds a request waits for a PostgreSQL connection."""
POOL_WAIT = 0.1
"""How many seconds a request waits for a connection before it checks if PostgreSQL is down."""
CONNECT_TIMEOUT = 2
"""How many seconds without an answer mean that PostgreSQL is down."""
FIRST_VOTES_PER_DAY = 20
"""The votes per day until `auto` has enough posts to measure."""
MAX_LIMIT = 1_000_000
"""The most actions that a rate limit can allow, and its longest time in seconds."""
SSD = "-c random_page_cost=1.1"
"""An option that tells PostgreSQL that the disk is an SSD, so that it uses indexes more often.

By default PostgreSQL assumes spinning disks and avoids indexes. `?options=...` in the URL overrides
this option.
"""
SECRET_LENGTH = 50
REMOVED = ("VOTING_READ_REPLICAS",)
"""Names of variables that earlier versions read and this version ignores."""
SIMILAR = 0.85
"""How similar, from 0 to 1, a name must be to that of a setting to count as a typo of it."""
_known: set[str] = set()
"""The names of the variables that were read."""


def text(name: str, default: str = "") -> str:
    """Return the value of a variable, without spaces at both ends.

    Raises ImproperlyConfigured if the value isn't valid UTF-8.
    """
    _known.add(name)
    given = os.environ.get(name, "").strip() or default
    if given != given.encode(errors="replace").decode():  # Python keeps other bytes as surrogates
        raise ImproperlyConfigured(f"{name}: give text in UTF-8.")
    return given


def ignored_settings() -> list[str]:
    """Return a sentence for each variable that is set although this version ignores it.

    SENTRY_DSN is ignored without its package. A variable whose name resembles that of a setting is
    probably a typo. Call this after the settings were read.
    """
    removed = [
        f"{name} no longer has an effect. Please remove this setting."
        for name in REMOVED
        if os.environ.get(name, "").strip()
    ]
    if text("SENTRY_DSN") and find_spec("sentry_sdk") is None:
        removed.append(
            "SENTRY_DSN has no effect, because sentry-sdk isn't installed. Install it with"
            " `.venv/bin/pip install -r requirements-sentry.txt`."
        )
    return removed + [
        f"{name} isn't a setting and has no effect. Did you mean {close[0]}?"
        for name in sorted(os.environ.keys() - _known - set(REMOVED))
        if (close := get_close_matches(name.upper(), sorted(_known), 1, SIMILAR))
    ]


def summary() -> dict[str, object]:
    """Return the settings that a process logs as it starts.

    Leaves out URLs, because they may contain passwords.
    """
    return {
        "version": __version__,
        "production": flag("PRODUCTION"),
        "read_only": flag("READ_ONLY"),
        "database": _scheme(text("DATABASE_URL", "sqlite://")),
        "redis": _scheme(text("REDIS_URL", "embedded://")),
    }


def _scheme(given: str) -> str:
    """Return a URL's scheme; "" for a text that isn't a URL."""
    scheme, separator, _rest = given.partition("://")
    return scheme if separator else ""


def flag(name: str) -> bool:
    """Return whether a variable is 1, true, yes or on; False if it isn't set."""
    given = text(name, "0").lower()
    if given in {"1", "true", "yes", "on"}:
        return True
    if given in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{name}={given!r}: give 1 or 0.")


def whole(name: str, default: int, lowest: int, highest: int) -> int:
    """Return the value of a variable that is a whole number from `lowest` to `highest`."""
    given = text(name, str(default))
    with suppress(ValueError):
        if lowest <= int(given) <= highest:
            return int(given)
    raise ImproperlyConfigured(f"{name}={given!r}: give a whole number from {lowest} to {highest}.")


def votes_per_day() -> int | None:
    """Return VOTES_PER_DAY: how many points raise a hot score by one day; None for `auto`."""
    if text("VOTES_PER_DAY", "auto").lower() == "auto":
        return None
    try:
        return whole("VOTES_PER_DAY", 1, 1, 86_400)
    except ImproperlyConfigured as error:
        raise ImproperlyConfigured(f"{error} You can also give auto.") from error


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    """Return the value of a variable that must be one of the `allowed` words."""
    given = text(name, default)
    if given not in allowed:
        raise ImproperlyConfigured(f"{name}={given!r}: give {' or '.join(allowed)}.")
    return given


def words(name: str, default: list[str]) -> list[str]:
    """Return the value of a variable that is a list separated by commas."""
    given = [word.strip() for word in text(name).split(",")]
    return [word for word in given if word] or default


def url(name: str, default: str, schemes: tuple[str, ...]) -> str:
    """Return the value of a variable that is a URL with one of the given `schemes`."""
    given = text(name, default)
    if not given.startswith(tuple(f"{scheme}://" for scheme in schemes)):
        accepted = ", ".join(f"{scheme}://" for scheme in schemes)
        raise ImproperlyConfigured(f"{name}: give a URL that starts with {accepted}.")
    return given


def site_url(name: str, default: str, schemes: tuple[str, ...]) -> str:
    """Return the site's URL: a scheme, a host and maybe a port. Links in emails begin with it."""
    given = url(name, default, schemes).rstrip("/")
    if not host_of(given) or not re.fullmatch(r"[a-z]+://[^/?#@]+", given):
        raise ImproperlyConfigured(
            f"{name}: give {schemes[0]}://host or {schemes[0]}://host:port and nothing after it."
        )
    return given


def host_of(url: str) -> str:
    """Return a URL's host in the format of ALLOWED_HOSTS; "" if the host or port is invalid."""
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    return f"[{host}]" if ":" in host else host


def redis_url(name: str, default: str, schemes: tuple[str, ...] = REDIS) -> str:
    """Return the value of a variable that is a Redis URL in the format of redis-py."""
    given = url(name, default, schemes)
    if not is_redis_url(given):
        raise ImproperlyConfigured(
            f"{name}: give a URL and options that redis-py understands, such as"
            " redis://user:password@host:6379/0?ssl_ca_certs=/a/file or"
            f" redis+sentinel://host:26379,host:26379/service; {ESCAPES}."
        )
    return given


def redis_servers(name: str, default: str, cache: str) -> str:
    """Return the Redis URL in the variable `name`. It names one server, sentinels or a cluster.

    Sentinels and a cluster need a separate Redis for the cache. `cache` is the name of the variable
    with its URL. Raises ImproperlyConfigured if this variable is needed but isn't set.
    """
    given = redis_url(name, default, REDIS + REDIS_CLUSTERS)
    if given.startswith(REDIS_CLUSTERS) and not text(cache):
        raise ImproperlyConfigured(
            f"{name}: a cluster or sentinels need {cache} too, the URL of one server for the"
            " cache and the sessions, such as redis://host:6379/0."
        )
    return given


def allowed_hosts(name: str, default: list[str]) -> list[str]:
    """Return the hosts that the site answers to.

    Raises ImproperlyConfigured if a host has a port, because Django never matches such hosts.
    """
    given = words(name, default)
    if all(map(ALLOWED_HOST.fullmatch, given)):
        return given
    raise ImproperlyConfigured(f"{name}: give hosts without scheme and port, with commas between.")


def sender(name: str, site: str, host: str) -> str:
    """Return the sender of emails. The default is the site's name and an address at `host`."""
    given = text(name)
    if given and "@" not in parseaddr(given)[1]:
        raise ImproperlyConfigured(
            f"{name}={given!r}: give an email address, or a name and an address such as"
            " Rostra <a@example.org>."
        )
    return given or f'"{quote(site)}" <noreply@{host}>'


def contacts(name: str) -> list[str]:
    """Return the URLs in a variable with email addresses and https:// URLs."""
    given = [f"mailto:{each}" if EMAIL.fullmatch(each) else each for each in words(name, [])]
    if all(map(CONTACT.fullmatch, given)):
        return given
    raise ImproperlyConfigured(
        f"{name}: give email addresses or https:// URLs, with commas between."
    )


def windows(name: str, default: str) -> Windows:
    """Parse a variable with rate limits. "1/5 2/60" allows one action in 5 s and two in 60 s."""
    given = text(name, default)
    with suppress(TypeError, ValueError):
        limits = tuple(Window(*map(int, part.split("/"))) for part in given.split())
        if all(1 <= n <= MAX_LIMIT for limit in limits for n in (limit.hits, limit.seconds)):
            return limits
    raise ImproperlyConfigured(
        f"{name}={given!r}: give limits as hits/seconds, such as 1/5 2/60;"
        f" whole numbers from 1 to {MAX_LIMIT}."
    )


def sentry_dsn(name: str) -> str:
    """Return the address to which exceptions are reported; "" if they aren't reported."""
    given = text(name)
    if given and not SENTRY_DSN.fullmatch(given):
        raise ImproperlyConfigured(
            f"{name}: give the DSN of a project in Sentry, such as https://key@host/1."
        )
    return given


def database(name: str, file: Path) -> dict[str, Any]:
    """Return Django's settings for the SQL database whose URL is in the variable `name`.

    If the variable isn't set, the database is SQLite in `file`. With PostgreSQL, each process has a
    pool of up to `DATABASE_POOL` connections.
    """
    pool_size = whole("DATABASE_POOL", 4, 0, 1_000)
    if not text(name):
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(file)}
    try:
        config: dict[str, Any] = Env.db_url_config(url(name, "", SQL))
    except ValueError:
        raise _incomplete(name, "postgres", "/name") from None
    if config["ENGINE"].endswith("sqlite3"):
        if config["NAME"] == ":memory:":  # each process would have its own database
            raise ImproperlyConfigured(f"{name}: give sqlite:////path/of/a/file.")
        return config
    if not (config["NAME"] or "service" in config.get("OPTIONS", {})):
        raise _incomplete(name, "postgres", "/name")
    config["ENGINE"] = "forum.config.postgresql"
    config["OPTIONS"] = {"connect_timeout": CONNECT_TIMEOUT} | config.get("OPTIONS", {})
    if pool_size:
        # The pool keeps connections, so Django itself must not (CONN_MAX_AGE).
        config["CONN_MAX_AGE"] = 0
        config["OPTIONS"] = {"options": SSD} | config["OPTIONS"] | {"pool": pool(pool_size)}
    return config


def pool(size: int) -> dict[str, Any]:
    """Return the settings of a process's pool of up to `size` PostgreSQL connections.

    During an outage, the pool tries to connect for a second and then gives up. The next request
    makes it try again.
    """
    return {"min_size": 0, "max_size": size, "timeout": POOL_WAIT, "reconnect_timeout": 1.0}


def mail(name: str) -> dict[str, Any]:
    """Return Django's settings for sending email. Without a URL, emails go to the terminal."""
    given = url(name, "consolemail://", MAIL)
    if given.startswith("smtp") and not host_of(given):
        raise _incomplete(name, "smtp")
    config: dict[str, Any] = Env.email_url_config(given)
    if given.startswith("filemail:"):
        config["EMAIL_FILE_PATH"] = _folder(name, given)
    return config


def _folder(name: str, given: str) -> str:
    """Return the folder in a URL such as `filemail:///srv/mail`."""
    parts = urlsplit(given)
    folder = unquote(parts.path).lstrip("/")
    if parts.netloc or not folder:
        raise ImproperlyConfigured(f"{name}: give filemail:///path/of/a/folder.")
    return f"/{folder}"


def _incomplete(name: str, scheme: str, rest: str = "") -> ImproperlyConfigured:
    """Return the error for a URL that lacks a host or database name, or has an invalid port."""
    return ImproperlyConfigured(
        f"{name}: give {scheme}://user:password@host:port{rest}; {ESCAPES}."
    )


def refuse_unsafe(debug: bool) -> None:
    """Raise ImproperlyConfigured if a setting is missing or unsafe on a public site."""
    missing = [name for name in ("SECRET_KEY", "SITE_URL", "EMAIL_URL") if not text(name)]
    allowed = words("ALLOWED_HOSTS", [])
    site = host_of(text("SITE_URL"))
    if debug:
        sentence = "DEBUG=1 and PRODUCTION=1 can't be combined."
    elif missing:
        sentence = f"PRODUCTION=1 also needs {', '.join(missing)}."
    elif len(text("SECRET_KEY")) < SECRET_LENGTH:
        sentence = f"SECRET_KEY: PRODUCTION=1 needs at least {SECRET_LENGTH} characters."
    elif "*" in allowed:
        sentence = "ALLOWED_HOSTS='*': with PRODUCTION=1 list the names of the hosts."
    elif allowed and site and not validate_host(site, allowed):
        sentence = f"ALLOWED_HOSTS: with PRODUCTION=1 also list {site}, the host of SITE_URL."
    elif text("EMAIL_URL").startswith(MAIL_TO_NOBODY):
        sentence = (
            "EMAIL_URL: with PRODUCTION=1 use smtp://, smtp+tls://, smtp+ssl:// or filemail://."
        )
    else:
        return
    raise ImproperlyConfigured(sentence)


def secret_key(data: Path) -> str:
    """Return SECRET_KEY. If it isn't set, return a random key from a file in `data`."""
    return text("SECRET_KEY") or _saved_key(data / "secret-key")


def _saved_key(file: Path) -> str:
    """Return the key in `file`. Create the file if it is missing.

    Processes that create the file at once all get the same key.
    """
    with writing(file.parent):
        if not file.exists():
            fresh = file.with_name(f"{file.name}.{os.getpid()}")
            fresh.touch(mode=0o600)
            fresh.write_text(token_urlsafe(48))
            with suppress(FileExistsError):
                os.link(fresh, file)
            fresh.unlink()
        return file.read_text()
