"""Recomputes the HTML of posts and comments, and the keys that identify the URLs of posts.

Use this after an upgrade that changed how these values are computed. You can stop it at any moment
and start it again. It writes only changed values, and skips texts that somebody edits meanwhile.
"""

from collections.abc import Callable, Sequence

from django.db import transaction
from django.db.models import F

from forum.models import Comment, Post
from forum.queries.batches import batches, each
from forum.queries.people import find_names
from forum.store import outbox
from forum.store.post_sync import PostSync
from forum.text import links, markup

Progress = Callable[[int], object]
"""A function that is called with the number of rows checked since the last call."""


def recompute_addresses(progress: Progress) -> int:
    """Recompute the key of each post's URL, and return how many keys changed."""
    changed = 0
    for rows in batches(each(Post.objects.exclude(url=""), "url", "url_key")):
        with transaction.atomic():
            for pk, url, stored in rows:
                key = links.key(url)
                if key != stored:
                    changed += Post.objects.filter(pk=pk, url=url).update(url_key=key)
        progress(len(rows))
    return changed


def render_texts(progress: Progress) -> int:
    """Render the HTML of all posts and comments again, and return how many changed.

    The worker later syncs changed comments to Redis.
    """
    changed = 0
    for model in (Post, Comment):
        for rows in batches(each(model.objects.exclude(body=""), "body", "body_html")):
            rendered = (
                (pk, body, html, markup.render(body, find_names)) for pk, body, html in rows
            )
            stale = [(pk, body, new) for pk, body, html, new in rendered if new != html]
            changed += _store_posts(stale) if model is Post else _store_comments(stale)
            progress(len(rows))
    return changed


@transaction.atomic
def _store_posts(stale: Sequence[tuple[int, str, str]]) -> int:
    return sum(
        Post.objects.filter(pk=pk, body=body).update(body_html=html) for pk, body, html in stale
    )


@transaction.atomic
def _store_comments(stale: Sequence[tuple[int, str, str]]) -> int:
    changed = 0
    for pk, body, html in stale:
        same = Comment.objects.filter(pk=pk, body=body)
        if same.update(body_html=html, version=F("version") + 1):
            post_id = same.values_list("post_id", flat=True)[0]
            outbox.write(PostSync(post_id, pk))
            changed += 1
    return changed
