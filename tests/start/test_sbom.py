"""`manage.py sbom` lists the packages of a site for security scanners."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from forum import __version__
from forum.operations.supervision import bootstrap
from tests.start.site import manage


@pytest.fixture
def document(tmp_path: Path) -> Any:
    """The document that the command prints."""
    run = manage(tmp_path, "sbom")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_sbom_has_the_site_and_each_installed_package_with_its_version(document: Any) -> None:
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert document["metadata"]["component"]["version"] == __version__
    listed = {each["name"]: each for each in document["components"]}
    needed = {
        pin.name for pin in bootstrap.pins(bootstrap.BASE / "requirements.txt") if not pin.condition
    }
    assert needed <= listed.keys()
    for name, each in listed.items():
        assert each["version"] == version(name)
        assert each["purl"] == f"pkg:pypi/{name}@{each['version']}"
    assert listed["django"]["licenses"], "scanners also look for licences"
    assert "colorama" not in listed, "only Windows needs it"


def test_sbom_leaves_out_what_only_tests_need(document: Any) -> None:
    assert "pytest" not in {each["name"] for each in document["components"]}
