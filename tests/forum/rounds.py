"""The rounds of the worker, as far as tests wait for them."""

from threading import Event

from forum.inbox import task_runner


def a_round_later() -> None:
    """Let the worker do what waits: errands and mail."""
    task_runner.do_waiting(Event())
