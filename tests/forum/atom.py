"""Reads Atom feeds, and checks them against RFC 4287."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import feedparser
from django.test import Client

from tests.forum.factories import reader

NAMESPACE = "{http://www.w3.org/2005/Atom}"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
ONCE = {"feed": ("id", "title", "updated"), "entry": ("id", "title", "updated", "content")}
"""The elements that a feed and an entry have exactly once."""
AT_MOST_ONCE = {
    "feed": ("subtitle", "generator", "icon", "logo", "rights"),
    "entry": ("published", "summary", "rights", "source"),
}
LINK = re.compile(r'\s(?:href|src)="([^"]*)"')


@dataclass(frozen=True)
class ReadFeed:
    """The response, text and parsed form of a feed."""

    response: Any
    text: str
    parsed: Any
    """The result of feedparser."""

    @property
    def titles(self) -> list[str]:
        return [entry.title for entry in self.parsed.entries]

    @property
    def bodies(self) -> list[str]:
        return [entry.content[0].value for entry in self.parsed.entries]


def read(
    path: str, window: Client | None = None, headers: Mapping[str, str] | None = None
) -> ReadFeed:
    """Read a feed, and fail unless it is valid."""
    response = (window or reader()).get(path, headers=headers)
    assert response.status_code == 200, f"{path}: {response.status_code}"
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    text = response.content.decode()
    problems = list(violations(text, path))
    assert not problems, f"{path}: {problems}"
    parsed = feedparser.parse(response.content)
    assert not parsed.bozo, parsed.get("bozo_exception")
    return ReadFeed(response, text, parsed)


def violations(text: str, path: str) -> Iterator[str]:
    """Yield each way in which a feed violates RFC 4287 or an additional rule of this site."""
    feed = ET.fromstring(text.encode())
    if feed.tag != f"{NAMESPACE}feed":
        yield "the root is no feed"
    yield from _element(feed, "feed")
    links = _links(feed)
    own = [link.get("href", "") for link in links if link.get("rel") == "self"]
    if len(own) != 1 or urlsplit(own[0]).path != urlsplit(path).path:
        yield f"rel=self is {own}"
    entries = feed.findall(f"{NAMESPACE}entry")
    for entry in entries:
        yield from _element(entry, "entry")
        yield from _entry(entry)
    ids = [one.findtext(f"{NAMESPACE}id") for one in (feed, *entries)]
    if len(ids) != len(set(ids)):
        yield "two have the same id"
    times = [entry.findtext(f"{NAMESPACE}updated", "") for entry in entries]
    if times and feed.findtext(f"{NAMESPACE}updated") != max(times):
        yield "the feed isn't as new as its newest entry"


def _element(element: ET.Element, kind: str) -> Iterator[str]:
    """Check elements that both feeds and entries have (RFC 4287, sections 4.1.1, 4.1.2 and 4.2)."""
    for name in ONCE[kind]:
        if len(element.findall(f"{NAMESPACE}{name}")) != 1:
            yield f"a {kind} has not exactly one {name}"
    for name in AT_MOST_ONCE[kind]:
        if len(element.findall(f"{NAMESPACE}{name}")) > 1:
            yield f"a {kind} has more than one {name}"
    yield from _times(element)
    yield from _addresses(element, kind)


def _times(element: ET.Element) -> Iterator[str]:
    """Check the times of a feed or entry (RFC 4287, section 3.3)."""
    for name in ("updated", "published"):
        for time in element.findall(f"{NAMESPACE}{name}"):
            if not TIME.fullmatch(time.text or ""):
                yield f"{time.text} is not a time of RFC 3339"


def _addresses(element: ET.Element, kind: str) -> Iterator[str]:
    """Check ids, links and categories (RFC 4287, sections 4.2.2, 4.2.6 and 4.2.7)."""
    if not urlsplit(element.findtext(f"{NAMESPACE}id", "")).scheme:
        yield f"the id of a {kind} is no IRI"
    alternates = [link for link in _links(element) if link.get("rel") == "alternate"]
    if len(alternates) != 1:
        yield f"a {kind} has {len(alternates)} links to its page"
    for link in _links(element):
        if urlsplit(link.get("href", "")).scheme not in {"http", "https"}:
            yield f"{link.get('href')} is no absolute link"
    if not all(one.get("term") for one in element.findall(f"{NAMESPACE}category")):
        yield "a category has no term"


def _entry(entry: ET.Element) -> Iterator[str]:
    """Check an entry's author and content (RFC 4287, sections 4.1.2, 4.1.3 and 4.2.1)."""
    authors = entry.findall(f"{NAMESPACE}author")
    if not authors or not all(one.findtext(f"{NAMESPACE}name") for one in authors):
        yield "an entry has no author with a name"
    content = entry.find(f"{NAMESPACE}content")
    if content is None or content.get("type") != "html" or len(content):
        yield "the content isn't escaped HTML"
    elif relative := [url for url in LINK.findall(content.text or "") if not _is_absolute(url)]:
        yield f"the content has relative links: {relative}"
    published = entry.findtext(f"{NAMESPACE}published", "")
    if published > entry.findtext(f"{NAMESPACE}updated", ""):
        yield "an entry was updated before it was published"


def _links(element: ET.Element) -> list[ET.Element]:
    return element.findall(f"{NAMESPACE}link")


def _is_absolute(url: str) -> bool:
    return urlsplit(url).scheme in {"http", "https", "mailto"}
