"""The API client in the documentation can list posts, vote and comment on a running site."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.start.site import Site

pytestmark = pytest.mark.long
DOC = Path(__file__).resolve().parents[2] / "docs" / "api.md"


def test_client_of_the_documentation_lists_votes_and_comments(tmp_path: Path) -> None:
    client = tmp_path / "client.py"
    (code,) = re.findall(r"```python\n(.*?)```", DOC.read_text(), re.DOTALL)
    client.write_text(code)
    assert len(list(filter(None, code.splitlines()))) <= 30
    site = Site(tmp_path / "data")
    with site.up():
        token = site.token("bram", "vote", "write")

        def run(*words: str) -> str:
            environment = os.environ | {
                "ROSTRA_SITE": f"http://localhost:{site.port}",
                "ROSTRA_TOKEN": token,
            }
            command = [sys.executable, str(client), *words]
            ran = subprocess.run(
                command, check=False, env=environment, capture_output=True, text=True, timeout=60
            )
            return ran.stdout + ran.stderr

        listed = run("list")
        post = listed.split()[0]
        before = int(run("vote", post, "none").split()[0])
        assert run("vote", post, "up") == f"{before + 1} points\n"
        assert f"/p/{post}/c/" in run("comment", post, "Well", "said.")
        assert "vote" in run("vote", post, "sideways")
        assert run("nonsense").startswith("Usage")
