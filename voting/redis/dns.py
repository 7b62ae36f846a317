"""Name resolution with a timeout.

If a name server is down, the system's name resolution takes many seconds, and it has no timeout. So
it runs in a separate thread: one for each name, however many requests wait for it.
"""

import socket
from concurrent.futures import Future
from ipaddress import ip_address
from os import getpid
from threading import Lock, Thread

Addresses = tuple[str, ...]

_lock = Lock()
_lookups: dict[tuple[int, str], Future[Addresses]] = {}
"""The last lookup of each name, by process id and name."""
_resolved: dict[str, Addresses] = {}
"""The addresses that the last successful lookup of each name found."""


def addresses(name: str, seconds: float) -> Addresses:
    """Return the IP addresses of a name; if that takes over `seconds`, those found last time.

    Raises OSError for an unknown name, and TimeoutError if a slow name was never resolved before.
    """
    if _is_address(name):
        return (name,)
    try:
        return _lookup(name).result(seconds)
    except TimeoutError:
        if name in _resolved:
            return _resolved[name]
        raise


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _lookup(name: str) -> Future[Addresses]:
    """Return the lookup of a name that is running, or start one."""
    with _lock:
        lookup = _lookups.get((getpid(), name))
        if lookup is None or lookup.done():
            lookup = _lookups[getpid(), name] = Future()
            Thread(target=_resolve, args=(name, lookup), daemon=True).start()
        return lookup


def _resolve(name: str, lookup: Future[Addresses]) -> None:
    try:
        entries = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        lookup.set_exception(error)
    else:
        _resolved[name] = tuple(dict.fromkeys(str(entry[4][0]) for entry in entries))
        lookup.set_result(_resolved[name])
