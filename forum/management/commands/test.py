"""manage.py test: run the tests with pytest, two at a time."""

import os
import sys

from django.conf import settings
from django.core.management import BaseCommand


class Command(BaseCommand):
    """Run pytest with its own settings, SQLite and Valkey."""

    help = "Run the tests. Whatever follows goes to pytest, e.g. `manage.py test -k vote`."
    requires_system_checks = []

    def run_from_argv(self, argv: list[str]) -> None:
        """Replace this process with pytest, and pass it this command's options."""
        os.environ.pop("DJANGO_SETTINGS_MODULE", None)
        os.chdir(settings.BASE_DIR)
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *argv[2:]])
