"""What posts and comments said before they were edited."""

from dataclasses import dataclass

from django.conf import settings

from forum.models import Comment, Post, Revision

LONGEST = 40_000
"""Characters that a page shows: it makes HTML of them for each reader, who must not wait long."""


@dataclass(frozen=True, slots=True)
class Past:
    """Revisions, newest first, and the id below which the next page goes on, if there is one."""

    revisions: tuple[Revision, ...]
    older: int | None


def past(post: Post, comment: Comment | None, before: int | None) -> Past:
    """Return a page of what a post (no `comment`) or one of its comments said: as many revisions as
    a listing has rows, but no more than `LONGEST` together, unless one has more. One query.
    """
    found = Revision.objects.filter(post=post, comment=comment)
    if before is not None:
        found = found.filter(pk__lt=before)
    read = list(found.order_by("-pk")[: settings.PAGE_SIZE + 1])
    shown, length = read[:1], sum(len(each.body) for each in read[:1])
    for each in read[1 : settings.PAGE_SIZE]:
        length += len(each.body)
        if length > LONGEST:
            break
        shown.append(each)
    return Past(tuple(shown), shown[-1].pk if len(shown) < len(read) else None)
