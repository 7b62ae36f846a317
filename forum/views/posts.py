"""A post's own page."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from forum.errors import Gone
from forum.forms import comments as forms
from forum.identity.viewers import is_staff, viewer
from forum.identity.visitors import visitor
from forum.inbox import read_state, unread
from forum.inbox.watches import with_watch
from forum.models import Post
from forum.queries.threads import post_page
from forum.rendering import rows, thread_html, thread_pages
from forum.rendering.comment_html import view_context
from forum.rendering.guest_pages import cached_for_guests
from forum.rendering.rows import Place
from forum.web import drafts
from forum.web.methods import require_safe
from forum.web.redirects import redirect_to_canonical


@require_safe
@cached_for_guests
def post(request: HttpRequest, post_id: int, slug: str = "") -> HttpResponse:
    """Show a post. Any other address of it leads to the one with its present title."""
    person = viewer(request)
    viewer_id = person.id if person else None
    posts = with_watch(Post.objects.all(), viewer_id)
    found = get_object_or_404(posts, pk=post_id)
    if found.deleted_at:
        raise Gone(found)
    if slug != found.slug:
        return redirect_to_canonical(request, found.get_absolute_url())
    sort, after = thread_pages.wanted(request.GET)
    state, thread = post_page(
        found,
        viewer_id,
        sort=sort,
        after=after,
        visitor=visitor(request),
        keep=person is not None and person.keeps_history,
    )
    unread.know(request, state.unread)
    read_state.mark_seen(request, found.pk, {None, *thread.selection.ids})
    staff = is_staff(request)
    seen_by = view_context(person, request.get_full_path(), state.seen_at, staff=staff)
    article = rows.render_article(
        state.row, request, member=bool(person), resting=state.standing is None, place=Place.POST
    )
    context = {
        "post": found,
        "state": state,
        "article": article,
        "resting": state.resting,
        "thread": thread,
        "comments": thread_html.render_thread(thread, seen_by),
        "new_ids": thread_html.new_ids(thread, seen_by),
        "question_comments": thread_html.render_question_comments(thread, seen_by),
        "base": found.get_absolute_url(),
        "sort": sort,
        "staff": staff,
        "may_change": staff or viewer_id == found.author_id,
    }
    return render(request, "post.html", context | _forms(request, found))


def _forms(request: HttpRequest, post: Post) -> dict[str, forms.CommentForm]:
    """Return the form for comments or answers, and for comments on a question a small one."""
    written = _draft(request, drafts.comment_form(post.pk))
    shown = {"form": forms.CommentForm(initial=written, label=forms.label_of(post))}
    if post.kind == Post.Kind.QUESTION:
        remark = _draft(request, drafts.comment_form(post.pk, on_question=True))
        shown["remark_form"] = forms.RemarkForm(initial=remark)
    return shown


def _draft(request: HttpRequest, form: str) -> dict[str, Any]:
    """Return what a member wrote in a form and could not send yet."""
    return drafts.find(request, form) if viewer(request) else {}
