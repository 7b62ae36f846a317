"""Records in Redis which people were active on each UTC day."""

from collections.abc import Callable
from contextlib import suppress
from datetime import date

from django.http import HttpRequest, HttpResponseBase

from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable

MOST = 100_000
"""Maximum number of people whom a process remembers as recorded today. Then it forgets them all."""


_recorded: dict[date, set[int]] = {}
"""The ids of the people whom this process has recorded, by day.

Just after midnight, some threads may still record people for the previous day.
"""


def record(user_id: int) -> None:
    """Record that a person is active today.

    Records nothing while Redis is unavailable.
    """
    activity = get_voting_service().activity
    today = activity.today()
    recorded = _recorded.get(today)
    if recorded is None or len(recorded) >= MOST:
        _recorded.clear()
        recorded = _recorded[today] = set()
    if user_id not in recorded:
        with suppress(StoreUnavailable):
            activity.record(user_id, today)
            recorded.add(user_id)


def forget() -> None:
    """Forget who this process has recorded as active today, so that it records them again."""
    _recorded.clear()


def recording(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: record that a member is active today, if the view asked who the viewer is.

    Records after the response was sent, so that nobody waits.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        person = getattr(request, "viewer", None)
        if person is not None:
            close = response.close

            def close_and_record() -> None:
                close()
                record(person.id)

            response.close = close_and_record  # type: ignore[method-assign]
        return response

    return middleware
