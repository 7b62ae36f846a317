"""A comment's page, and writing, editing and deleting comments."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.actions import comments as comment_actions
from forum.actions import edit_conflicts, unread, watches
from forum.actions.drafts import DraftTarget
from forum.errors import Gone
from forum.identity.viewers import member, moderates_post, viewer
from forum.models import Comment, Post
from forum.queries.threads import comment_page, is_in_thread
from forum.web import (
    drafts,
    error_responses,
    inbox_replies,
    saved_drafts,
    thread_html,
    thread_pages,
)
from forum.web.addresses import is_number
from forum.web.forms import comments as forms
from forum.web.forms.comments import CommentEditForm, CommentForm
from forum.web.login_required import login_required_to_send
from forum.web.methods import require_form, require_safe
from forum.web.previews import preview
from forum.web.redirects import redirect_303
from forum.web.thread_pages import about_comment, about_own_comment, about_post
from forum.web.undo_buttons import with_undo
from forum.web.writing import Writing
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
    seen_by = thread_pages.seen_by(request, thread, moderates=moderates)
    saved = saved_drafts.in_thread(request, post)
    of_form = drafts.in_thread(request, saved, post.pk, found.pk)
    context = {
        "post": post,
        "comment": found,
        "thread": thread,
        "article": thread_html.render_focus(thread, thread.focus, seen_by),
        "comments": thread_html.render_thread(thread, seen_by),
        "form": CommentForm(initial=of_form.initial, label=forms.label_of(post, found)),
        "drafts": of_form,
        "reply_drafts": saved.of_replies(found.pk),
        "base": found.get_absolute_url(),
        "sort": sort,
        "moderates": moderates,
    }
    return render(request, "comment.html", context)


class CommentWriting(Writing):
    """A request to write or edit a comment."""

    def __init__(self, request: HttpRequest, post: Post) -> None:
        super().__init__(request)
        self.post = post

    def preview(self) -> HttpResponse:
        """Return the page with a preview. JavaScript gets only the preview."""
        written = {name: self.request.POST.get(name, "") for name in ("body", "seen")}
        rendered = preview(self.request, written["body"])
        if error_responses.FRAGMENT in self.request.headers:
            return render(self.request, "partials/preview.html", {"preview": rendered})
        return self.page(self.form(written), preview=rendered)

    def page(self, form: CommentForm, *, status: int = 200, **context: object) -> HttpResponse:
        context |= {"post": self.post, "form": form, "sort": self.sort}
        return render(self.request, "comment_write.html", context, status=status)

    @property
    def sort(self) -> Sort:
        """The sort order of the thread from which the form was opened."""
        sort, _after = thread_pages.parse_query(self.request.POST or self.request.GET)
        return sort

    def address(self, saved: Post | Comment) -> str:
        """Return the URL of a comment in its thread, or of its own page if it isn't shown there."""
        if isinstance(saved, Post) or not is_in_thread(self.post, saved):
            return saved.get_absolute_url()
        thread = thread_pages.address(self.post.get_absolute_url(), self.sort)
        return f"{thread}#comment-{saved.pk}"


class NewComment(CommentWriting):
    """A request to write a comment on a post, or a reply to the comment `parent`."""

    def __init__(self, request: HttpRequest, post: Post) -> None:
        super().__init__(request, post)
        self.parent = _parent(request, post)
        self.on_question = request.GET.get("on") == "question"
        """Whether the form is for a comment on the question itself, and not for an answer."""

    @property
    def target(self) -> DraftTarget:
        return DraftTarget(self.post, self.parent, self.on_question)

    def form(self, initial: dict[str, Any], sent: QueryDict | None = None) -> CommentForm:
        label = forms.label_of(self.post, self.parent, on_question=self.on_question)
        return CommentForm(sent, initial=initial, label=label)

    def is_valid(self, form: CommentForm) -> bool:
        """Return whether the form can be saved. Nobody can reply to a deleted comment."""
        if self.parent and self.parent.deleted_at:
            form.add_error(None, GONE)
        return super().is_valid(form)

    def page(self, form: CommentForm, *, status: int = 200, **context: object) -> HttpResponse:
        context |= {"parent": self.parent, "on_question": self.on_question, "drafts": self.drafts}
        context["nav"] = "write"
        return super().page(form, status=status, **context)

    def save(self, form: CommentForm) -> HttpResponse:
        author = member(self.request)
        newly_watched = watches.begins_to_watch(author, self.post)
        try:
            written = comment_actions.submit(
                author=author,
                post=self.post,
                parent=self.parent,
                body=form.cleaned_data["body"],
                on_question=self.on_question,
            )
        except Gone:
            form.add_error(None, GONE)
            return self.page(form, status=422)
        if written.deleted_at:
            held = _("Your comment was saved. It waits for a moderator's approval.")
            messages.info(self.request, held, extra_tags=thread_pages.TALK)
        elif newly_watched:
            thread_pages.add_watching_message(self.request, self.post)
        item = inbox_replies.back_to_item(self.request, written)
        return redirect_303(item or self.address(written))


class CommentEdit(CommentWriting):
    """A request to edit a comment."""

    def __init__(self, request: HttpRequest, post: Post, comment: Comment) -> None:
        super().__init__(request, post)
        self.comment = comment

    def initial(self) -> dict[str, Any]:
        return {"body": self.comment.body, "seen": edit_conflicts.fingerprint(self.comment)}

    def form(self, initial: dict[str, Any], sent: QueryDict | None = None) -> CommentEditForm:
        on_question = not self.comment.is_answer
        label = forms.label_of(self.post, self.comment.parent, on_question=on_question)
        return CommentEditForm(sent, initial=initial, label=label)

    def reload(self) -> None:
        self.comment.refresh_from_db(fields=["body"])

    def page(self, form: CommentForm, *, status: int = 200, **context: object) -> HttpResponse:
        context["edited"] = self.comment
        if context.pop("conflict", False):
            context |= {"now": self.comment, "differs": form.changed_data}
        return super().page(form, status=status, **context)

    def save(self, form: CommentForm) -> HttpResponse:
        comment_actions.edit(self.comment, by=member(self.request), **form.cleaned_data)
        return redirect_303(self.address(self.comment))


@require_form
@about_post
@login_required_to_send
def write(request: HttpRequest, post: Post) -> HttpResponse:
    """Write a comment on a post, or a reply to the comment `parent`.

    Guests can fill in the form, and log in after they press "Send".
    """
    return NewComment(request, post).respond()


@require_form
@about_own_comment
def edit(request: HttpRequest, post: Post, found: Comment) -> HttpResponse:
    """Show the form to edit a comment (GET), and save the comment (POST)."""
    return CommentEdit(request, post, found).respond()


@require_form
@about_own_comment
def delete(request: HttpRequest, post: Post, found: Comment) -> HttpResponse:
    """Ask for confirmation (GET), then delete the comment (POST)."""
    if request.method != "POST":
        return render(request, "comment_delete.html", {"post": post, "comment": found})
    comment_actions.delete(found, by=member(request))
    undo = reverse("comment_restore", args=[post.pk, found.pk])
    sentence = with_undo(_("Your comment was deleted."), undo)
    messages.success(request, sentence, extra_tags=thread_pages.TALK)
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
