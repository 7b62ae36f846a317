"""The Django part of Rostra: people, content and pages.

Only the package `voting` uses Redis directly.
"""

__version__ = "1.3.0"
