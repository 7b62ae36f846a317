"""Gunicorn's settings. GUNICORN_CMD_ARGS and WEB_CONCURRENCY may change them.

On SIGHUP gunicorn starts new processes, and the old ones finish what they are at: a connection
that is kept open is answered once more, with "Connection: close".
"""

import sys
from pathlib import Path
from socket import SO_RCVTIMEO, SO_SNDTIMEO, SOL_SOCKET
from struct import pack

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

from forum.environment import flag, text, whole
from forum.observing import logs, shared
from forum.starting import leash
from forum.starting.bootstrap import BASE

OURS = ("forum", "voting")
STALLED = 10
"""Seconds after which a browser is given up that sends or takes nothing more in the middle of a
request: each holds one of our few threads.
"""

wsgi_app = "forum.wsgi"
worker_class = "gthread"
workers = whole("WEB_CONCURRENCY", 2, 1, 256)
threads = 4
graceful_timeout = 8
limit_request_line = 8190
"""Bytes, the most that gunicorn takes. Chinese text is nine times as long in an address."""
loglevel = "warning"
forwarder_headers = ""  # else who connects from this machine says where the site is mounted
control_socket_disable = True
logconfig_dict = logs.for_gunicorn(json=flag("PRODUCTION"))

shared.announce(Path(text("FORUM_DATA", str(BASE / "var"))).absolute())


def on_starting(_server: Arbiter) -> None:
    """Count from nothing, and end with the `up` that started us."""
    shared.begin()
    leash.hold()


def when_ready(server: Arbiter) -> None:
    """Have the system give up who stalls: connections take this over from where they come in."""
    seconds = pack("ll", STALLED, 0)
    for listener in server.LISTENERS:
        for way in (SO_RCVTIMEO, SO_SNDTIMEO):
            listener.setsockopt(SOL_SOCKET, way, seconds)


def post_fork(server: Arbiter, worker: Worker) -> None:
    """Let a new process read our code anew: after a reload it may not be what we started with."""
    try:
        shared.reserve(worker.pid)
    except OSError as error:
        server.log.warning("This process tells its own figures in /metrics alone: %s", error)
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]


def child_exit(_server: Arbiter, worker: Worker) -> None:
    """Forget the state of a process that is gone; what it counted stays."""
    shared.forget(worker.pid)
