"""Rate limits."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """At most `hits` within any `seconds`."""

    hits: int
    seconds: int


Windows = tuple[Window, ...]


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How often a subject may do an action."""

    subject: str
    """A person ("u" and their id) or an IP address ("a" and the address)."""
    action: str
    windows: Windows
    same_text: int = 0
    """Seconds within which the same text may not be sent twice; 0 if it may."""
