"""HTML of flat views: the newest comments one after another, as one viewer sees them."""

from collections.abc import Iterator

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from forum.queries.newest import FlatComment, FlatPage
from forum.rendering import ages, folding
from forum.rendering.comment_html import (
    BODY,
    CommentVotes,
    FlatCommentView,
    ViewContext,
    arrows_of,
    render_flat_comment,
)
from forum.rendering.rows import NEXT


def render_items(
    page: FlatPage, context: ViewContext, *, titles: bool = False, folded: bool = True
) -> SafeString:
    """Render the `<li>` of every comment of a page, with the `titles` of their posts if wanted.

    `folded` folds comments by people whom the viewer blocked. No query.
    """
    return SafeString("".join(_items(page, context, titles, folded)))


def _items(page: FlatPage, context: ViewContext, titles: bool, folded: bool) -> Iterator[str]:
    language = get_language() or ""
    for comment in page.comments:
        html = render_flat_comment(_view(comment, context, titles), language)
        html = html.replace(NEXT, context.next_url).replace(BODY, comment.card.html)
        author = comment.card.author
        blocked = folded and context.blocks(author)
        yield f"<li>{folding.fold_comment(html, author, language) if blocked else html}</li>"


def _view(comment: FlatComment, context: ViewContext, titles: bool) -> FlatCommentView:
    post, card, tally = comment.post, comment.card, comment.tally
    up, down = (tally.up, tally.down) if tally else (comment.up, comment.down)
    arrows = arrows_of(tally, context)
    return FlatCommentView(
        votes=CommentVotes(post.pk, comment.id, card.author, up, down, comment.vote, arrows),
        posted_at=card.posted_at,
        age=ages.bucket(context.now - card.posted_at),
        edited=ages.bucket(context.now - card.edited_at) if card.edited_at else None,
        parent_id=card.parent_id,
        title=post.title if titles else "",
        address=post.get_absolute_url() if titles else "",
    )
