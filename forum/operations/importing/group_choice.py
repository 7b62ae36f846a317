"""Chooses groups for imported posts, by the kind of post and by frequent domains."""

from collections import Counter
from collections.abc import Iterable
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError

from forum.models import Group
from forum.operations.importing.csv_rows import ASK, SHOW, Row

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


def choose_slugs(rows: Iterable[Row]) -> dict[Row, tuple[str, ...]]:
    """Return, for each row, the slugs of the groups in which to put its post."""
    domains = {row: domain(row.url) for row in rows}
    frequent = Counter(filter(None, domains.values())).most_common(DOMAINS)
    chosen = {name for name, posts in frequent if posts >= POSTS_OF_A_DOMAIN}
    return {
        row: (_by_type(row), name) if name in chosen else (_by_type(row),)
        for row, name in domains.items()
    }


def new_group(slug: str) -> Group:
    """Return a new group for a slug from `choose_slugs`. The group isn't saved yet."""
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
