"""Gunicorn's settings. GUNICORN_CMD_ARGS and WEB_CONCURRENCY can change them.

On SIGHUP gunicorn starts new processes and lets the old ones finish their requests: a connection
that is kept open gets one more answer, with "Connection: close".
"""

import os
import sys
from pathlib import Path
from shutil import rmtree
from socket import SO_RCVTIMEO, SO_SNDTIMEO, SOL_SOCKET
from struct import pack
from tempfile import mkdtemp

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

from forum.config.environment import flag, whole
from forum.observability import logs
from forum.operations.supervision import parent_watch

OURS = ("forum", "voting")
STALLED_SECONDS = 10
"""Seconds that a browser may pause in the middle of a request, while it occupies a thread."""

wsgi_app = "forum.wsgi"
worker_class = "gthread"
workers = whole("WEB_CONCURRENCY", 2, 1, 256)
threads = 4
graceful_timeout = 8
limit_request_line = 8190
"""The most bytes that gunicorn allows. In a URL, one Chinese character takes nine."""
loglevel = "warning"
forwarder_headers = ""  # else a client on this machine could set SCRIPT_NAME
control_socket_disable = True
logconfig_dict = logs.for_gunicorn(json=flag("PRODUCTION"))

# In memory if possible: on a full disk, a write to these mapped files would kill the process.
shm = "/dev/shm"  # noqa: S108 - `mkdtemp` makes a private directory in it
memory = shm if os.access(shm, os.W_OK) else None
metrics = Path(mkdtemp(prefix="rostra-", dir=os.environ.get("RUNTIME_DIRECTORY", memory)))
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(metrics)


def on_starting(_server: Arbiter) -> None:
    """Stop when the `up` process that started this one is gone."""
    parent_watch.stop_with_parent()


def on_exit(_server: Arbiter) -> None:
    """Remove the files with this run's metrics."""
    rmtree(metrics, ignore_errors=True)


def when_ready(server: Arbiter) -> None:
    """Set the timeout for stalled browsers; connections inherit it from the listening socket."""
    seconds = pack("ll", STALLED_SECONDS, 0)
    for listener in server.LISTENERS:
        for way in (SO_RCVTIMEO, SO_SNDTIMEO):
            listener.setsockopt(SOL_SOCKET, way, seconds)


def post_fork(_server: Arbiter, _worker: Worker) -> None:
    """Import our code again in each new process: a reload may have changed it."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]


def child_exit(_server: Arbiter, worker: Worker) -> None:
    """Drop the gauges of a web process that died, like prometheus_client's `mark_process_dead`.

    That library isn't imported here because each web process must import it again, like our own
    code.
    """
    for file in metrics.glob(f"gauge_live*_{worker.pid}.db"):
        file.unlink(missing_ok=True)
