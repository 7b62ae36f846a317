"""The groups that the form for a post offers as checkboxes."""

from collections.abc import Collection, Mapping

from forum.queries.groups import Topic, directory
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable

MOST = 60
"""The most groups with a checkbox.

On sites with more groups, only the largest groups get a checkbox. People type the names of smaller
groups.
"""


def open_topics() -> dict[str, Topic]:
    """Return the groups that accept new posts. Usually no query, three at most."""
    return {slug: topic for slug, topic in directory.topics().items() if not topic.closed}


def offered(chosen: Collection[str]) -> list[Topic]:
    """Return the groups that get a checkbox, always in the same order. Others that were chosen
    come last.

    Usually no query, three at most. At most one round trip.
    """
    topics, choice = directory.topics(), open_topics()
    names = choice if len(choice) <= MOST else _largest(choice)
    ticked = [slug for slug in chosen if slug in topics]
    return [topics[slug] for slug in dict.fromkeys([*names, *ticked])]


def _largest(topics: Mapping[str, Topic]) -> list[str]:
    """Return the names of the largest groups, ordered by title. One round trip.

    While Redis is unavailable, returns the first groups by title.
    """
    try:
        sizes = get_voting_service().groups.sizes(list(topics))
    except StoreUnavailable:
        return list(topics)[:MOST]
    largest = set(sorted(topics, key=lambda slug: -sizes.get(slug, 0))[:MOST])
    return [slug for slug in topics if slug in largest]
