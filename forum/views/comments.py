"""A comment's page, and writing, editing and deleting comments."""

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.content import comment_service, edit_conflicts
from forum.errors import AlreadySent, EditConflict, Gone
from forum.forms import comments as forms
from forum.forms.comments import CommentEditForm, CommentForm
from forum.forms.fields import EDIT_CONFLICT
from forum.identity.viewers import member, moderates_post, viewer
from forum.inbox import unread, watches
from forum.models import Comment, Post
from forum.queries.threads import comment_page, page_that_shows
from forum.rendering import thread_html, thread_pages
from forum.rendering.comment_html import view_context
from forum.rendering.previews import preview, throttle_long_text
from forum.rendering.thread_pages import (
    about_comment,
    about_own_comment,
    about_post,
)
from forum.web import drafts, error_responses, inbox_replies
from forum.web.addresses import is_number
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_safe
from forum.web.problems import NOT_SAVED, problem_above_form
from forum.web.redirects import redirect_303
from voting.types.comments import Sort

GONE = gettext_lazy(
    "The post or comment you are replying to is no longer available. You can still copy your text."
)


@require_safe
@about_comment
def comment(request: HttpRequest, post: Post, found: Comment) -> HttpResponse:
    """Show a comment with all replies below it, and the form to reply."""
    sort, after = thread_pages.parse_query(request.GET)
    person = viewer(request)
    moderates = moderates_post(request, post)
    thread = comment_page(
        post,
        found.pk,
        person.id if person else None,
        sort=sort,
        after=after,
        moderates=moderates,
    )
    if thread is None or thread.focus is None:
        raise Gone(found)
    unread.mark_seen(request, post.pk, {found.pk, *thread.selection.ids})
    seen_by = view_context(person, request.get_full_path(), moderates=moderates)
    form = drafts.comment_form(post.pk, found.pk)
    written = drafts.find(request, form) if person else {}
    context = {
        "post": post,
        "comment": found,
        "thread": thread,
        "article": thread_html.render_focus(thread, thread.focus, seen_by),
        "comments": thread_html.render_thread(thread, seen_by),
        "form": CommentForm(initial=written, label=forms.label_of(post, found)),
        "base": found.get_absolute_url(),
        "sort": sort,
        "moderates": moderates,
    }
    return render(request, "comment.html", context)


@require_form
@about_post
@login_required
def write(request: HttpRequest, post: Post) -> HttpResponse:
    """Write a comment on a post, or a reply to the comment `parent`."""
    parent = _parent(request, post)
    label = forms.label_of(post, parent, on_question=_on_question(request))
    if request.method != "POST":
        form = CommentForm(initial=drafts.find(request), label=label)
        return _page(request, post, form, parent)
    if "preview" in request.POST:
        return _preview(request, post, label, parent)
    throttle_long_text(request, request.POST.get("body", ""))
    form = CommentForm(request.POST, label=label)
    if parent and parent.deleted_at:
        form.add_error(None, GONE)
    if not form.is_valid():
        return _page(request, post, form, parent, status=422)
    return _send(request, post, parent, form)


def _on_question(request: HttpRequest) -> bool:
    """Return whether the form is for a comment on the question itself, and not for an answer."""
    return request.GET.get("on") == "question"


def _send(
    request: HttpRequest, post: Post, parent: Comment | None, form: CommentForm
) -> HttpResponse:
    """Save the new comment, or show the form again with the reason why it was not saved."""
    author, page = member(request), partial(_page, request, post, form, parent)
    try:
        newly_watched = watches.begins_to_watch(author, post)
        written = comment_service.submit(
            author=author,
            post=post,
            parent=parent,
            body=form.cleaned_data["body"],
            on_question=_on_question(request),
        )
    except Gone:
        form.add_error(None, GONE)
        return page(status=422)
    except AlreadySent as error:
        saved = error.saved
        address = _address(request, post, saved) if isinstance(saved, Comment) else ""
        return problem_above_form(request, error, page, address)
    except NOT_SAVED as error:
        return problem_above_form(request, error, page)
    if written.deleted_at:
        held = _("Your comment was saved. It waits for a moderator's approval.")
        messages.info(request, held, extra_tags=thread_pages.TALK)
    elif newly_watched:
        thread_pages.add_watching_message(request, post)
    back = inbox_replies.back_to_item(request, written) or _address(request, post, written)
    return redirect_303(back)


