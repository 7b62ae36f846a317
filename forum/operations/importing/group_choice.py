"""Chooses groups for imported posts: those in the file, or by kind of post and frequent domains."""

from collections import Counter
from collections.abc import Collection, Iterable
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError

from forum.models import Group
from forum.operations.importing.csv_rows import ASK, SHOW, Row
from forum.web.forms.groups import MOST

DOMAINS = 40
"""How many of the most frequent domains get their own group."""
POSTS_OF_A_DOMAIN = 3
"""A domain gets a group only if the file has at least this many posts with the domain."""
LINKS, TEXTS = "links", "texts"
DESCRIPTIONS = {
    SHOW: ("Show", "Things people made themselves, to look at and to try."),
    ASK: ("Ask", "Questions to everyone."),
    LINKS: ("Links", "Pages worth reading elsewhere on the web."),
    TEXTS: ("Texts", "Posts without a link."),
}


def choose_slugs(rows: Collection[Row]) -> dict[Row, tuple[str, ...]]:
    """Return, for each row, the slugs of the groups in which to put its post."""
    named = {row: tuple(group.slug for group in row.groups[:MOST]) for row in rows if row.groups}
    domains = {row: domain(row.url) for row in rows if not row.groups}
    frequent = Counter(filter(None, domains.values())).most_common(DOMAINS)
    chosen = {name for name, posts in frequent if posts >= POSTS_OF_A_DOMAIN}
    return named | {
        row: (_by_type(row), name) if name in chosen else (_by_type(row),)
        for row, name in domains.items()
    }


def count_too_many(rows: Iterable[Row]) -> int:
    """Count the rows with more groups than a post can be in."""
    return sum(len(row.groups) > MOST for row in rows)


def new_group(slug: str, title: str | None) -> Group:
    """Return a new group for a slug from `choose_slugs`. The group isn't saved yet.

    `title` is the group's name in the file, or None if the file doesn't name the group.
    """
    if title is not None:
        return Group(slug=slug, title=title)
    title, description = DESCRIPTIONS.get(slug, (slug, f"Posts that lead to {slug}."))
    return Group(slug=slug, title=title, description=description)


def domain(url: str) -> str:
    """Return the domain of a URL without "www."; "" if the domain can't be a group's slug."""
    name = (urlsplit(url).hostname or "").removeprefix("www.")
    try:
        Group._meta.get_field("slug").run_validators(name)
    except ValidationError:
        return ""
    return name


def _by_type(row: Row) -> str:
    return row.prefix or (LINKS if row.url else TEXTS)
