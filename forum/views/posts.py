"""A post's page, and editing and deleting posts."""

from dataclasses import replace
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.actions import edit_conflicts, unread
from forum.actions import posts as post_actions
from forum.actions.sentences import why_text_is_withheld
from forum.actions.visits import Visit
from forum.actions.watches import with_watch
from forum.errors import Duplicate, Forbidden, Gone
from forum.identity import permissions
from forum.identity.viewers import (
    Viewer,
    is_staff,
    member,
    moderates_post,
    takes_out_post,
    viewer,
)
from forum.identity.visitors import visitor
from forum.models import Post
from forum.previews import structured_data
from forum.queries import merged_posts
from forum.queries.drafts import with_drafts
from forum.queries.posts import POST, PostState
from forum.queries.threads import ThreadPage, post_page
from forum.search import services as search
from forum.web import drafts, rows, saved_drafts, thread_html, thread_pages
from forum.web.forms import comments as forms
from forum.web.forms.posts import EditForm
from forum.web.guest_pages import cached_for_guests
from forum.web.login_required import login_required
from forum.web.methods import READING, require_form, require_safe
from forum.web.previews import preview
from forum.web.problems import post_of_address
from forum.web.redirects import redirect_303, redirect_to_canonical
from forum.web.rows import Place
from forum.web.thread_pages import AboutPost, ByPost
from forum.web.undo_buttons import with_undo
from forum.web.writing import Writing

TOO_LATE = gettext_lazy(
    "URLs can only be corrected within an hour of posting, so the URL was left "
    "unchanged. Your other changes aren't saved yet: save again."
)


@require_safe
@cached_for_guests
def post(request: HttpRequest, post_id: int, slug: str = "") -> HttpResponse:
    """Show a post with its thread. Redirect if the URL has an old slug."""
    person = viewer(request)
    viewer_id = person.id if person else None
    posts = with_drafts(with_watch(Post.objects.all(), viewer_id), viewer_id)
    found = get_object_or_404(merged_posts.with_absorbs(posts), pk=post_id)
    if (other := merged_posts.surviving(found)) != found:
        return thread_pages.redirect_from_merged(request, found, other.get_absolute_url())
    moderates = moderates_post(request, found)
    _require_readable(found, viewer_id, moderates)
    if slug != found.slug:
        return redirect_to_canonical(request, found.get_absolute_url())
    sort, after = thread_pages.parse_query(request.GET)
    state, thread = post_page(
        found,
        viewer_id,
        sort=sort,
        after=after,
        read=Visit(visitor(request), person is not None and person.keeps_history),
        moderates=moderates,
    )
    state = _with_saved(found, viewer_id, state)
    unread.know(request, state.unread)
    unread.mark_seen(request, found.pk, {None, *thread.selection.ids})
    seen_by = thread_pages.seen_by(request, thread, state, moderates=moderates)
    context = {
        "post": found,
        "state": state,
        "article": _article(request, person, state),
        "thread": thread,
        "comments": thread_html.render_thread(thread, seen_by),
        "new_ids": thread_html.new_ids(thread, seen_by),
        "question_comments": thread_html.render_question_comments(thread, seen_by),
        "base": found.get_absolute_url(),
        "sort": sort,
        "moderates": moderates,
        "flags": seen_by.flags.get(POST),
        "closed": bool(found.deleted_at) or (found.locked and not moderates),
        "own": viewer_id == found.author_id,
        "why_withheld": why_text_is_withheld(found),
        "similar": [] if after else _similar(found, person, state),
        "data": _structured_data(found, person, state, thread),
    }
    return render(request, "post.html", context | _forms(request, found) | _tools(request, found))


def _tools(request: HttpRequest, post: Post) -> dict[str, bool]:
    """Return which links for staff and moderators to show below a post."""
    return {"staff": is_staff(request), "takes_out": takes_out_post(request, post)}


def _with_saved(post: Post, viewer_id: int | None, state: PostState) -> PostState:
    """Mark the post as saved if the viewer saved a post that was merged into it."""
    if viewer_id and merged_posts.is_saved_by_merge(post, viewer_id):
        return replace(state, row=replace(state.row, saved=True))
    return state


def _article(request: HttpRequest, person: Viewer | None, state: PostState) -> SafeString:
    redis_down, member = state.standing is None, person is not None
    return rows.render_article(
        state.row, request, member=member, redis_down=redis_down, place=Place.POST
    )


def _structured_data(
    post: Post, person: Viewer | None, state: PostState, thread: ThreadPage
) -> SafeString | None:
    """Return data about the thread for search engines; None for members, who don't need it."""
    return None if person else structured_data.of_thread(post, state.row, thread)


def _similar(post: Post, person: Viewer | None, state: PostState) -> list[Post]:
    """Return posts with similar titles. Returns none if the post is deleted or Redis is down."""
    if post.deleted_at or state.redis_down:
        return []
    return search.similar_posts(post, person)


def _require_readable(post: Post, viewer_id: int | None, moderates: bool) -> None:
    """Raise Gone if a post was deleted, or if it is withheld and the viewer may not read it."""
    may_read = permissions.may_read_withheld(post.author_id, viewer_id, moderates=moderates)
    if post.deleted_at and not (post.withheld and may_read):
        raise Gone(post)


