"""The command `sbom`."""

import json
from typing import Any

from django.core.management import BaseCommand

from forum.operations import sbom


class Command(BaseCommand):
    """Print the installed packages as an SBOM in CycloneDX's JSON format."""

    help = "Print the installed packages as an SBOM (CycloneDX), for security scanners."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Print the SBOM."""
        self.stdout.write(json.dumps(sbom.document(), indent=2))
