"""The site's software bill of materials (SBOM), in CycloneDX's JSON format.

It lists the packages that this Python has installed, so that scanners find known problems in them.
"""

from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from typing import Any
from uuid import uuid4

from django.utils import timezone

from forum import __version__
from forum.operations.supervision.bootstrap import BASE, pins

LISTS = ("requirements.txt", "requirements-sentry.txt")
"""The lists of packages that a site may have. An image may lack the second."""


def document() -> dict[str, Any]:
    """Return the SBOM of this installation."""
    names = {pin.name for name in LISTS if (BASE / name).exists() for pin in pins(BASE / name)}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid4()}",
        "version": 1,
        "metadata": {
            "timestamp": timezone.now().isoformat(timespec="seconds"),
            "component": {
                "type": "application",
                "bom-ref": "rostra",
                "name": "rostra",
                "version": __version__,
                "licenses": [{"license": {"id": "MIT"}}],
            },
        },
        "components": [found for name in sorted(names) if (found := _component(name))],
    }


def _component(name: str) -> dict[str, Any] | None:
    """Return the entry of a package; None if it isn't installed, since this system needs none."""
    try:
        found = metadata(name)
    except PackageNotFoundError:
        return None
    address = f"pkg:pypi/{name}@{found['Version']}"
    return {
        "type": "library",
        "bom-ref": address,
        "name": name,
        "version": found["Version"],
        "purl": address,
        "licenses": _licenses(found),
    }


def _licenses(found: PackageMetadata) -> list[dict[str, Any]]:
    """Return a package's licence, as precisely as its authors name it."""
    if "License-Expression" in found:
        return [{"expression": found["License-Expression"]}]
    kinds = [each for each in found.get_all("Classifier") or [] if each.startswith("License ::")]
    return [{"license": {"name": kind.rpartition(" :: ")[2]}} for kind in kinds]
