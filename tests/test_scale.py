"""The settings and metrics named in `docs/scale.md` exist, and its benchmark can be run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from forum.config import rate_limits

BASE = Path(__file__).resolve().parent.parent
PAGE = (BASE / "docs" / "scale.md").read_text()
SETTING = re.compile(r"`(?!TEST_)([A-Z][A-Z_]{4,})\b")
READ = re.compile(r'\w\(\s*"([A-Z][A-Z_]{4,})"')
METRIC = re.compile(r"rostra_\w+")
ENDINGS = re.compile(r"_(?:total|bucket|count|sum)\b")


def sources(*folders: str) -> str:
    """Return the source code of some folders in `forum/`."""
    files = (path for folder in folders for path in sorted((BASE / "forum" / folder).glob("*.py")))
    return "\n".join(path.read_text() for path in files)


def test_scale_page_names_only_existing_settings() -> None:
    named, read = (
        set(SETTING.findall(PAGE)),
        set(READ.findall(sources("", "config", "store", "operations/supervision"))),
    )
    read |= {f"LIMIT_{action.upper()}" for action in rate_limits.EVERYBODY}
    read |= {f"LIMIT_NEW_{action.upper()}" for action in rate_limits.NEWCOMERS}
    assert len(named) > 5, "the page names settings"
    assert named <= read, f"no such settings: {sorted(named - read)}"


def test_scale_page_names_only_existing_metrics() -> None:
    named = {ENDINGS.sub("", one) for one in METRIC.findall(PAGE)}
    told = set(METRIC.findall(sources("config", "operations/health")))
    assert named, "the page names metrics"
    assert named <= told, f"no such metrics: {sorted(named - told)}"


@pytest.mark.long
def test_benchmark_runs_and_scale_page_shows_all_its_figures() -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TEST_")}
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale", "--quick", "memory", "work", "sql"],
        cwd=BASE,
        env=kept,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    _, rule, *lines, _ = run.stdout.partition("name ")[2].splitlines()
    assert rule.startswith("---"), run.stdout
    figures = {line.split()[0] for line in lines}
    assert {"vote", "cpu_vote1", "sql_vote"} <= figures, run.stdout
    shown = set(re.findall(r"^    (\w+)", PAGE, re.MULTILINE))
    missing = {name for name in figures - shown if not name.startswith("voters")}
    assert not missing, f"figures that the page does not show: {sorted(missing)}"
