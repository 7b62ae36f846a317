"""Renders links to groups: a group's title as a chip in the group's colour."""

from html import escape

from django.utils.safestring import SafeString

from forum.queries.groups import directory
from forum.web import caches
from forum.web.addresses import address


def chip(slug: str) -> SafeString:
    """Return the link to a group. Usually no query, because groups are cached."""
    topic = directory.labelled(slug)
    return _chip(topic.slug, topic.title, topic.hue)


@caches.CHIPS.remember
def _chip(slug: str, title: str, hue: int) -> SafeString:
    url = escape(address("group", slug))
    return SafeString(f'<a class="chip hue-{hue}" href="{url}">{escape(title)}</a>')
