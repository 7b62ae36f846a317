"""Signals that stop a command which must not end half way, until it can't be stopped any more."""

import signal

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def heed() -> None:
    """Have KeyboardInterrupt raised by what asks a process to end; `nohup` is left as it is."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


def ignore() -> None:
    """Go on whatever is asked from now on: the site has moved."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
