"""Placeholders in cached HTML, which each response replaces with what differs from page to page.

Each is a control character, because titles and names never contain control characters. Comments'
texts may contain them, so `BODY` is always replaced last.
"""

NEXT = "\x1a"
"""The URL to which a guest returns after log-in."""
ITEMS = "\x1b"
"""The rows of a listing, in the page around them."""
BODY = "\x1c"
"""The text of a comment."""
CSRF = "\x1d"
"""The CSRF token, which differs in each response."""
PINS = "\x1e"
"""The pinned rows of a listing, in the page around them."""
ORIGIN = "\x1f"
"""The site's scheme and host, since the `ping` attribute needs absolute URLs."""
FOLDED = "\x7f"
"""A post or comment by a blocked person, in the line that readers see in its place."""
