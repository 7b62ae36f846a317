"""Writing, reading, changing and deleting a comment."""

from django.contrib import messages
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.content import comment_service, edit_conflicts
from forum.content.edit_conflicts import Overtaken
from forum.content.post_service import Gone
from forum.forms import comments as forms
from forum.forms.comments import CommentEditForm, CommentForm
from forum.forms.fields import OVERTAKEN
from forum.identity.viewers import is_staff, member, subject, viewer
from forum.inbox import read_state, watches
from forum.models import Comment, Post
from forum.queries.repeated_posts import sent_comment
from forum.queries.threads import comment_page, page_that_shows
from forum.rendering import thread_html, thread_pages
from forum.rendering.comment_html import view_context
from forum.rendering.previews import preview, weigh
from forum.rendering.thread_pages import (
    about_comment,
    about_own_comment,
    about_post,
    about_removable_comment,
)
from forum.throttling.throttle import forget_text
from forum.web import drafts, error_responses, inbox_replies
from forum.web.addresses import is_number
from forum.web.form_errors import throttled_form, unsaved_form
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_safe
from forum.web.redirects import see
from voting.types.comments import Sort

GONE = gettext_lazy("What you reply to was deleted meanwhile. Your text is still here.")


@require_safe
@about_comment
def comment(request: HttpRequest, post: Post, found: Comment) -> HttpResponse:
    """Show a comment with the replies below it, and the form for one more."""
    sort, after = thread_pages.wanted(request.GET)
    person = viewer(request)
    thread = comment_page(post, found.pk, person.id if person else None, sort=sort, after=after)
    if thread is None or thread.focus is None:
        return thread_pages.comment_gone(request, post)
    read_state.mark_seen(request, post.pk, {found.pk, *thread.selection.ids})
    staff = is_staff(request)
    seen_by = view_context(person, request.get_full_path(), staff=staff)
    form = drafts.comment_form(post.pk, found.pk)
    written = drafts.waiting(request, form) if person else {}
    context = {
        "post": post,
        "comment": found,
        "thread": thread,
        "article": thread_html.render_focus(thread, thread.focus, seen_by),
        "comments": thread_html.render_thread(thread, seen_by),
        "form": CommentForm(initial=written, label=forms.label_of(post, found)),
        "base": found.get_absolute_url(),
        "sort": sort,
        "staff": staff,
    }
    return render(request, "comment.html", context)


@require_form
@about_post
@login_required
def write(request: HttpRequest, post: Post) -> HttpResponse:
    """Write a comment on a post, or a reply to one of its comments (`parent`)."""
    parent = _parent(request, post)
    label = forms.label_of(post, parent, on_question=_on_question(request))
    if request.method != "POST":
        form = CommentForm(initial=drafts.waiting(request), label=label)
        return _page(request, post, form, parent)
    if "preview" in request.POST:
        return _preview(request, post, label, parent)
    weigh(request, request.POST.get("body", ""))
    form = CommentForm(request.POST, label=label)
    if parent and parent.deleted_at:
        form.add_error(None, GONE)
    if not form.is_valid():
        return _page(request, post, form, parent, status=422)
    return _send(request, post, parent, form)


def _on_question(request: HttpRequest) -> bool:
    """Say whether a form is that for comments on a question, and not for answers."""
    return request.GET.get("on") == "question"


def _send(
    request: HttpRequest, post: Post, parent: Comment | None, form: CommentForm
) -> HttpResponse:
    """Write what a form says, or give it back with the reason why not."""
    author, body = member(request), form.cleaned_data["body"]
    on_question = _on_question(request)
    form_error = throttled_form(subject(request), "comment", body)
    if form_error and form_error.repeated:
        before = sent_comment(author, post, parent, body, on_question=on_question)
        if before:
            form_error = form_error.already_saved_at(_address(request, post, before))
    if form_error:
        return form_error.mark(_page(request, post, form, parent, form_error=form_error))
    try:
        newly_watched = watches.begins_to_watch(author, post)
        written = comment_service.write(
            author=author, post=post, parent=parent, body=body, on_question=on_question
        )
    except Gone:
        forget_text(subject(request), "comment", body)
        form.add_error(None, GONE)
        return _page(request, post, form, parent, status=422)
    except OperationalError:
        form_error = unsaved_form(subject(request), "comment", body)
        return form_error.mark(_page(request, post, form, parent, form_error=form_error))
    if newly_watched:
        thread_pages.say_watched(request, post)
    return see(inbox_replies.back_to_item(request, written) or _address(request, post, written))


