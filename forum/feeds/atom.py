"""Writes feeds as Atom (RFC 4287), with Django's feed generator."""

import re
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.utils.encoding import iri_to_uri
from django.utils.feedgenerator import Atom1Feed
from django.utils.xmlutils import SimplerXMLGenerator

from forum.feeds.documents import Entry, Feed
from forum.text.markup import with_absolute_links

CONTENT_TYPE = "application/atom+xml; charset=utf-8"
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML forbids."""


class _AtomFeed(Atom1Feed):
    """Django's Atom feed, with full texts, titles of groups, and the links of link posts.

    An empty feed has a fixed time. Django would use the current time, which changes each second.
    """

    def latest_post_date(self) -> Any:
        return self.feed["updated"]

    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        handler.addQuickElement("content", item["html"], {"type": "html"})
        for slug, title in item["groups"]:
            handler.addQuickElement("category", "", {"term": slug, "label": title})
        if item["about"]:
            handler.addQuickElement("link", "", {"rel": "related", "href": item["about"]})


def write(feed: Feed, *, site: str, language: str | None) -> str:
    """Return a feed as XML. `site` is the scheme and host that the client used."""
    page = f"{site}{feed.path}"
    written = _AtomFeed(
        _clean(feed.title),
        page,
        description=None,
        language=language,
        feed_url=f"{site}{feed.own_path}",
        feed_guid=permanent_id(feed.key or feed.own_path.removeprefix("/")),
        updated=feed.updated,
    )
    for entry in feed.entries:
        _add(written, entry, page)
    return str(written.writeString("utf-8"))


def permanent_id(key: str) -> str:
    """Return the id of an entry or feed, which is the same on all of the site's host names."""
    return f"{settings.SITE_URL}/{key}"


def _add(written: _AtomFeed, entry: Entry, page: str) -> None:
    url = urljoin(page, entry.path)
    written.add_item(
        _clean(entry.title),
        url,
        description=None,  # type: ignore[arg-type]  # so there is no summary
        author_name=_clean(entry.author),
        author_link=urljoin(page, entry.author_path) if entry.author_path else None,
        pubdate=entry.published,
        updateddate=entry.updated,
        unique_id=permanent_id(entry.key),
        html=_clean(with_absolute_links(entry.html, url)),
        groups=[(slug, _clean(title)) for slug, title in entry.groups],
        about=iri_to_uri(entry.link),
    )


def _clean(text: str) -> str:
    return NOT_XML.sub("", text)
