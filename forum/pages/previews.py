"""Previews: what is being written as it will stand on its page."""

from typing import NamedTuple

from forum.queries.people import spelt
from forum.text import markup
from forum.text.titles import fold


class Preview(NamedTuple):
    """A title in one line, none for comments, and the HTML of a text."""

    title: str
    html: str


def preview(body: str, title: str = "") -> Preview:
    """Return what a form's Markdown and title will look like. One query where it names people."""
    return Preview(fold(title), markup.render(body, spelt))
