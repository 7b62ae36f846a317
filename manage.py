#!/usr/bin/env python3
"""The project's commands. On a fresh clone `up` and `test` first set up what is missing."""

import os
import signal
import sys


def main() -> None:
    """Run a management command; a bad setting ends it with one sentence.

    Nothing but the standard library may be imported before the bootstrap has had its say.
    """
    if sys.version_info < (3, 11):
        sys.exit("Rostra needs Python 3.11 or newer, and this is {}.{}.".format(*sys.version_info))
    if sys.argv[1:2] == ["worker"]:
        # Asked to end before it has begun anything: no failure, but as when it works.
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    if sys.argv[1:] in (["version"], ["--version"]):
        from forum import __version__

        sys.stdout.write(f"{__version__}\n")  # Django would print its own version
        return
    open_what_is_closed()
    from forum.operations.supervision import bootstrap

    bootstrap.prepare(sys.argv[1:])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forum.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))


def open_what_is_closed() -> None:
    """Let input and output that whoever starts us has closed lead nowhere.

    What is opened next would get their numbers, and children would take it for theirs.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, mode))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever reads what we say, as `head` does, has read enough; nor is there anybody to hear
        # what is said while this ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
