"""Loads the posts and comments that a page of search results shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.safestring import SafeString

from forum.config.hidden_scores import is_hidden
from forum.identity.viewers import Viewer
from forum.models import Comment, Post
from forum.models.managers import TEXTS
from forum.queries.merged_posts import survivors
from forum.search.conditions import Words
from forum.search.highlights import excerpt, marked
from forum.search.queries import Hit
from forum.store import post_cards
from forum.store.post_cards import Card
from forum.text.plain import plain_text
from forum.web import ages
from forum.web.muting import is_muted


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
    """The post, or the comment's post, with the author of the result. Readers can mute these."""


def load(hits: Sequence[Hit], words: Sequence[Words], now: int) -> list[Result]:
    """Return the results of these hits, in their order.

    Leaves out posts and comments that were deleted since the search.
    """
    posts = Post.objects.listed().select_related("author").prefetch_related("groups")
    post_ids = [hit.post_id for hit in hits if not hit.comment_id]
    by_post = posts.defer("body", "search_text").in_bulk(post_ids) if post_ids else {}
    comments = Comment.objects.visible().on_visible_posts().select_related("author", "post")
    comments = comments.defer("body", "search_text", *(f"post__{name}" for name in TEXTS))
    comment_ids = [hit.comment_id for hit in hits if hit.comment_id]
    by_comment = comments.in_bulk(comment_ids) if comment_ids else {}
    merged = [pk for pk, post in by_post.items() if post.merged_into_id]
    remaining = survivors(merged) if merged else {}
    results = []
    for hit in hits:
        if hit.comment_id in by_comment:
            results.append(_comment(by_comment[hit.comment_id], words, now))
        elif not hit.comment_id and (post := by_post.get(hit.post_id)):
            into = remaining.get(hit.post_id)
            if into or not post.deleted_at:
                results.append(_post(post, words, now, into))
    return results


def without_muted(found: Sequence[Result], person: Viewer | None) -> list[Result]:
    """Return the results without posts that a person mutes, and without comments on such posts."""
    return [one for one in found if person is None or not is_muted(one.card, person)]


def _post(post: Post, words: Sequence[Words], now: int, into: Post | None) -> Result:
    return Result(
        title=marked(post.title, words),
        plain_title=post.title,
        address=(into or post).get_absolute_url(),
        domain=post_cards.domain(post.url),
        excerpt=excerpt(plain_text(post.body_html), words),
        author=post.author.username,
        posted_at=post.created_at,
        age=ages.words(ages.bucket(now - post.posted_at)),
        points=None if is_hidden(post.posted_at) else post.points,
        comments=post.comment_count,
        groups=tuple(sorted(group.slug for group in post.groups.all())),
        is_comment=False,
        id=post.pk,
        post_id=post.pk,
        merged_into=into,
        card=post_cards.card_of(post, post.author),
    )


def _comment(comment: Comment, words: Sequence[Words], now: int) -> Result:
    return Result(
        title=marked(comment.post.title, ()),
        plain_title=comment.post.title,
        address=comment.get_absolute_url(),
        domain="",
        excerpt=excerpt(plain_text(comment.body_html), words),
        author=comment.author.username,
        posted_at=comment.created_at,
        age=ages.words(ages.bucket(now - comment.posted_at)),
        points=None if is_hidden(comment.posted_at) else comment.up - comment.down,
        comments=0,
        groups=(),
        is_comment=True,
        id=comment.pk,
        post_id=comment.post_id,
        merged_into=None,
        card=post_cards.card_of(comment.post, comment.author),
    )
