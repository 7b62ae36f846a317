"""Log lines: JSON where a machine collects them, a readable line everywhere else.

What structlog and what Python's own logging is told comes out alike, on standard error, with the
request id wherever a request is being answered.
"""

import logging.config
import sys
from typing import Any

import structlog
from django.http import HttpRequest
from structlog.stdlib import ProcessorFormatter
from structlog.types import EventDict, Processor

from forum.observability import paths, request_ids

REFUSED = "django.security."
"""What the names of loggers begin with by which Django tells that a request was refused."""
SERVER = "gunicorn.error"


def one_line_if_theirs(_logger: Any, _method: str, line: EventDict) -> EventDict:
    """Make what is no fault of the site's one line of warning: a wrong host, a form of 1,200
    fields, a browser that stalls. Who sends it shall not fill the log with tracebacks.
    """
    stalled = line["logger"] == SERVER and isinstance(sys.exception(), BlockingIOError)
    if stalled or line["logger"].startswith(REFUSED):
        line["level"] = "warning"
        line.pop("exc_info", None)
    return line


def without_secrets(_logger: Any, _method: str, line: EventDict) -> EventDict:
    """Take out of what Django tells of a request what proves who came by its address."""
    request = getattr(line["_record"], "request", None)
    if isinstance(request, HttpRequest):
        line["event"] = line["event"].replace(request.path, paths.told(request))
    return line


SHARED: tuple[Processor, ...] = (
    request_ids.add,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)
"""What every line is given, whoever writes it."""


def config(*, json: bool) -> dict[str, Any]:
    """Return the logging settings of a process."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": ProcessorFormatter,
                "foreign_pre_chain": (*SHARED, one_line_if_theirs, without_secrets),
                "processors": [ProcessorFormatter.remove_processors_meta, *_ending(json)],
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
    """Apply `config` and have structlog write by it; Django calls this (`LOGGING_CONFIG`)."""
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
    """Return the settings by which gunicorn's own lines look like ours."""
    own = {"level": "WARNING", "handlers": ["terminal"], "propagate": False}
    return config(json=json) | {"loggers": {SERVER: own}}


def _ending(json: bool) -> list[Processor]:
    if json:
        return [
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str, ensure_ascii=False),
        ]
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]
