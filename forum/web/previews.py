"""Previews of posts and comments while they are being written."""

from collections.abc import Sequence
from typing import NamedTuple

from django.http import HttpRequest

from forum.identity.throttle import throttle
from forum.identity.viewers import subject
from forum.queries.groups import Topic
from forum.queries.people import find_names
from forum.text import markup
from forum.text.titles import fold

LONG = 2_000
"""Texts with more characters are rate-limited, since they may take longer to render than a page."""
MOST_UNKNOWN = 5
"""Maximum number of names of nobody that a preview lists."""


class Preview(NamedTuple):
    """The preview of a post or comment. For a comment, the title is empty."""

    title: str
    html: str
    domain: str = ""
    """The host of the post's link; "" without a link."""
    groups: Sequence[Topic] = ()
    unknown: Sequence[str] = ()
    """The first few names in mentions that are nobody's."""


def preview(request: HttpRequest, body: str, title: str = "") -> Preview:
    """Render a preview of the title and Markdown text of a form.

    Raises Throttled if the person asks for previews too often, since rendering long Markdown can
    take almost a second.
    """
    throttle(subject(request), "preview")
    text = markup.read(body, find_names)
    return Preview(fold(title), text.html, unknown=text.unknown[:MOST_UNKNOWN])


def throttle_long_text(request: HttpRequest, text: str) -> None:
    """Raise Throttled if a person has long texts rendered too often. Call this before rendering.

    Uses the rate limit for previews.
    """
    if len(text) > LONG:
        throttle(subject(request), "preview")
