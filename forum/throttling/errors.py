"""Errors of rate limits. Votes are counted in the step that casts them, so voting raises it too."""

from voting.errors import Throttled

__all__ = ["Throttled"]
