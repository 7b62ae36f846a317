"""Finds the post, comment or person that a parameter of a request names."""

from django.http import Http404
from django.shortcuts import get_object_or_404

from forum.errors import Gone
from forum.models import Comment, Post, User
from forum.queries import people
from forum.web.thread_pages import surviving


def find_post(post_id: int) -> Post:
    """Return a visible post with its author. Raises Http404 or Gone.

    If the post was merged into another post, returns the other post.
    """
    posts = Post.objects.select_related("author").defer("search_text")
    found = surviving(get_object_or_404(posts, pk=post_id))
    if found.deleted_at:
        raise Gone(found)
    return found


def find_comment(comment_id: int) -> Comment:
    """Return a comment with its post. Raises Http404."""
    return get_object_or_404(Comment.objects.select_related("post", "parent"), pk=comment_id)


def find_person(name: str) -> User:
    """Return the person with a name. Raises Http404 if there is none.

    Upper and lower case make no difference.
    """
    found = people.find_person(name)
    if found is None:
        raise Http404("no such person")
    return found
