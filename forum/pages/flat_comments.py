"""The newest comments as HTML, one after another, each as its reader sees it."""

from collections.abc import Iterator

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from forum.pages import ages, comment_looks, folding
from forum.pages.comment_looks import BODY, FlatLook, Votes
from forum.pages.comment_rows import Sight, arrows_of
from forum.pages.rows import NEXT, Arrows
from forum.queries.newest import Entry, Flat


def items(flat: Flat, seen_by: Sight, *, titles: bool = False, folded: bool = True) -> SafeString:
    """Return the `<li>` of every comment of a page, with the `titles` of their posts where these
    differ. `folded` folds those of people whom the reader blocked. No query.
    """
    return SafeString("".join(_items(flat, seen_by, titles, folded)))


def _items(flat: Flat, seen_by: Sight, titles: bool, folded: bool) -> Iterator[str]:
    language = get_language() or ""
    for entry in flat.entries:
        html = comment_looks.flat(_look(entry, seen_by, titles), language)
        html = html.replace(NEXT, seen_by.next_url).replace(BODY, entry.card.html)
        author = entry.card.author
        blocked = folded and seen_by.viewer is not None and author in seen_by.viewer.blocked
        yield f"<li>{folding.comment(html, author, language) if blocked else html}</li>"


def _look(entry: Entry, seen_by: Sight, titles: bool) -> FlatLook:
    card, tally = entry.card, entry.tally
    edited = card.edited_at
    up, down = (tally.up, tally.down) if tally else (entry.up, entry.down)
    arrows = arrows_of(tally, seen_by) if tally else Arrows.RESTING
    return FlatLook(
        votes=Votes(entry.post.pk, entry.id, card.author, up, down, entry.vote, arrows),
        posted_at=card.posted_at,
        age=ages.bucket(seen_by.now - card.posted_at),
        edited=ages.bucket(seen_by.now - edited) if edited else None,
        parent_id=card.parent_id,
        title=entry.post.title if titles else "",
        address=entry.post.get_absolute_url() if titles else "",
    )
