"""Makes again what is stored of posts and comments besides what people wrote: keys and HTML.

Both follow from rules that change with a new version of the site. Each run may be repeated and
stopped: it writes only what differs, in batches, and leaves alone what somebody changes meanwhile.
"""

from collections.abc import Callable, Sequence

from django.db import transaction
from django.db.models import F

from forum.content.post_service import PostSync
from forum.models import Comment, Post
from forum.queries.batches import batches, each
from forum.queries.people import spelt
from forum.sync import outbox
from forum.text import links, markup, same_page

Progress = Callable[[int], object]
"""Is told how many more rows were looked at."""


def recompute_addresses(progress: Progress) -> int:
    """Give every post the key that the present rules make of its address; return how many changed.

    One query for 500 posts, and one for each that changes. Raises ImproperlyConfigured if the
    rules contradict their own examples.
    """
    same_page.prove(links.RULES, links.key)
    changed = 0
    for some in batches(each(Post.objects.exclude(url=""), "url", "url_key")):
        with transaction.atomic():
            for pk, url, stored in some:
                key = links.key(url)
                if key != stored:
                    changed += Post.objects.filter(pk=pk, url=url).update(url_key=key)
        progress(len(some))
    return changed


def render_texts(progress: Progress) -> int:
    """Store the HTML that the present markup makes of every text; return how many changed.

    One query for 500 texts, one for each that mentions somebody, and one for each that changes.
    The worker syncs changed comments to Redis, which has the newest ones.
    """
    changed = 0
    for model in (Post, Comment):
        for some in batches(each(model.objects.exclude(body=""), "body", "body_html")):
            rendered = ((pk, body, html, markup.render(body, spelt)) for pk, body, html in some)
            stale = [(pk, body, new) for pk, body, html, new in rendered if new != html]
            changed += _store_posts(stale) if model is Post else _store_comments(stale)
            progress(len(some))
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
