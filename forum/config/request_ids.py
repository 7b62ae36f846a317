"""The id of the current request, which all log lines of the request contain.

The id is in a context variable of this module. In structlog's context, it would make each page 6
microseconds slower.
"""

from contextvars import ContextVar

from structlog.types import EventDict, WrappedLogger

_current: ContextVar[str] = ContextVar("request_id", default="")

begin = _current.set
"""Set the request id for later log lines of this thread."""
current = _current.get
"""Return the id of the current request; "" outside of requests."""


def add(_logger: WrappedLogger, _method: str, line: EventDict) -> EventDict:
    """Add the id of the current request to a log line. This is a structlog processor."""
    request_id = current()
    if request_id:
        line["request_id"] = request_id
    return line
