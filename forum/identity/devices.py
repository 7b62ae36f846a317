"""Names the browser and the system in a User-Agent header, coarsely, for the list of sessions."""

BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
"""Names of browsers by a part of their headers.

The order matters: most browsers also name older browsers that they resemble.
"""
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Macintosh": "macOS",
    "Linux": "Linux",
}
"""Names of systems by a part of their browsers' headers, in order: Android also names Linux."""


def device_of(user_agent: str) -> tuple[str, str]:
    """Return the names of browser and system, such as ("Firefox", "Windows"); "" if unknown."""
    return _first(BROWSERS, user_agent), _first(SYSTEMS, user_agent)


def _first(names: dict[str, str], user_agent: str) -> str:
    return next((name for part, name in names.items() if part in user_agent), "")
