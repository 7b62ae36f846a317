"""Searching, and saving searches."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.models import SavedSearch, User
from forum.queries.groups import Topic, directory
from forum.search import queries
from forum.search.conditions import Query, Words
from forum.search.parser import parse
from forum.search.queries import Found, Order
from forum.text.search_text import fold
from forum.throttling.throttle import Subject, throttle

MOST_SAVED = 50
"""The most searches that a person can save."""
FEW = 5
"""The most groups, and the most people, that stand above the results."""


@dataclass(frozen=True, slots=True)
class Results:
    """What a search finds."""

    query: Query
    found: Found
    groups: Sequence[Topic] = ()
    """Groups with matching names."""
    people: Sequence[str] = ()
    """The names of people with matching names."""


def search(text: str, *, by: Subject, viewer_id: int | None, order: Order) -> Results:
    """Search posts and comments, and count the search for the rate limit.

    One round trip, three queries, and one more on PostgreSQL. Raises Throttled or SearchTooSlow.
    """
    query = parse(text, now=timezone.now(), member=viewer_id is not None)
    if not query.clauses:
        return Results(query, Found())
    throttle(by, "search")
    found = queries.find(query, viewer_id=viewer_id, order=order)
    name = " ".join(words.text for words in query.words)
    return Results(query, found, _groups_named(name), _people_named(query.words))


def save(*, user: User, name: str, text: str) -> SavedSearch:
    """Save a search. Raises ValidationError if the name is taken or there are too many."""
    if SavedSearch.objects.filter(user=user).count() >= MOST_SAVED:
        raise ValidationError(_("You can save at most %(most)s searches.") % {"most": MOST_SAVED})
    if SavedSearch.objects.filter(user=user, name=name).exists():
        raise ValidationError(_("You already have a search with this name."))
    return SavedSearch.objects.create(user=user, name=name, text=text)


def delete(*, user: User, search_id: int) -> None:
    """Delete one of a person's saved searches. Safe to repeat."""
    SavedSearch.objects.filter(user=user, pk=search_id).delete()


def _groups_named(name: str) -> list[Topic]:
    wanted = fold(name)
    if not wanted:
        return []
    topics = directory.topics().values()
    named = [one for one in topics if wanted in fold(one.title) or wanted in fold(one.slug)]
    return named[:FEW]


def _people_named(words: Sequence[Words]) -> list[str]:
    """Return the names of people that begin with the only word of a search. One query."""
    if len(words) != 1 or not words[0].text.isprintable():
        return []
    return queries.names_beginning_with(words[0].text.removeprefix("@"), FEW)
