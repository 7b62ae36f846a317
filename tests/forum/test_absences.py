"""What is away for hours does not fill the log of whoever runs the site."""

import pytest
from structlog.testing import capture_logs

from forum.observability import throttled_log


def test_what_stays_away_is_told_of_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [5.0]
    monkeypatch.setattr(throttled_log, "monotonic", lambda: now[0])
    with capture_logs() as lines:
        for now[0] in (5.0, 5.5, 64.5, 65.0, 65.5):
            throttled_log.tell("The post office is away", TimeoutError(f"at {now[0]}"))
        throttled_log.tell("The baker is away", TimeoutError("at noon"))
    assert [(line["event"], line["reason"]) for line in lines] == [
        ("The post office is away", "at 5.0"),
        ("The post office is away", "at 65.0"),
        ("The baker is away", "at noon"),
    ]
