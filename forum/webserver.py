"""Gunicorn's settings. GUNICORN_CMD_ARGS and WEB_CONCURRENCY may change them."""

import os

from gunicorn.arbiter import Arbiter

from forum import leash

wsgi_app = "forum.wsgi"
worker_class = "gthread"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
threads = 4
graceful_timeout = 8
loglevel = "warning"
control_socket_disable = True


def on_starting(_server: Arbiter) -> None:
    """End with the `up` that started us."""
    leash.hold()
