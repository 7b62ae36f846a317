"""Reads the addresses of posts, groups and lists, for search engines.

Each sitemap of posts lists one part of the posts: those in a range of ids. So making a part takes
the same time on a site of any size.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max
from django.db.models.functions import Coalesce, Greatest
from django.urls import reverse

from forum.models import Post
from forum.queries.groups import directory

PART = 5_000
"""The number of ids in one part. A sitemap may list at most 50,000 addresses."""


@dataclass(frozen=True, slots=True)
class Address:
    """The path of a page, and when the page last changed, if known."""

    path: str
    changed_at: datetime | None = None


def count_of_parts() -> int:
    """Return how many parts of the sitemap contain posts. One query."""
    last = Post.objects.aggregate(last=Max("pk"))["last"] or 0
    return -(-last // PART)


def posts(part: int) -> Iterator[Address]:
    """Yield the addresses of the visible posts in one part of the sitemap. One query.

    Parts are numbered from 1.
    """
    start = (part - 1) * PART
    found = Post.objects.visible().filter(pk__gt=start, pk__lte=start + PART).order_by("pk")
    last = Greatest(
        "created_at", Coalesce("edited_at", "created_at"), Coalesce("commented_at", "created_at")
    )
    for post in found.annotate(changed_at=last).only("title"):
        yield Address(post.get_absolute_url(), post.changed_at)


def lists() -> Iterator[Address]:
    """Yield the addresses of the site's lists and groups. Usually no query."""
    for name in ("front", "groups", "leaders", "comments", "about", "modlog"):
        yield Address(reverse(name))
    for order in ("new", "active", "top", "views"):
        yield Address(reverse("listing", args=[order]))
    for slug in directory.topics():
        yield Address(reverse("group", args=[slug]))
