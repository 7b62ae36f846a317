"""A thread as HTML: its comments in nested lists, each as its reader sees it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import time
from urllib.parse import quote

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from forum.models import Post
from forum.pages import ages, comment_looks, folding
from forum.pages.comment_looks import BODY, Look, Votes
from forum.pages.rows import NEXT, Arrows
from forum.queries.comment_tree import LEVELS
from forum.queries.threads import Line, Said, Talk
from forum.visiting.viewers import Viewer
from voting.types import Ballot
from voting.types.comments import Sort, Tally

REPLIES, END_REPLIES = '<ol class="replies">', "</ol>"
BEGIN, END = "<li><details open>", "</details></li>"


@dataclass(frozen=True, slots=True)
class Sight:
    """Who looks at a thread, and when."""

    viewer: Viewer | None
    next_url: str
    now: int
    seen_at: int | None
    """Seconds since 1970 of the visit before this one."""
    staff: bool
    """Whether they may delete what others wrote."""

    def folds(self, said: Said) -> bool:
        """Say whether they blocked who wrote a comment."""
        blocked = self.viewer is not None and said.author in self.viewer.blocked
        return blocked and said.deleted_at is None


def sight(
    viewer: Viewer | None, next_url: str, seen_at: int | None = None, *, staff: bool
) -> Sight:
    """Return how somebody looks at a thread now; log-in leads back to `next_url`."""
    return Sight(viewer, quote(next_url, safe="/"), int(time()), seen_at, staff)


def thread(talk: Talk, seen_by: Sight) -> SafeString:
    """Return the comments of a page as nested lists, or "" where there are none. No query."""
    return _nested(talk, talk.lines, seen_by)


def remarks(talk: Talk, seen_by: Sight) -> SafeString:
    """Return the comments on a question itself, as `thread` does the others. No query."""
    return _nested(talk, talk.remarks, seen_by)


def _nested(talk: Talk, lines: Sequence[Line], seen_by: Sight) -> SafeString:
    if not lines:
        return SafeString("")
    return SafeString("".join((REPLIES, *_pieces(talk, lines, seen_by), END_REPLIES)))


def single(talk: Talk, line: Line, seen_by: Sight) -> SafeString:
    """Return one comment's `<article>` for a page about it. No query."""
    return SafeString(_article(talk, line, seen_by, focus=True))


def fresh(talk: Talk, seen_by: Sight) -> list[int]:
    """Return which of the shown comments are new since the last visit, as they stand."""
    shown = (*talk.remarks, *talk.lines)
    return [line.said.id for line in shown if _is_fresh(line.said, seen_by)]


def votes_of(ballot: Ballot, author: str) -> SafeString:
    """Return what a vote has changed of a comment, for the script."""
    on, counts = ballot.target, (ballot.up, ballot.down)
    votes = Votes(on.post_id, on.comment_id, author, *counts, ballot.vote, Arrows.MEMBER)
    return SafeString(comment_looks.fragment(votes))


def _pieces(talk: Talk, lines: Sequence[Line], seen_by: Sight) -> Iterator[str]:
    """Yield the HTML of comments in their places; opens and closes lists as levels change."""
    language = get_language() or ""
    tails: list[str] = []
    for line in lines:
        node, said = line.node, line.said
        if 0 < node.depth == len(tails):
            yield REPLIES
        yield from _closed(tails, node.depth)
        yield BEGIN + comment_looks.fold(
            "" if said.deleted_at else said.author,
            node.replies,
            language,
            answer=said.is_answer,
            accepted=talk.post.accepted_id == said.id,
        )
        article = _article(talk, line, seen_by)
        yield folding.comment(article, said.author, language) if seen_by.folds(said) else article
        deep = node.depth + 1 == LEVELS
        tails.append(comment_looks.more(talk.post.pk, node.id, node.hidden, deep, language))
    yield from _closed(tails, 0)


def _closed(tails: list[str], depth: int) -> Iterator[str]:
    """Yield the ends of the comments that are open at `depth` and below, each with its tail."""
    while len(tails) > depth:
        yield tails.pop() + END
        if len(tails) > depth:
            yield END_REPLIES


def _article(talk: Talk, line: Line, seen_by: Sight, *, focus: bool = False) -> str:
    html = comment_looks.article(_look(talk, line, seen_by, focus), get_language() or "")
    body = "" if line.said.deleted_at else line.said.body_html
    return html.replace(NEXT, seen_by.next_url).replace(BODY, body)


def _look(talk: Talk, line: Line, seen_by: Sight, focus: bool) -> Look:
    post, said, node = talk.post, line.said, line.node
    viewer_id = _id(seen_by.viewer)
    posted_at = int(said.created_at.timestamp())
    return Look(
        votes=_votes(post.pk, line, seen_by),
        posted_at=posted_at,
        age=_age(said.created_at, seen_by.now),
        edited=_age(said.edited_at, seen_by.now) if said.edited_at else None,
        parent=_parent(post.pk, node.parent_id, focus),
        next_id=None if focus else node.next_id,
        deleted=said.deleted_at is not None,
        may_edit=said.author_id == viewer_id,
        may_delete=seen_by.staff or said.author_id == viewer_id,
        by_poster=said.author_id == post.author_id,
        question=post.kind == Post.Kind.QUESTION,
        answer=said.is_answer,
        accepted=post.accepted_id == said.id,
        may_accept=said.is_answer and viewer_id == post.author_id,
        fresh=_is_fresh(said, seen_by),
        focus=focus,
        sort="" if talk.sort is Sort.BEST else talk.sort,
    )


def _id(viewer: Viewer | None) -> int | None:
    return viewer.id if viewer else None


def _is_fresh(said: Said, seen_by: Sight) -> bool:
    if seen_by.seen_at is None or said.deleted_at or said.author_id == _id(seen_by.viewer):
        return False
    if seen_by.folds(said):
        return False
    return said.created_at.timestamp() > seen_by.seen_at


def _age(moment: datetime, now: int) -> int:
    return ages.bucket(now - int(moment.timestamp()))


def _parent(post_id: int, parent_id: int | None, focus: bool) -> str:
    if parent_id is None:
        return ""
    return reverse("comment", args=[post_id, parent_id]) if focus else f"#comment-{parent_id}"


def arrows_of(tally: Tally, seen_by: Sight) -> Arrows:
    """Return what the arrows of a comment do."""
    if tally.closes_at is not None and tally.closes_at <= seen_by.now:
        return Arrows.CLOSED
    return Arrows.MEMBER if seen_by.viewer else Arrows.GUEST


def _votes(post_id: int, line: Line, seen_by: Sight) -> Votes:
    said, tally = line.said, line.tally
    if tally is None:
        up, down, arrows = said.up, said.down, Arrows.RESTING
    else:
        up, down, arrows = tally.up, tally.down, arrows_of(tally, seen_by)
    return Votes(post_id, said.id, said.author, up, down, line.vote, arrows)
