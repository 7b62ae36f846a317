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
    """How often a subject, such as a person or an IP address, may do an action."""

    subject: str
    """Whose actions are counted, as a letter and an id.

    "u" and a user id, "a" and an IP address, or "m" and a domain of email addresses.
    """
    action: str
    windows: Windows
    same_text: int = 0
    """Seconds in which the subject may not repeat a text; 0 allows repeated texts."""
