"""Sliding windows: how often somebody may do something."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """At most `hits` within any `seconds`."""

    hits: int
    seconds: int


Windows = tuple[Window, ...]


@dataclass(frozen=True, slots=True)
class Pace:
    """How often one subject may do one thing."""

    subject: str
    """Who is counted: a person ("u" and their id) or an address ("a" and the address)."""
    action: str
    windows: Windows
    same_text: int = 0
    """Seconds within which one text may not be sent twice; 0 where it may."""
