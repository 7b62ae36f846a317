"""Loads the posts and comments that a page of search results shows."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import starmap
from typing import NamedTuple

from django.utils.safestring import SafeString

from forum.config.hidden_scores import is_hidden
from forum.identity.viewers import Viewer
from forum.models import Comment, Post
from forum.models.post import slug_of
from forum.queries.merged_posts import survivors
from forum.queries.prepared import PreparedQuery, Rows, as_time, filled, number_blanks, rounded
from forum.search.conditions import Words
from forum.search.highlights import excerpt, marked
from forum.search.queries import Hit
from forum.store.post_cards import Card, domain
from forum.text.plain import plain_text
from forum.web import ages
from forum.web.addresses import address
from forum.web.muting import is_muted


class PostRow(NamedTuple):
    """A post in the results, by its columns in SQL."""

    id: int
    title: str
    url: str
    kind: str
    body_html: str
    created_at: str | datetime
    deleted_at: object
    merged_into_id: int | None
    up: int
    down: int
    starting_points: int
    comment_count: int
    author__username: str


class CommentRow(NamedTuple):
    """A comment in the results, by its columns in SQL."""

    id: int
    post_id: int
    body_html: str
    created_at: str | datetime
    up: int
    down: int
    author__username: str
    post__title: str
    post__url: str
    post__kind: str


@dataclass(frozen=True, slots=True)
class Result:
    """A post or comment in the results."""

    title: SafeString
    """The title of the post, or of the post that the comment is on."""
    plain_title: str
    address: str
    domain: str
    """The host of a link; "" for other posts and for comments."""
    excerpt: SafeString
    author: str
    posted_at: datetime
    age: str
    points: int | None
    """None while the score is hidden."""
    comments: int
    """The number of comments on a post."""
    groups: tuple[str, ...]
    is_comment: bool
    id: int
    """The id of the post or comment."""
    post_id: int
    merged_into: Post | None
    """The post that remains, if moderators merged the post. `address` leads there."""
    card: Card
    """The post, or the comment's post, with the author of the result. Readers can mute these.

    The card of a comment has no slug.
    """


def load(hits: Sequence[Hit], words: Sequence[Words], now: int) -> list[Result]:
    """Return the results of these hits, in their order. Up to three queries.

    Leaves out posts and comments that were deleted since the search.
    """
    post_ids = [hit.post_id for hit in hits if not hit.comment_id]
    comment_ids = [hit.comment_id for hit in hits if hit.comment_id]
    posts = {row.id: row for row in starmap(PostRow, _rows(_posts, post_ids))}
    comments = {row.id: row for row in starmap(CommentRow, _rows(_comments, comment_ids))}
    groups: defaultdict[int, list[str]] = defaultdict(list)
    for post_id, slug in _rows(_groups, post_ids):
        groups[post_id].append(slug)
    merged = [row.id for row in posts.values() if row.merged_into_id]
    remaining = survivors(merged) if merged else {}
    results = []
    for hit in hits:
        if comment := comments.get(hit.comment_id):
            results.append(_comment(comment, words, now))
        elif not hit.comment_id and (post := posts.get(hit.post_id)):
            into = remaining.get(hit.post_id)
            if into or not post.deleted_at:
                results.append(_post(post, groups[hit.post_id], words, now, into))
    return results


@lru_cache
def _posts(most: int) -> PreparedQuery:
    posts = Post.objects.listed().filter(pk__in=number_blanks(most))
    return PreparedQuery(posts.values_list(*PostRow._fields))


@lru_cache
def _comments(most: int) -> PreparedQuery:
    comments = Comment.objects.visible().on_visible_posts().filter(pk__in=number_blanks(most))
    return PreparedQuery(comments.values_list(*CommentRow._fields))


@lru_cache
def _groups(most: int) -> PreparedQuery:
    places = Post.groups.through.objects.filter(post_id__in=number_blanks(most))
    return PreparedQuery(places.values_list("post_id", "group__slug"))


def _rows(query: Callable[[int], PreparedQuery], ids: Sequence[int]) -> Rows:
    """Return the rows with these ids. No query if there are no ids."""
    most = rounded(len(ids))
    return query(most).fetch(filled(ids, most)) if ids else ()


def without_muted(found: Sequence[Result], person: Viewer | None) -> list[Result]:
    """Return the results without posts that a person mutes, and without comments on such posts."""
    return [one for one in found if person is None or not is_muted(one.card, person)]


def _post(
    row: PostRow, groups: Sequence[str], words: Sequence[Words], now: int, into: Post | None
) -> Result:
    at, slug, author = as_time(row.created_at), slug_of(row.title), row.author__username
    posted_at = int(at.timestamp())
    points = row.up - row.down + row.starting_points
    return Result(
        title=marked(row.title, words),
        plain_title=row.title,
        address=into.get_absolute_url() if into else address("post", row.id, slug),
        domain=domain(row.url),
        excerpt=excerpt(plain_text(row.body_html), words),
        author=author,
        posted_at=at,
        age=ages.words(ages.bucket(now - posted_at)),
        points=None if is_hidden(posted_at) else points,
        comments=row.comment_count,
        groups=tuple(sorted(groups)),
        is_comment=False,
        id=row.id,
        post_id=row.id,
        merged_into=into,
        card=Card(row.title, row.url, row.kind, slug, author),
    )


def _comment(row: CommentRow, words: Sequence[Words], now: int) -> Result:
    at, title, author = as_time(row.created_at), row.post__title, row.author__username
    posted_at = int(at.timestamp())
    return Result(
        title=marked(title, ()),
        plain_title=title,
        address=address("comment", row.post_id, row.id),
        domain="",
        excerpt=excerpt(plain_text(row.body_html), words),
        author=author,
        posted_at=at,
        age=ages.words(ages.bucket(now - posted_at)),
        points=None if is_hidden(posted_at) else row.up - row.down,
        comments=0,
        groups=(),
        is_comment=True,
        id=row.id,
        post_id=row.post_id,
        merged_into=None,
        card=Card(title, row.post__url, row.post__kind, "", author),
    )
