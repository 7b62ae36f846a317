"""Clients that two generators make from the OpenAPI document list, vote and comment.

To install the generators, run `.ci/client-generators`. If they are not installed, the test is
skipped, or fails if `REQUIRE_CLIENT_GENERATORS=1` is set.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from forum.operations.supervision.bootstrap import BASE
from tests.start.site import Site

pytestmark = pytest.mark.long
PROGRAMS = Path(__file__).parent / "clients"
PLACE = BASE / ".venv/client-generators"
MISSING = "The generators of API clients are not installed: run .ci/client-generators (needs npm)."
OPTIONS = ["--strict", "--target", "es2022", "--module", "nodenext"]


@pytest.fixture
def generators() -> Path:
    """Return the folder of the generators; skip the test if they are not installed."""
    if not ((PLACE / "versions").exists() and shutil.which("node")):
        if os.environ.get("REQUIRE_CLIENT_GENERATORS") == "1":
            pytest.fail(f"REQUIRE_CLIENT_GENERATORS=1. {MISSING}", pytrace=False)
        pytest.skip(MISSING)
    return PLACE


def test_generated_clients_list_own_votes_vote_and_comment(
    generators: Path, tmp_path: Path
) -> None:
    site = Site(tmp_path / "data")
    with site.up():
        address = f"http://localhost:{site.port}"
        token = site.token("bram", "read", "vote", "write")
        python = _python_client(generators, tmp_path / "python", f"{address}/api/v1/openapi.json")
        happened = json.loads(_run(tmp_path, *python, address, token))
        assert happened["guest"] is None
        assert (happened["voted"], happened["member"]) == (1, [1])
        assert happened["state"] == "published"
        assert happened["newest"] == [True, "Well said.", 1]
        assert happened["refused"] == 422
        typescript = _typescript_client(
            generators, tmp_path / "ts", f"{address}/api/v1/openapi.json"
        )
        again = json.loads(_run(tmp_path, *typescript, address, token))
        assert again == happened | {"newest": [True, "Very well said.", 1]}


def _python_client(generators: Path, folder: Path, document: str) -> list[str]:
    """Generate a Python client. Return the command of a program that uses it."""
    folder.mkdir()
    (folder / "settings.yml").write_text("package_name_override: rostra_client")
    options = ["--meta", "none", "--config", "settings.yml", "--output-path", "rostra_client"]
    generator = str(generators / "bin/openapi-python-client")
    _run(folder, generator, "generate", "--fail-on-warning", "--url", document, *options)
    shutil.copy(PROGRAMS / "client.py", folder)
    return [str(generators / "bin/python"), str(folder / "client.py")]


def _typescript_client(generators: Path, folder: Path, document: str) -> list[str]:
    """Generate types for TypeScript and compile a program that uses them. Return its command."""
    folder.mkdir()
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(generators / "node_modules")
    shutil.copy(PROGRAMS / "client.ts", folder)
    _run(
        folder,
        "node_modules/.bin/openapi-typescript",
        document,
        "--output",
        "rostra.d.ts",
        "--default-non-nullable=false",
    )
    _run(folder, "node_modules/.bin/tsc", *OPTIONS, "client.ts")
    return ["node", str(folder / "client.js")]


def _run(folder: Path, *command: Any) -> str:
    """Run a command in a folder, and return its output. Fail if the command fails."""
    path = f"{PLACE / 'bin'}:{os.environ['PATH']}"
    run = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout
