"""Log lines on standard error: JSON in production, readable text elsewhere.

Lines from structlog and from Python's logging look the same, and have the id of the current
request.
"""

import logging.config
import sys
from collections.abc import Sequence
from typing import Any

import structlog
from django.http import HttpRequest
from structlog.stdlib import ProcessorFormatter
from structlog.types import EventDict, Processor

from forum.config import request_ids

SECURITY = "django.security."
"""Django logs requests that it refuses with loggers whose names begin with this text."""
SERVER = "gunicorn.error"
SECRET_PARAMETERS = {"token", "key"}
"""URL parameters with secret values, for example in links in emails. Never log these values."""


def has_secret(request: HttpRequest) -> bool:
    """Return whether a request's path has a secret, for example that of a link in an email."""
    match = request.resolver_match
    return match is not None and not SECRET_PARAMETERS.isdisjoint(match.kwargs)


def loggable_path(request: HttpRequest) -> str:
    """Return a request's path. If the path has a secret, return its URL pattern instead."""
    match = request.resolver_match
    return match.route if match and has_secret(request) else request.path


def shorten_client_errors(_logger: Any, _method: str, line: EventDict) -> EventDict:
    """Log errors caused by clients as warnings without traceback.

    Examples are a wrong host, too many form fields, and a browser that stalls. With tracebacks,
    anybody could fill the log.
    """
    stalled = line["logger"] == SERVER and isinstance(sys.exception(), BlockingIOError)
    if stalled or line["logger"].startswith(SECURITY):
        line["level"] = "warning"
        line.pop("exc_info", None)
    return line


def hide_credentials(_logger: Any, _method: str, line: EventDict) -> EventDict:
    """Remove secrets from the paths in Django's own log lines."""
    request = getattr(line["_record"], "request", None)
    if isinstance(request, HttpRequest):
        line["event"] = line["event"].replace(request.path, loggable_path(request))
    return line


SHARED: tuple[Processor, ...] = (
    request_ids.add,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)
"""The structlog processors for all log lines."""


def config(*, json: bool, reporters: Sequence[Processor] = ()) -> dict[str, Any]:
    """Return the settings with which a process logs lines of JSON or of readable text.

    `reporters` also get each line that is logged.
    """
    last = [*reporters, ProcessorFormatter.remove_processors_meta, *_renderers(json)]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": ProcessorFormatter,
                "foreign_pre_chain": (*SHARED, shorten_client_errors, hide_credentials),
                "processors": last,
            }
        },
        "handlers": {"terminal": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["terminal"], "level": "WARNING"},
        "loggers": {
            "forum": {"level": "INFO"},
            "django": {"handlers": [], "level": "WARNING"},
            "django.request": {"level": "ERROR"},
        },
    }


def configure(settings: dict[str, Any]) -> None:
    """Configure structlog and Python's logging. Django calls this (`LOGGING_CONFIG`)."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED,
            structlog.stdlib.PositionalArgumentsFormatter(),
            ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    logging.config.dictConfig(settings)


def for_gunicorn(*, json: bool) -> dict[str, Any]:
    """Return logging settings that make gunicorn's log lines look like the site's."""
    own = {"level": "WARNING", "handlers": ["terminal"], "propagate": False}
    return config(json=json) | {"loggers": {SERVER: own, "forum": {"level": "INFO"}}}


def _renderers(json: bool) -> list[Processor]:
    if json:
        return [
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str, ensure_ascii=False),
        ]
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]
