"""Gunicorn's settings. GUNICORN_CMD_ARGS and WEB_CONCURRENCY override them.

On SIGHUP, gunicorn starts new processes, and old processes finish their requests.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from socket import SO_RCVTIMEO, SO_SNDTIMEO, SOL_SOCKET
from struct import pack
from tempfile import mkdtemp
from types import FrameType

import structlog
from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

from forum.config import logs
from forum.config.environment import flag, ignored_settings, summary, whole
from forum.operations.supervision import parent_watch

OURS = ("forum", "voting")
STALLED_SECONDS = 10
"""How many seconds a browser may pause in the middle of a request.

While a browser pauses, its request occupies a thread.
"""

wsgi_app = "forum.wsgi"
worker_class = "gthread"
workers = whole("WEB_CONCURRENCY", 2, 1, 256)
threads = 4
graceful_timeout = 8
limit_request_line = 8190
"""How many bytes a request line may have. In a URL, one Chinese character takes nine bytes."""
loglevel = "warning"
forwarder_headers = ""  # else a client on this machine could set SCRIPT_NAME
control_socket_disable = True
logconfig_dict = logs.for_gunicorn(json=flag("PRODUCTION"))
logs.configure(logconfig_dict)
log = structlog.get_logger()

# In memory if possible: on a full disk, a write to these mapped files would kill the process.
shm = "/dev/shm"  # noqa: S108 - `mkdtemp` makes a private directory in it
memory = shm if os.access(shm, os.W_OK) else None
metrics = Path(mkdtemp(prefix="rostra-", dir=os.environ.get("RUNTIME_DIRECTORY", memory)))
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(metrics)
stop_signals: list[str] = []
"""The names of the signals that asked this web server to stop."""


def on_starting(server: Arbiter) -> None:
    """Make this process stop when the `up` process that started it ends; log ignored settings."""
    parent_watch.stop_with_parent()
    for sentence in ignored_settings():
        server.log.warning(sentence)


def on_exit(_server: Arbiter) -> None:
    """Log why the web server stops, and remove the directory in which its processes share metrics.

    Without a stop signal, the reason is an error, such as web processes that don't start.
    """
    log.info("web server stopped", reason=" ".join(stop_signals) or "error")
    rmtree(metrics, ignore_errors=True)


def when_ready(server: Arbiter) -> None:
    """Log the start, and set a timeout for stalled browsers on the listening sockets.

    New connections inherit the timeout.
    """
    listens = [str(listener) for listener in server.LISTENERS]
    log.info("web server started", listens=listens, processes=workers, **summary())
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, _remembering(server))
    seconds = pack("ll", STALLED_SECONDS, 0)
    for listener in server.LISTENERS:
        for way in (SO_RCVTIMEO, SO_SNDTIMEO):
            listener.setsockopt(SOL_SOCKET, way, seconds)


def _remembering(server: Arbiter) -> Callable[[int, FrameType | None], None]:
    """Return a handler of stop signals for `on_exit`, which then does what gunicorn's own does."""

    def handle(number: int, frame: FrameType | None) -> None:
        stop_signals.append(signal.Signals(number).name)
        server.signal(number, frame)

    return handle


def post_fork(_server: Arbiter, _worker: Worker) -> None:
    """Forget the site's imported modules, so that a new process loads the current code."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]


def child_exit(_server: Arbiter, worker: Worker) -> None:
    """Delete the gauge metrics of a web process that died.

    Does the same as `mark_process_dead` in prometheus_client. Don't import prometheus_client here:
    each web process must import it itself.
    """
    for file in metrics.glob(f"gauge_live*_{worker.pid}.db"):
        file.unlink(missing_ok=True)