@require_form
@about_own_comment
def edit(request: HttpRequest, post: Post, found: Comment) -> HttpResponse:
    """Show the form to edit a comment (GET), and save the comment (POST)."""
    label = _label_of(found)
    initial = {"body": found.body, "seen": edit_conflicts.fingerprint(found)}
    if request.method != "POST":
        form = CommentEditForm(initial=initial | drafts.find(request), label=label)
        return _page(request, post, form, edited=found)
    if "preview" in request.POST:
        return _preview(request, post, label, edited=found)
    throttle_long_text(request, request.POST.get("body", ""))
    form = CommentEditForm(request.POST, initial=initial, label=label)
    if not form.is_valid():
        return _page(request, post, form, edited=found, status=422)
    return _save(request, post, found, form)


def _label_of(found: Comment) -> str:
    return forms.label_of(found.post, found.parent, on_question=not found.is_answer)


def _save(request: HttpRequest, post: Post, found: Comment, form: CommentForm) -> HttpResponse:
    """Save the edited comment, or show the form again with the reason why it was not saved."""
    body, seen = form.cleaned_data["body"], form.cleaned_data["seen"]
    try:
        comment_service.edit(found, by=member(request), body=body, seen=seen)
    except EditConflict:
        return _conflict(request, post, found)
    except NOT_SAVED as error:
        return problem_above_form(request, error, partial(_page, request, post, form, edited=found))
    return redirect_303(_address(request, post, found))


def _conflict(request: HttpRequest, post: Post, found: Comment) -> HttpResponse:
    """Show the form again, with the comment's current text above the form.

    If the person sends the form again, the comment is saved.
    """
    found.refresh_from_db(fields=["body"])
    sent = request.POST.copy()
    sent["seen"] = edit_conflicts.fingerprint(found)
    form = CommentEditForm(sent, label=_label_of(found))
    form.add_error(None, EDIT_CONFLICT)
    return _page(request, post, form, edited=found, status=409, now=found, differs=["body"])


@require_form
@about_own_comment
def delete(request: HttpRequest, post: Post, found: Comment) -> HttpResponse:
    """Ask for confirmation (GET), then delete the comment (POST)."""
    if request.method != "POST":
        return render(request, "comment_delete.html", {"post": post, "comment": found})
    comment_service.delete(found, by=member(request))
    messages.success(request, _("Your comment was deleted."), extra_tags=thread_pages.TALK)
    return redirect_303(f"{post.get_absolute_url()}#comments")


def _parent(request: HttpRequest, post: Post) -> Comment | None:
    """Return the comment that the form replies to; None for a reply to the post itself.

    Raises Http404 if the post has no such comment.
    """
    parent_id = request.POST.get("parent", "") or request.GET.get("parent", "")
    if not parent_id:
        return None
    if not is_number(parent_id):
        raise Http404("no such comment")
    comments = Comment.objects.select_related("author")
    return get_object_or_404(comments, pk=int(parent_id), post=post)


def _preview(
    request: HttpRequest,
    post: Post,
    label: str,
    parent: Comment | None = None,
    edited: Comment | None = None,
) -> HttpResponse:
    written = {name: request.POST.get(name, "") for name in ("body", "seen")}
    shown = preview(request, written["body"])
    if error_responses.FRAGMENT in request.headers:
        return render(request, "partials/preview.html", {"preview": shown})
    form = CommentEditForm(initial=written, label=label)
    return _page(request, post, form, parent, edited, preview=shown)


def _page(
    request: HttpRequest,
    post: Post,
    form: CommentForm,
    parent: Comment | None = None,
    edited: Comment | None = None,
    *,
    status: int = 200,
    **context: object,
) -> HttpResponse:
    context |= {"post": post, "form": form, "parent": parent, "edited": edited}
    context["sort"] = _sort(request)
    context["on_question"] = _on_question(request)
    return render(request, "comment_write.html", context, status=status)


def _sort(request: HttpRequest) -> Sort:
    """Return the sort order of the thread from which the form was opened."""
    sort, _after = thread_pages.parse_query(request.POST or request.GET)
    return sort


def _address(request: HttpRequest, post: Post, written: Comment) -> str:
    """Return the URL of a comment in its thread, in the thread's current sort order.

    If the thread's page doesn't show the comment, return its URL on the page of its parent. If that
    page doesn't show the comment either, return the URL of the comment's own page.
    """
    sort = _sort(request)
    page = page_that_shows(post, written, sort)
    if page is None:
        return written.get_absolute_url()
    return f"{thread_pages.address(page.get_absolute_url(), sort)}#comment-{written.pk}"
