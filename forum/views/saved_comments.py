"""Saving comments for later, and the page with a person's saved comments."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from forum.actions import marks
from forum.identity.viewers import member, viewer
from forum.models import Comment
from forum.queries import newest
from forum.web import addresses, comment_html, error_responses, profile_pages, thread_pages
from forum.web.comment_html import view_context
from forum.web.login_required import login_required, to_log_in
from forum.web.methods import require_safe
from forum.web.redirects import origin, redirect_303
from forum.web.switches import switch


@switch
@login_required
def save(request: HttpRequest, post_id: int, comment_id: int, *, on: bool) -> HttpResponse:
    """Save a comment for later, or remove it from the saved comments.

    JavaScript gets the comment's new button.
    """
    comments = Comment.objects.select_related("author", "post")
    comment = thread_pages.find_comment(comments, post_id, comment_id)
    marks.save_comment(member(request), comment, on)
    if error_responses.FRAGMENT in request.headers:
        return HttpResponse(comment_html.render_saved(comment, on))
    back = origin(request, comment.get_absolute_url())
    return redirect_303(f"{back}#comment-{comment.pk}")


@require_safe
def saved(request: HttpRequest, username: str) -> HttpResponse:
    """Show the comments that a person saved."""
    if viewer(request) is None:
        return to_log_in(request)
    person = profile_pages.find_own(request, username)
    before = addresses.before(request.GET)
    flat = newest.saved_by(person, before)
    seen = profile_pages.load(request, person, comments=flat.targets)
    page = newest.with_tallies(flat, seen.tallies, person.pk)
    seen_by = view_context(viewer(request), request.get_full_path())
    context = profile_pages.head_context(request, person, "saved", seen)
    context |= {"flat": page, "before": before}
    context["comments"] = comment_html.render_flat_items(page, seen_by, titles=True)
    return render(request, "saved_comments.html", context)
