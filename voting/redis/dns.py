"""The addresses behind a server's name, for which nobody waits long.

The system's own search takes many seconds where a name server is away, and no timeout reaches into
it. So it runs in a thread of its own, one for each name however many ask.
"""

import socket
from concurrent.futures import Future
from ipaddress import ip_address
from os import getpid
from threading import Lock, Thread

Addresses = tuple[str, ...]

_lock = Lock()
_searches: dict[tuple[int, str], Future[Addresses]] = {}
"""The last search of a process after a name."""
_known: dict[str, Addresses] = {}
"""What the last search that succeeded has found."""


def addresses(name: str, seconds: float) -> Addresses:
    """Return what a name stands for: as it is now, or was where the search takes longer.

    Raises OSError where there is no such name, and TimeoutError where it was never found.
    """
    if _is_address(name):
        return (name,)
    try:
        return _search(name).result(seconds)
    except TimeoutError:
        if name in _known:
            return _known[name]
        raise


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _search(name: str) -> Future[Addresses]:
    """Return the search that runs, or else a new one."""
    with _lock:
        search = _searches.get((getpid(), name))
        if search is None or search.done():
            search = _searches[getpid(), name] = Future()
            Thread(target=_find, args=(name, search), daemon=True).start()
        return search


def _find(name: str, search: Future[Addresses]) -> None:
    try:
        entries = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        search.set_exception(error)
    else:
        _known[name] = tuple(dict.fromkeys(str(entry[4][0]) for entry in entries))
        search.set_result(_known[name])
