"""The alarm rules for Prometheus, checked and tested by Prometheus's own `promtool`.

Without promtool, the tests are skipped, or fail if `REQUIRE_PROMTOOL=1` is set.
"""

import os
import shutil
import subprocess

import pytest

from forum.operations.supervision.bootstrap import BASE

RULES = BASE / "deploy" / "prometheus" / "rules.yml"


def promtool(*arguments: str) -> str:
    """Run promtool, and return its output. Assert that it succeeds."""
    if not shutil.which("promtool"):
        reason = "promtool is missing: apt install prometheus"
        if os.environ.get("REQUIRE_PROMTOOL") == "1":
            pytest.fail(f"REQUIRE_PROMTOOL=1. {reason}", pytrace=False)
        pytest.skip(reason)
    run = subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_prometheus_accepts_the_alarm_rules() -> None:
    assert "SUCCESS" in promtool("check", "rules", str(RULES))


def test_each_alarm_fires_when_it_should_and_only_then() -> None:
    assert "SUCCESS" in promtool("test", "rules", str(RULES.with_name("rules_test.yml")))