def _forms(request: HttpRequest, post: Post) -> dict[str, Any]:
    """Return the forms below a post, and their drafts.

    There is one form to comment; below a question there are two, to answer or comment.
    """
    saved = saved_drafts.in_thread(request, post)
    own = drafts.in_thread(request, saved, post.pk)
    form = forms.CommentForm(initial=own.initial, label=forms.label_of(post))
    shown: dict[str, Any] = {"form": form, "drafts": own, "reply_drafts": saved.of_replies()}
    if post.kind == Post.Kind.QUESTION:
        remarks = drafts.in_thread(request, saved, post.pk, on_question=True)
        shown["remark_form"] = forms.RemarkForm(initial=remarks.initial)
        shown["remark_drafts"] = remarks
    return shown


def _for_author(view: AboutPost) -> ByPost:
    """Decorate a view: find the post in the URL and check that the person may change the post.

    A GET for a merged post redirects to the remaining post. A form sent to a merged post applies to
    the remaining post, if the person may change that post. Raises Http404 if there is no such post,
    and Forbidden if the person may not change it. Raises Gone if the post was deleted or merged.
    """

    @require_form
    @login_required
    @wraps(view)
    def checked(request: HttpRequest, post_id: int) -> HttpResponse:
        post = _found(post_id)
        if (other := merged_posts.surviving(post)) != post:
            if request.method in READING:
                return thread_pages.redirect_from_merged(request, post, other.get_absolute_url())
            try:
                permissions.require_change(member(request), other)
            except Forbidden as error:
                raise Gone(post) from error
            post = _found(other.pk)
        permissions.require_change(member(request), post)
        if post.deleted_at:
            raise Gone(post)
        return view(request, post)

    return checked


class PostEdit(Writing):
    """A request to edit a post."""

    def __init__(self, request: HttpRequest, post: Post) -> None:
        super().__init__(request)
        self.post = post
        self.own = post.author_id == member(request).pk

    def initial(self) -> dict[str, Any]:
        post = self.post
        initial: dict[str, Any] = {"title": post.title, "body": post.body, "url": post.url}
        initial["groups"] = [group.slug for group in post.groups.all()]
        return initial | {"seen": edit_conflicts.fingerprint(post)}

    def form(self, initial: dict[str, Any], sent: QueryDict | None = None) -> EditForm:
        correctable = permissions.may_correct_address(member(self.request), self.post)
        kind = self.post.kind
        return EditForm(sent, initial=initial, kind=kind, correctable=correctable, own=self.own)

    def preview(self) -> HttpResponse:
        initial = self.initial()
        written = initial | self.form(initial, self.request.POST).typed
        rendered = preview(self.request, written["body"], written["title"])
        return self.page(self.form(written), preview=rendered)

    def is_valid(self, form: EditForm) -> bool:
        """Return whether the form can be saved. The URL can't be changed after an hour."""
        sent = self.request.POST.get("url", self.post.url)
        if "url" not in form.fields and sent != self.post.url:
            form.add_error(None, TOO_LATE)
        return super().is_valid(form)

    def reload(self) -> None:
        self.post = _found(self.post.pk)

    def save(self, form: EditForm) -> HttpResponse:
        if form.has_changed():
            try:
                post_actions.edit(self.post, by=member(self.request), **form.cleaned_data)
            except Duplicate as duplicate:
                form.add_error("url", _duplicate(duplicate.post))
                return self.page(form, status=409)
            messages.success(self.request, _done(form))
        return redirect_303(self.address(self.post))

    def page(self, form: EditForm, *, status: int = 200, **context: Any) -> HttpResponse:
        context |= {"post": self.post, "form": form, "own": self.own}
        if context.pop("conflict", False):
            context |= {"now": self.post, "differs": form.changed_data}
        return render(self.request, "edit.html", context, status=status)


@_for_author
def edit(request: HttpRequest, post: Post) -> HttpResponse:
    """Show the form to edit a post (GET), and save the post (POST).

    A link's URL can be edited only for an hour after posting.
    """
    return PostEdit(request, post).respond()


def _duplicate(post: Post) -> str:
    """Return the error message that says the link was already posted, with a link to that post."""
    link = format_html('<a href="{}">{}</a>', post.get_absolute_url(), post.title)
    return format_html(_("This link was already posted: {post}"), post=link)


def _done(form: EditForm) -> str:
    """Return the message that says what was changed in the post."""
    if "groups" not in form.changed_data:
        return _("Your changes were saved.")
    groups = {"groups": _(", ").join(group.title for group in form.cleaned_data["groups"])}
    if form.changed_data == ["groups"]:
        return _("The post is now in %(groups)s.") % groups
    return _("Your changes were saved. The post is now in %(groups)s.") % groups


@_for_author
def delete(request: HttpRequest, post: Post) -> HttpResponse:
    """Ask for confirmation (GET), then delete the post (POST).

    If the post was merged meanwhile, ask whether to delete the remaining post.
    """
    if post_of_address(request) != post.pk:
        return redirect_303(reverse("post_delete", args=[post.pk]))
    if request.method != "POST":
        permissions.require_author(member(request), post)
        return render(request, "delete.html", {"post": post})
    post_actions.delete(post, by=member(request))
    sentence = _("“%(title)s” was deleted.") % {"title": post.title}
    messages.success(request, with_undo(sentence, reverse("post_restore", args=[post.pk])))
    return redirect_303(reverse("front"))


def _found(post_id: int) -> Post:
    posts = Post.objects.select_related("author").prefetch_related("groups")
    return get_object_or_404(posts, pk=post_id)
