"""People as their profiles show them."""

from django.conf import settings
from django.db.models import QuerySet, Value
from django.db.models.functions import Lower

from forum.models import Post, User
from forum.queries.listings import sql_row, with_archived_votes
from forum.store import voting
from voting.errors import StoreUnavailable
from voting.types import Page, Row


def find_person(name: str) -> User | None:
    """Return a person by name, whatever its case. One query, two where the case differs."""
    if not name.isprintable():
        return None
    people = User.objects.alias(small=Lower("username"))  # as the index has it, unlike `iexact`
    return people.filter(username=name).first() or people.filter(small=Lower(Value(name))).first()


def posts_of(person: User, number: int, total: int, *, viewer_id: int | None) -> tuple[Page, bool]:
    """Return a page of a person's posts, newest first, and whether voting rests.

    One query and one round trip; up to three queries more where voting can't tell.
    """
    size = settings.PAGE_SIZE
    start = (number - 1) * size
    ids = list(_posts(person).values_list("pk", flat=True)[start : start + size])
    try:
        rows, resting = _rows(ids, viewer_id), False
    except StoreUnavailable:
        rows, resting = _archived(ids), True
    return Page(rows, number, size, total), resting


def _posts(person: User) -> QuerySet[Post]:
    posts = Post.objects.filter(author=person, deleted_at=None)
    return posts.order_by("-created_at", "-pk")


def _rows(ids: list[int], viewer_id: int | None) -> tuple[Row, ...]:
    """Return rows from voting; posts it has not heard of yet come from the archive."""
    known = with_archived_votes(voting().rows(ids, viewer=viewer_id), viewer_id)
    if len(known) == len(ids):
        return known
    found = {row.id: row for row in (*_archived(ids), *known)}
    return tuple(found[post_id] for post_id in ids if post_id in found)


def _archived(ids: list[int]) -> tuple[Row, ...]:
    """Return rows as the archive knows them. Two queries."""
    posts = Post.objects.select_related("author").prefetch_related("groups").in_bulk(ids)
    return tuple(sql_row(posts[post_id]) for post_id in ids if post_id in posts)
