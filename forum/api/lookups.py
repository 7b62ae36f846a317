"""Finds the post, comment or person that a parameter of a request names."""

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from forum.api.auth import Scope
from forum.errors import Gone
from forum.identity import permissions
from forum.identity.viewers import moderates_post, viewer_id
from forum.models import Comment, Post, User
from forum.queries import people
from forum.web.thread_pages import find_surviving


def find_post(post_id: int) -> Post:
    """Return a visible post with its author. Raises Http404 or Gone.

    If the post was merged into another post, returns the other post.
    """
    found = find_surviving(post_id)
    if found.deleted_at:
        raise Gone(found)
    return found


def find_readable_post(request: HttpRequest, post_id: int) -> Post:
    """Return a post that a program may read: its author also reads it while it is withheld.

    So do the post's moderators, with a token for moderation. Raises Http404 or Gone.
    """
    found = find_surviving(post_id)
    if found.deleted_at and not _reads_withheld(request, found, found):
        raise Gone(found)
    return found


def reads_comment(request: HttpRequest, found: Comment) -> bool:
    """The same as `find_readable_post` for a comment: return whether a program may read it."""
    return not found.deleted_at or _reads_withheld(request, found, found.post)


def _reads_withheld(request: HttpRequest, text: Post | Comment, thread: Post) -> bool:
    token = request.token  # type: ignore[attr-defined]
    reader = viewer_id(request)
    if not text.withheld or reader is None:
        return False
    moderates = Scope.MODERATE in token.scopes and moderates_post(request, thread)
    return permissions.may_read_withheld(text.author_id, reader, moderates=moderates)


def find_comment(comment_id: int) -> Comment:
    """Return a comment with its author and post. Raises Http404."""
    comments = Comment.objects.select_related("author", "post", "parent")
    return get_object_or_404(comments, pk=comment_id)


def find_person(name: str) -> User:
    """Return the person with a name. Raises Http404 if there is none.

    Upper and lower case make no difference.
    """
    found = people.find_person(name)
    if found is None:
        raise Http404("no such person")
    return found