@require_form
@about_own_comment
def edit(request: HttpRequest, post: Post, found: Comment) -> HttpResponse:
    """Change what a comment says."""
    label = _label_of(found)
    initial = {"body": found.body, "seen": edit_conflicts.mark(found)}
    if request.method != "POST":
        form = CommentEditForm(initial=initial | drafts.waiting(request), label=label)
        return _page(request, post, form, edited=found)
    if "preview" in request.POST:
        return _preview(request, post, label, edited=found)
    weigh(request, request.POST.get("body", ""))
    form = CommentEditForm(request.POST, initial=initial, label=label)
    if not form.is_valid():
        return _page(request, post, form, edited=found, status=422)
    return _change(request, post, found, form)


def _label_of(found: Comment) -> str:
    return forms.label_of(found.post, found.parent, on_question=not found.is_answer)


def _change(request: HttpRequest, post: Post, found: Comment, form: CommentForm) -> HttpResponse:
    """Change a comment to what a form says, or give it back with the reason why not."""
    body, seen, form_error = form.cleaned_data["body"], form.cleaned_data["seen"], None
    try:
        if form.has_changed():
            edit_conflicts.check(found, seen)
            form_error = throttled_form(subject(request), "edit")
        if form_error is None:
            comment_service.edit(found, body, seen)
    except Gone:
        return thread_pages.comment_gone(request, post)
    except Overtaken:
        return _overtaken(request, post, found)
    except OperationalError:
        form_error = unsaved_form(subject(request), "edit")
    if form_error:
        return form_error.mark(_page(request, post, form, edited=found, form_error=form_error))
    return see(_address(request, post, found))


def _overtaken(request: HttpRequest, post: Post, found: Comment) -> HttpResponse:
    """Give a form back with what the comment says now. Saving again then goes through."""
    found.refresh_from_db(fields=["body"])
    sent = request.POST.copy()
    sent["seen"] = edit_conflicts.mark(found)
    form = CommentEditForm(sent, label=_label_of(found))
    form.add_error(None, OVERTAKEN)
    return _page(request, post, form, edited=found, status=409, now=found, differs=["body"])


@require_form
@about_removable_comment
def delete(request: HttpRequest, post: Post, found: Comment) -> HttpResponse:
    """Ask first; delete when the answer comes."""
    own = found.author_id == member(request).pk
    if request.method != "POST":
        return render(request, "comment_delete.html", {"post": post, "comment": found, "own": own})
    comment_service.delete(found, by=member(request))
    author = {"author": found.author.username}
    others = _("The comment by %(author)s was deleted.") % author
    said = _("Your comment was deleted.") if own else others
    messages.success(request, said, extra_tags=thread_pages.TALK)
    return see(f"{post.get_absolute_url()}#comments")


def _parent(request: HttpRequest, post: Post) -> Comment | None:
    """Return what is replied to, or None for a reply to the post itself. Raises Http404."""
    wanted = request.POST.get("parent", "") or request.GET.get("parent", "")
    if not wanted:
        return None
    if not is_number(wanted):
        raise Http404("no such comment")
    comments = Comment.objects.select_related("author")
    return get_object_or_404(comments, pk=int(wanted), post=post)


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
    """Return how the thread was sorted from which a form was opened, or sent."""
    sort, _after = thread_pages.wanted(request.POST or request.GET)
    return sort


def _address(request: HttpRequest, post: Post, written: Comment) -> str:
    """Return where a comment is in its thread, sorted as the reader had it. If that page is too
    long or too deep to show it: below the comment it replies to, else its own page.
    """
    sort = _sort(request)
    page = page_that_shows(post, written, sort)
    if page is None:
        return written.get_absolute_url()
    return f"{thread_pages.address(page.get_absolute_url(), sort)}#comment-{written.pk}"
