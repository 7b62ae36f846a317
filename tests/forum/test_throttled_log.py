"""While a server is down for hours, the log doesn't repeat the same message all the time."""

import pytest
from structlog.testing import capture_logs

from forum.operations import scheduler


def test_continued_outage_is_logged_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [5.0]
    monkeypatch.setattr(scheduler, "monotonic", lambda: now[0])
    with capture_logs() as lines:
        for now[0] in (5.0, 5.5, 64.5, 65.0, 65.5):
            scheduler.warn("The mail server is down", TimeoutError(f"at {now[0]}"))
        scheduler.warn("The search engine is down", TimeoutError("at noon"))
    assert [(line["event"], line["reason"]) for line in lines] == [
        ("The mail server is down", "at 5.0"),
        ("The mail server is down", "at 65.0"),
        ("The search engine is down", "at noon"),
    ]
