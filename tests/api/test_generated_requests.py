"""Ten minutes of generated requests by a member and an admin break nothing.

Each response has a documented status, and the fields that the OpenAPI document promises.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from forum.config import rate_limits
from tests.start.site import Site

pytestmark = pytest.mark.long
SECONDS = 300
"""How long each person sends requests."""
SETTINGS = "generation.allow-extra-parameters = false"
"""Like the pages, the API ignores parameters that it doesn't know."""
OPTIONS = f"--max-time {SECONDS} --seed 1 --continue-on-failure --request-timeout 60".split()
UNLIMITED = {f"LIMIT_{action.upper()}": "1000000/1" for action in rate_limits.EVERYBODY} | {
    f"LIMIT_NEW_{action.upper()}": "1000000/1" for action in rate_limits.NEWCOMERS
}


@pytest.mark.parametrize("name", ["bram", "ada"])
def test_no_generated_request_breaks_a_running_site(name: str, tmp_path: Path) -> None:
    site = Site(tmp_path / "data")
    with site.up(**UNLIMITED):
        token = site.token(name, "read", "vote", "write", "moderate")
        (tmp_path / "settings.toml").write_text(SETTINGS)
        program = [str(Path(sys.executable).with_name("schemathesis"))]
        program += ["--config-file", "settings.toml", "run", *OPTIONS]
        # A form needs more than its schema says: groups that exist, for example.
        program += ["--exclude-checks", "positive_data_acceptance"]
        program += ["--header", f"Authorization: Bearer {token}"]
        address = f"http://localhost:{site.port}/api/v1/openapi.json"
        run = subprocess.run(
            [*program, address],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=4 * SECONDS,
        )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Traceback" not in site.output()
