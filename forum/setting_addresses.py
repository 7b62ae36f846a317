"""Says whether an address in a setting has what its kind needs; if not, a sentence does.

What is wrong is never shown: an address may hold a password, and so may any part of one that was
cut in the wrong place.
"""

import re
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.core.mail.message import sanitize_address
from environ import Env

SEVERAL = ("redis+cluster", "rediss+cluster", "redis+sentinel", "rediss+sentinel")
"""Addresses that name several servers."""
TLS_FILES = ("ssl_ca_certs", "ssl_ca_path", "ssl_certfile", "ssl_keyfile")
TLS_CHECKS = ("none", "optional", "required")
NAME = re.compile(r"(?=.{1,253}$)[\w-]{1,63}(\.[\w-]{1,63})*\.?")
"""A host's name; _ and letters of every language too, since networks of containers have them."""
NUMBER = re.compile(r"[0-9]*")
SENDER = re.compile(r"(?:[^\n]*<)?[^@\s<>]+@[^@\s<>]+>?")
HIGHEST_PORT = 65_535
MEMORY = ":memory:"
"""A database of SQLite that each process would have one of."""


def check(name: str, given: str) -> None:
    """Refuse an address that lacks what its kind needs. Raises ImproperlyConfigured."""
    scheme = given.partition("://")[0]
    if scheme not in KINDS:
        return
    complete, form = KINDS[scheme]
    if not _holds(complete, given):
        raise ImproperlyConfigured(f"{name}: give {form.format(scheme=scheme)}.")
    if scheme.startswith("rediss"):
        _check_tls(name, parse_qs(given.partition("?")[2]))


def is_host(given: str) -> bool:
    """Say whether this may be a host's name or its IP address."""
    return _holds(lambda one: bool(ip_address(one)), given) or bool(NAME.fullmatch(given))


def is_pattern(given: str) -> bool:
    """Say whether ALLOWED_HOSTS may have this: a host, all below it by a dot in front, or `*`."""
    if given.startswith("["):
        return given.endswith("]") and ":" in given and is_host(given[1:-1])
    return given == "*" or (":" not in given and is_host(given.removeprefix(".")))


def is_sender(given: str) -> bool:
    """Say whether mail may come from this: an address, or a name with one behind it in <>."""
    closed = given.rfind("<") <= given.rfind(">")  # Django closes it by itself, unasked
    return closed and _holds(_sends, given)


def host_of(address: str) -> str:
    """Return the host of an address, as ALLOWED_HOSTS spells it; "" where there is none."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return ""
    return f"[{host}]" if ":" in host else host


def _holds(complete: Callable[[str], bool], given: str) -> bool:
    try:
        return complete(given)
    except ValueError:
        return False


def _sends(given: str) -> bool:
    return bool(SENDER.fullmatch(sanitize_address(given, "utf-8")))


def _has_place(parts: SplitResult) -> bool:
    """Say whether there is one host, and a port or none. Raises ValueError."""
    return is_host(parts.hostname or "") and parts.port != 0


def _site(given: str) -> bool:
    """Say whether links can begin with this: every page of the site has its path from the root."""
    parts = urlsplit(given)
    bare = parts.path in {"", "/"} and {"?", "#"}.isdisjoint(given)
    return bare and _has_place(parts) and "@" not in parts.netloc


def _server(given: str) -> bool:
    parts = urlsplit(given)
    return _has_place(parts) and _is_database(parts, unquote(parts.path).strip("/"))


def _socket(given: str) -> bool:
    parts = urlsplit(given)
    return bool(not parts.hostname and parts.path.strip("/") and _is_database(parts))


def _cluster(given: str) -> bool:
    parts = urlsplit(given)
    return _has_places(parts) and _is_database(parts) and parts.path.strip("/") in {"", "0"}


def _sentinels(given: str) -> bool:
    parts = urlsplit(given)
    return bool(_has_places(parts) and _is_database(parts) and parts.path.strip("/"))


def _has_places(parts: SplitResult) -> bool:
    places = parts.netloc.rpartition("@")[2].split(",")
    return all(_has_place(urlsplit(f"//{place}")) for place in places)


def _is_database(parts: SplitResult, path: str = "") -> bool:
    """Say whether the number of a database stands where one may, or nothing."""
    given = (path, *parse_qs(parts.query).get("db", ()))
    return all(NUMBER.fullmatch(one) for one in given)


def _postgresql(given: str) -> bool:
    """Hosts may be several, directories of sockets, or none: then it is this machine's own."""
    config = Env.db_url_config(given)
    options = config.get("OPTIONS", {})
    hosts = config["HOST"].split(",")
    written = given.partition("://")[2].partition("/")[0].partition("?")[0]
    ports = [*str(config["PORT"]).split(","), *str(options.get("port", "")).split(",")]
    ports += re.findall(r":(0+)(?=,|$)", written)  # the library takes 0 for none
    return bool(
        (config["NAME"] or options.get("service"))
        and all(not host or host.startswith("/") or is_host(host) for host in hosts)
        and all(not port or 0 < int(port) <= HIGHEST_PORT for port in ports)
    )


