"""Searching, and saving searches."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.errors import SearchTooSlow
from forum.identity.throttle import Subject, throttle
from forum.identity.viewers import Viewer
from forum.models import Post, SavedSearch, User
from forum.models.managers import TEXTS
from forum.queries.groups import Topic, directory
from forum.search import queries, similar
from forum.search.closest import Closest, closest
from forum.search.conditions import Query, Words
from forum.search.parser import parse
from forum.search.queries import Found, Order
from forum.store import post_cards
from forum.text.search_text import fold
from forum.web.muting import is_unwanted
from voting.errors import Throttled

MOST_SAVED = 50
"""The most searches that a person can save."""
LIFE = 86_400
"""For how many seconds the ids of the posts that are similar to a post are cached."""
FEW = 5
"""The most groups, and the most people, that stand above the results."""
MARKS_BESIDE = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a search: posts, comments, groups and people."""

    query: Query
    matches: Found
    groups: Sequence[Topic] = ()
    """Groups with matching names."""
    people: Sequence[str] = ()
    """The names of people with matching names."""
    closest: Closest | None = None
    """The search that `query` and `matches` are about, if the search itself finds nothing."""


def search(text: str, *, by: Subject, viewer_id: int | None, order: Order) -> Results:
    """Search posts and comments, and count the search for the rate limit.

    Raises Throttled or SearchTooSlow.
    """
    query = parse(text, now=timezone.now(), member=viewer_id is not None)
    if not query.clauses:
        return Results(query, Found())
    throttle(by, "search")
    found = queries.find(query, viewer_id=viewer_id, order=order)
    name = " ".join(words.text for words in query.words)
    return Results(query, found, _groups_named(name), _people_named(query.words))


def search_or_closest(text: str, *, by: Subject, viewer_id: int | None, order: Order) -> Results:
    """Search like `search`. If this finds nothing, search for fewer or simpler words.

    Raises Throttled or SearchTooSlow.
    """
    found = search(text, by=by, viewer_id=viewer_id, order=order)
    if found.matches.hits or not found.query.clauses:
        return found
    close = closest(text, now=timezone.now(), viewer_id=viewer_id, order=order)
    if close is None:
        return found
    return replace(found, query=close.query, matches=close.matches, closest=close)


def similar_posts(post: Post, person: Viewer | None) -> list[Post]:
    """Return posts with similar titles, except those that the viewer mutes or blocks.

    Once a day, and after the title changed, also calls `similar.find`, which on a site with 100,000
    posts takes 10 ms on SQLite and 50 ms on PostgreSQL (median).
    """
    key = f"similar:{post.pk}"
    title, ids = cache.get(key, ("", ()))
    if title != post.title:
        ids = _similar(post.title, besides=post.pk)
        cache.set(key, (post.title, ids), LIFE)
    return _loaded(ids, person)


def similar_titles(title: str, *, by: Viewer, subject: Subject) -> list[Post]:
    """Return posts with titles similar to the title that a person is typing.

    Returns [] if the person asks too often.
    """
    try:
        throttle(subject, "similar")
    except Throttled:
        return []
    return _loaded(_similar(title), by)


def save(*, user: User, name: str, text: str) -> SavedSearch:
    """Save a search. Raises ValidationError if the name is taken or the person saved too many."""
    if SavedSearch.objects.filter(user=user).count() >= MOST_SAVED:
        raise ValidationError(_("You can save at most %(most)s searches.") % {"most": MOST_SAVED})
    if SavedSearch.objects.filter(user=user, name=name).exists():
        raise ValidationError(_("You already have a search with this name."))
    return SavedSearch.objects.create(user=user, name=name, text=text)


def delete(*, user: User, search_id: int) -> None:
    """Delete one of a person's saved searches. Safe to repeat."""
    SavedSearch.objects.filter(user=user, pk=search_id).delete()


def _similar(title: str, *, besides: int = 0) -> list[int]:
    """Return the ids of posts with a similar title; none if this takes too long."""
    try:
        return similar.find(title, besides=besides)
    except SearchTooSlow:
        return []


def _loaded(ids: Sequence[int], person: Viewer | None) -> list[Post]:
    """Return the posts with these ids, except invisible, muted and blocked posts."""
    if not ids:
        return []
    posts = Post.objects.visible().select_related("author").defer(*TEXTS).in_bulk(ids)
    found = [posts[pk] for pk in ids if pk in posts]
    if person is None:
        return found
    cards = ((post, post_cards.card_of(post, post.author)) for post in found)
    return [post for post, card in cards if not is_unwanted(card, person)]


def _groups_named(name: str) -> list[Topic]:
    wanted = fold(name)
    if not wanted:
        return []
    topics = directory.topics().values()
    named = [one for one in topics if wanted in _folded(one.title) or wanted in _folded(one.slug)]
    return named[:FEW]


@lru_cache(maxsize=4_096)
def _folded(name: str) -> str:
    return fold(name)


def _people_named(words: Sequence[Words]) -> list[str]:
    """Return user names that begin with the searched word; [] if the search has several words."""
    if len(words) != 1 or not words[0].text.isprintable():
        return []
    return queries.names_beginning_with(MARKS_BESIDE.sub("", words[0].text), FEW)
