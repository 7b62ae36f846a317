"""The signals that ask a command to stop."""

import signal

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def raise_keyboard_interrupt() -> None:
    """From now on, raise KeyboardInterrupt on stop signals. Under `nohup`, ignore SIGHUP."""
    for number in SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


def ignore() -> None:
    """From now on, ignore all stop signals."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
