"""Decides where links in Markdown lead: to another site, or to a page of this site.

A browser would open `[site](www.example.org)` as a page of this site, so such URLs get a scheme. If
a link can't lead anywhere, such as one with a forbidden scheme, it becomes plain text followed by
its URL.
"""

import re
from collections.abc import Callable, Iterator

from markdown_it.token import Token

from forum.text.hosts import display_host

SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(?!\d+(?:[/?#]|\Z))", re.IGNORECASE)
"""A URL's scheme, such as `https`; `example.org:8080` has none."""
LINKED = frozenset({"http", "https", "mailto"})
SITE = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?P<last>[a-z]{2,63}|xn--[a-z0-9-]+)"
    r"(?::\d+)?(?P<page>[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
FILES = frozenset(
    (
        *("css", "csv", "doc", "docx", "gif", "gz", "htm", "html", "jpeg", "jpg", "js", "json"),
        *("md", "pdf", "php", "png", "py", "sh", "svg", "txt", "xml", "zip"),
    )
)
"""File extensions that aren't read as top-level domains: `[README](README.md)` is not a link."""
HOST = re.compile(r"(\A(?:[a-z]+://|mailto:)(?:[^/?#]*@)?)([^/?#:@]+)", re.IGNORECASE)
JOINERS = str.maketrans("", "", "\u200c\u200d")
"""Invisible characters that Persian and Indian words need."""


def destination(href: str) -> str | None:
    """Return the URL that a link with this `href` leads to; None if no link should be made."""
    if scheme := SCHEME.match(href):
        return href if scheme[1].lower() in LINKED else None
    if href.startswith("//"):
        return f"https:{href}"
    if href.startswith(("/", "#", "?")):
        return href
    site = SITE.fullmatch(href)
    if site and (site["page"] or site["last"].lower() not in FILES):
        return f"https://{href}"
    return None


def display_url(address: str, decoded: str) -> str:
    """Return a URL in the form that readers see.

    `address` is the URL in ASCII, and `decoded` is the URL without percent-encoding. The result is
    `decoded`, or `address` if `decoded` has unprintable characters. A host that imitates another
    name is shown as punycode.
    """
    text = decoded if decoded.translate(JOINERS).isprintable() else address
    host = HOST.match(address)
    if not host or "xn--" not in host[2].lower():
        return text
    return HOST.sub(lambda found: found[1] + display_host(host[2].lower()), text)


def resolve_links(parts: list[Token], spell: Callable[[str], str]) -> list[Token]:
    """Set where each link of a paragraph leads, and return the paragraph's tokens.

    A link with an unusable URL becomes plain text, followed by that URL in parentheses. `spell`
    converts a URL to the form that readers see.
    """
    has_links = any(part.type == "link_open" for part in parts)
    return list(_resolved(parts, spell)) if has_links else parts


def _resolved(parts: list[Token], spell: Callable[[str], str]) -> Iterator[Token]:
    lost: str | None = None
    words: list[str] = []
    for part in parts:
        if part.type == "link_open":
            written = str(part.attrs["href"])
            leads_to = destination(written)
            if leads_to is None:
                lost, words = spell(written), []
                continue
            part.attrs["href"] = leads_to
            if part.info == "auto":
                part.attrSet("dir", "ltr")
        elif part.type == "link_close" and lost is not None:
            if lost and lost not in "".join(words):
                yield Token("text", "", 0, content=f" ({lost})")
            lost = None
            continue
        elif lost is not None:
            words.append(part.content)
        yield part
