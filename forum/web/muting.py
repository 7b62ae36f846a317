"""Removes posts with muted words or domains, and comments on them, from lists."""

from dataclasses import replace
from urllib.parse import urlsplit

from forum.identity.viewers import Viewer
from forum.queries.newest import FlatPage
from forum.store import post_cards
from forum.store.post_cards import Card
from forum.text import terms
from voting.types import Page, Row


def without_muted(page: Page, person: Viewer | None) -> tuple[Page, int]:
    """Return the page without muted posts, and the number of posts removed."""
    if person is None or not (person.muted_words or person.muted_domains):
        return page, 0
    rows, pinned = _unmuted(page.rows, person), _unmuted(page.pinned, person)
    muted = len(page.rows) + len(page.pinned) - len(rows) - len(pinned)
    return replace(page, rows=rows, pinned=pinned), muted


def _unmuted(rows: tuple[Row, ...], person: Viewer) -> tuple[Row, ...]:
    return tuple(row for row in rows if not is_muted(post_cards.unpack(row.card), person))


def is_muted(card: Card, person: Viewer) -> bool:
    """Return whether a post's title has a muted word, or its link leads to a muted domain.

    A person's own posts are never muted.
    """
    return card.author != person.name and _matches(card.title, card.url, person)


def is_unwanted(card: Card, person: Viewer) -> bool:
    """Return whether a person blocks a post's author, or mutes its domain or a title word."""
    return card.author in person.blocked or is_muted(card, person)


def without_muted_comments(flat: FlatPage, person: Viewer | None) -> FlatPage:
    """Return a page of comments without comments on muted posts."""
    if person is None or not (person.muted_words or person.muted_domains):
        return flat
    comments = (
        entry
        for entry in flat.comments
        if entry.post.author_id == person.id
        or not _matches(entry.post.title, entry.post.url, person)
    )
    return replace(flat, comments=tuple(comments))


def _matches(title: str, url: str, person: Viewer) -> bool:
    host = (urlsplit(url).hostname or "") if person.muted_domains else ""
    if host and terms.in_domains(host, person.muted_domains):
        return True
    words = person.muted_words
    return bool(words and terms.compile_terms(words).search(terms.fold(title)))
