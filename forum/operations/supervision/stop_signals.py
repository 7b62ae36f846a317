"""The signals that ask a command to stop."""

import signal

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def raise_keyboard_interrupt() -> None:
    """Raise KeyboardInterrupt on each of them, but not on SIGHUP if `nohup` has it ignored."""
    for number in SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


def ignore() -> None:
    """Ignore them from now on."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
