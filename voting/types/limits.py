"""Rate limits."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """A sliding window of a rate limit: at most `hits` actions within any `seconds` seconds."""

    hits: int
    seconds: int


Windows = tuple[Window, ...]


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How often a subject may do an action."""

    subject: str
    """Whose actions are counted: a person ("u" and their id), an IP address (after "a"), or the
    domain of email addresses (after "m").
    """
    action: str
    windows: Windows
    same_text: int = 0
    """Seconds within which the subject may not send the same text twice; 0 if they may."""
