#!/usr/bin/env python3
"""The project's commands. On a fresh clone, `up` and `test` first install missing packages."""

import os
import signal
import sys


def main() -> None:
    """Run a management command. If a setting is wrong, print one sentence and exit.

    Import only the standard library before `bootstrap.prepare` has returned.
    """
    if sys.version_info < (3, 11):
        sys.exit("Rostra needs Python 3.11 or newer, and this is {}.{}.".format(*sys.version_info))
    if sys.argv[1:] in (["version"], ["--version"]):
        from forum import __version__

        sys.stdout.write(f"{__version__}\n")  # Django would print its own version
        return
    from forum.operations.supervision import bootstrap

    bootstrap.prepare(sys.argv[1:])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forum.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader has closed the pipe, as `head` does. Python flushes stdout when it exits, which
        # must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
