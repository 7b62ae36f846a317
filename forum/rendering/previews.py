"""Previews: what is being written as it will stand on its page."""

from collections.abc import Sequence
from typing import NamedTuple

from django.http import HttpRequest

from forum.identity.viewers import subject
from forum.queries.groups import Topic
from forum.queries.people import spelt
from forum.text import markup
from forum.text.titles import fold
from forum.throttling.throttle import throttle

LONG = 2_000
"""Characters from which Markdown may take longer to read than all else that a page needs."""


class Preview(NamedTuple):
    """What is being written, as it will look. A comment has a text alone."""

    title: str
    """In one line."""
    html: str
    domain: str = ""
    """The host of a link's address."""
    groups: Sequence[Topic] = ()


def preview(request: HttpRequest, body: str, title: str = "") -> Preview:
    """Return what a form's Markdown and title will look like. One round trip, and one query where
    it names people. Raises Throttled: long Markdown can take most of a second to read.
    """
    throttle(subject(request), "preview")
    return Preview(fold(title), markup.render(body, spelt))


def weigh(request: HttpRequest, text: str) -> None:
    """Count a long text as a preview of it, before it is read: by a form, to say what is wrong with
    it, or for a page that does not remember it. Either may be asked for again and again. Raises
    Throttled; a round trip for a long text, none for others.
    """
    if len(text) > LONG:
        throttle(subject(request), "preview")
