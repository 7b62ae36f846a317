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
    """The subject whose actions are counted: a person ("u" and the user id), an IP address ("a" and
    the address), or a domain of email addresses ("m" and the domain).
    """
    action: str
    windows: Windows
    same_text: int = 0
    """Seconds in which the subject may not send the same text twice; 0 allows repeated texts."""
