"""The rounds of the worker, as far as tests wait for them."""

from threading import Event

from forum.inbox import postman


def a_round_later() -> None:
    """Let the worker do what waits: errands and mail."""
    postman.do_waiting(Event())
