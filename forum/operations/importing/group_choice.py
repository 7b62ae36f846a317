"""Decides which groups the rows of a file belong to: their kind, and their domain if common."""

from collections import Counter
from collections.abc import Iterable
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError

from forum.models import Group
from forum.operations.importing.csv_rows import Row

DOMAINS = 40
"""Domains that get a group of their own: the most frequent ones of a file ..."""
POSTS_OF_A_DOMAIN = 3
"""... with at least so many posts."""

SHOW, ASK, LINKS, TEXTS = "show", "ask", "links", "texts"
KINDS = {
    SHOW: ("Show", "Things people made themselves, to look at and to try."),
    ASK: ("Ask", "Questions to everyone."),
    LINKS: ("Links", "Pages worth reading elsewhere on the web."),
    TEXTS: ("Texts", "Posts without a link."),
}


def slugs_of(rows: Iterable[Row]) -> dict[Row, tuple[str, ...]]:
    """Return the short names of every row's groups."""
    domains = {row: domain(row.url) for row in rows}
    common = Counter(filter(None, domains.values())).most_common(DOMAINS)
    kept = {name for name, posts in common if posts >= POSTS_OF_A_DOMAIN}
    return {
        row: (_kind(row), name) if name in kept else (_kind(row),) for row, name in domains.items()
    }


def described(slug: str) -> Group:
    """Return the group of a short name that `slugs_of` gave, not saved."""
    title, description = KINDS.get(slug, (slug, f"Posts that lead to {slug}."))
    return Group(slug=slug, title=title, description=description)


def domain(url: str) -> str:
    """Return the domain of an address where a group can be called so; "" where none can."""
    name = (urlsplit(url).hostname or "").removeprefix("www.")
    try:
        Group._meta.get_field("slug").run_validators(name)
    except ValidationError:
        return ""
    return name


def _kind(row: Row) -> str:
    if row.prefix:
        return SHOW if row.prefix == "show" else ASK
    return LINKS if row.url else TEXTS
