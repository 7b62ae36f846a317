"""Gunicorn's settings. GUNICORN_CMD_ARGS and WEB_CONCURRENCY may change them.

On SIGHUP gunicorn starts new processes, and the old ones finish what they are at: a connection
that is kept open is answered once more, with "Connection: close".
"""

import sys
from pathlib import Path

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

from forum.environment import flag, text, whole
from forum.observing import logs, shared
from forum.starting import leash
from forum.starting.bootstrap import BASE

OURS = ("forum", "voting")

wsgi_app = "forum.wsgi"
worker_class = "gthread"
workers = whole("WEB_CONCURRENCY", 2, 1, 256)
threads = 4
graceful_timeout = 8
loglevel = "warning"
control_socket_disable = True
logconfig_dict = logs.for_gunicorn(json=flag("PRODUCTION"))

shared.announce(Path(text("FORUM_DATA", str(BASE / "var"))).absolute())


def on_starting(_server: Arbiter) -> None:
    """Count from nothing, and end with the `up` that started us."""
    shared.begin()
    leash.hold()


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