def _sqlite(given: str) -> bool:
    place, _slash, path = given.partition("://")[2].partition("/")
    return not place and path.partition("?")[0].strip("/") not in {"", MEMORY}


def _mail_server(given: str) -> bool:
    parts = urlsplit(given)
    return _has_place(parts) and not parts.path.strip("/")


def _mail_directory(given: str) -> bool:
    parts = urlsplit(given)
    return bool(not parts.netloc and parts.path.strip("/"))


def _check_tls(name: str, options: dict[str, list[str]]) -> None:
    for option in TLS_FILES:
        if not all(Path(file).exists() for file in options.get(option, ())):
            raise ImproperlyConfigured(f"{name}: {option} names a file that is not there.")
    if not set(options.get("ssl_cert_reqs", ())) <= set(TLS_CHECKS):
        raise ImproperlyConfigured(f"{name}: ssl_cert_reqs is {' or '.join(TLS_CHECKS)}.")


PORT = f", with a port from 1 to {HIGHEST_PORT} or none"
REST = PORT + "; in a password %2F stands for /, %23 for # and so on"
SITE = "{scheme}://host:port" + PORT + ", and nothing behind it"
SERVER = "{scheme}://host:port/0, 0 being the number of a database" + REST
SOCKET = "unix:///path/of/a/socket?db=0, 0 being the number of a database"
CLUSTER = "host:port, several with commas, and no other database than 0" + REST
SENTINELS = (
    "host:port, several with commas, and end {scheme}:// with a slash and the service's name" + REST
)
POSTGRESQL = "{scheme}://user:password@host:port/name, the last being the database's" + REST
SQLITE = "sqlite:////path/of/a/file"
MAIL_SERVER = "{scheme}://user:password@host:port" + REST
MAIL_DIRECTORY = "filemail:////path/of/a/directory"
KINDS: dict[str, tuple[Callable[[str], bool], str]] = {
    "http": (_site, SITE),
    "https": (_site, SITE),
    "redis": (_server, SERVER),
    "rediss": (_server, SERVER),
    "unix": (_socket, SOCKET),
    "redis+cluster": (_cluster, CLUSTER),
    "rediss+cluster": (_cluster, CLUSTER),
    "redis+sentinel": (_sentinels, SENTINELS),
    "rediss+sentinel": (_sentinels, SENTINELS),
    "postgresql": (_postgresql, POSTGRESQL),
    "postgres": (_postgresql, POSTGRESQL),
    "sqlite": (_sqlite, SQLITE),
    "smtp": (_mail_server, MAIL_SERVER),
    "smtp+tls": (_mail_server, MAIL_SERVER),
    "smtp+ssl": (_mail_server, MAIL_SERVER),
    "filemail": (_mail_directory, MAIL_DIRECTORY),
}
"""What every kind must have, and how a sentence spells it."""
