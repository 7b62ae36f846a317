"""Reports exceptions to Sentry, or to another program with its protocol, if SENTRY_DSN is set.

Sends the type, the first line of the message and the traceback of each exception in the log, and
the id of the request. Sends nothing of the request itself, and no values of variables.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from structlog.types import EventDict, Processor

from forum import __version__


def reporters(dsn: str) -> Sequence[Processor]:
    """Return a log processor that reports exceptions; none without SENTRY_DSN or its package."""
    if not dsn or find_spec("sentry_sdk") is None:
        return ()
    sentry = import_module("sentry_sdk")
    sentry.init(
        dsn=dsn,
        release=__version__,
        before_send=_without_details,
        default_integrations=False,
        include_local_variables=False,
        max_breadcrumbs=0,
        send_default_pii=False,
    )

    def report(_logger: Any, _method: str, line: EventDict) -> EventDict:
        error = _exception(line.get("exc_info"))
        if error is not None:
            sentry.capture_exception(error, tags={"request_id": line.get("request_id", "")})
        return line

    return (report,)


def _exception(info: object) -> BaseException | None:
    """Return the exception of a log line. `info` is the exception, a tuple with it, or True."""
    match info:
        case BaseException() as error:
            return error
        case (_, BaseException() as error, _):
            return error
        case True:
            return sys.exception()
    return None


def _without_details(event: dict[str, Any], _hint: Any) -> dict[str, Any]:
    """Keep only the first line of messages: in others, PostgreSQL quotes what people entered."""
    for error in event["exception"]["values"]:
        error["value"] = (error["value"] or "").partition("\n")[0]
    return event
