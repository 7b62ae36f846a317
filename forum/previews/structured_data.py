"""Structured data (schema.org, as JSON-LD) about a thread, for search engines.

A question becomes a QAPage with its answers, any other post becomes a DiscussionForumPosting
with its comments. The data describes only content that the page shows to everybody.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString

from forum.config.hidden_scores import is_hidden
from forum.models import Post
from forum.models.deleted_names import is_deleted, shown_name
from forum.queries.threads import ThreadComment, ThreadPage
from forum.store import post_cards
from forum.text.plain import shortened
from voting.types import Row

MOST = 20
"""Maximum number of comments or answers that are described; search engines use fewer."""
LONGEST = 500
"""Maximum number of characters of each text."""
ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}
"""Inside a script element, `<` could end the element."""


def of_thread(post: Post, row: Row, thread: ThreadPage) -> SafeString:
    """Return the content of a script element that describes a post and its comments."""
    found = _question(post, row, thread) if _is_question(post) else _discussion(post, row, thread)
    data = {"@context": "https://schema.org"} | found
    return SafeString(json.dumps(data, ensure_ascii=False).translate(ESCAPES))


def _is_question(post: Post) -> bool:
    return post.kind == Post.Kind.QUESTION


def _question(post: Post, row: Row, thread: ThreadPage) -> dict[str, Any]:
    answers = [one for one in _top_level(thread) if one.row.is_answer]
    accepted = [one for one in answers if one.row.id == post.accepted_id]
    entity = _about(post, row) | {
        "@type": "Question",
        "name": post.title,
        "answerCount": thread.top_level,
        "suggestedAnswer": [
            _comment(post, one, "Answer") for one in answers if one not in accepted
        ],
    }
    if accepted:
        entity["acceptedAnswer"] = _comment(post, accepted[0], "Answer")
    return {"@type": "QAPage", "mainEntity": entity}


def _discussion(post: Post, row: Row, thread: ThreadPage) -> dict[str, Any]:
    found = _about(post, row) | {
        "@type": "DiscussionForumPosting",
        "headline": post.title,
        "commentCount": post.comment_count,
        "comment": [_comment(post, one, "Comment") for one in _top_level(thread)],
    }
    if post.url:
        found["sharedContent"] = {"@type": "WebPage", "url": post.url}
    return found


def _about(post: Post, row: Row) -> dict[str, Any]:
    """Return the fields of structured data that all posts have, whether questions or not."""
    found = {
        "url": _absolute(post.get_absolute_url()),
        "text": shortened(post.body_html, LONGEST) or post.title,
        "author": _person(post_cards.unpack(row.card).author),
        "datePublished": _time(post.created_at),
        **_votes(row.up, row.down, row.posted_at),
    }
    return found | ({"dateModified": _time(post.edited_at)} if post.edited_at else {})


def _top_level(thread: ThreadPage) -> Iterator[ThreadComment]:
    """Yield the first `MOST` visible comments that reply directly to the post."""
    found = (one for one in thread.comments if one.place.depth == 0 and not one.row.deleted_at)
    for _number, one in zip(range(MOST), found, strict=False):
        yield one


def _comment(post: Post, comment: ThreadComment, kind: str) -> dict[str, Any]:
    row, tally = comment.row, comment.tally
    up, down = (tally.up, tally.down) if tally else (row.up, row.down)
    return {
        "@type": kind,
        "url": _absolute(reverse("comment", args=[post.pk, row.id])),
        "text": shortened(row.body_html, LONGEST),
        "author": _person(row.author),
        "datePublished": _time(row.created_at),
        **_votes(up, down, row.created_at.timestamp()),
    }


def _votes(up: int, down: int, posted_at: float) -> dict[str, int]:
    """Return the numbers of votes; {} while the score is hidden."""
    return {} if is_hidden(posted_at) else {"upvoteCount": up, "downvoteCount": down}


def _person(name: str) -> dict[str, str]:
    if is_deleted(name):
        return {"@type": "Person", "name": shown_name(name)}
    return {"@type": "Person", "name": name, "url": _absolute(reverse("profile", args=[name]))}


def _absolute(path: str) -> str:
    return f"{settings.SITE_URL}{path}"


def _time(at: datetime) -> str:
    return at.isoformat(timespec="seconds")
