"""Reads the revisions of posts and comments."""

from dataclasses import dataclass

from django.conf import settings

from forum.models import Comment, Post, Revision

LONGEST = 40_000
"""The most characters of text on a page of revisions. The server renders all of the text."""


@dataclass(frozen=True, slots=True)
class RevisionPage:
    """A page of revisions, newest first.

    The next page has ids below `older`, which is None on the last page.
    """

    revisions: tuple[Revision, ...]
    older: int | None


def revision_page(post: Post, comment: Comment | None, before: int | None) -> RevisionPage:
    """Return a page of the revisions of a post, or of one comment on the post. One query.

    A page has at most `LONGEST` characters of text, unless its first revision alone has more.
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
    return RevisionPage(tuple(shown), shown[-1].pk if len(shown) < len(read) else None)
