"""Changing a post: what it says, which groups it is in, and whether it is there."""

from functools import wraps
from typing import Any

from django.contrib import messages
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum import permissions
from forum.content import edit_conflicts, post_service
from forum.content.duplicate_links import Known
from forum.content.edit_conflicts import Overtaken
from forum.content.post_service import Gone
from forum.forms.fields import OVERTAKEN
from forum.forms.posts import EditForm
from forum.identity.viewers import member, subject
from forum.models import Post
from forum.rendering import thread_pages
from forum.rendering.previews import preview, weigh
from forum.rendering.thread_pages import AboutPost, ByPost
from forum.web import drafts
from forum.web.form_errors import throttled_form, unsaved_form
from forum.web.login_required import login_required
from forum.web.methods import require_form
from forum.web.redirects import see

FIELDS = ("title", "url", "body", "seen")
TOO_LATE = gettext_lazy(
    "The address could be corrected for an hour after posting, so it stays as it was. Nothing else"
    " is saved yet: save again."
)


def _for_author(view: AboutPost) -> ByPost:
    """Hand a view the post, if it is there and the person may change it. Three queries."""

    @require_form
    @login_required
    @wraps(view)
    def checked(request: HttpRequest, post_id: int) -> HttpResponse:
        post = _found(post_id)
        permissions.require_change(member(request), post)
        if post.deleted_at:
            return thread_pages.post_gone(request)
        return view(request, post)

    return checked


@_for_author
def edit(request: HttpRequest, post: Post) -> HttpResponse:
    """Show and change title, text and groups, and for an hour a link's address."""
    initial = _initial(post)
    if request.method != "POST":
        return _edit_page(request, post, _form(request, post, initial | drafts.waiting(request)))
    if "preview" in request.POST:
        written = initial | {name: request.POST[name] for name in FIELDS if name in request.POST}
        written["groups"] = request.POST.getlist("groups")
        shown = preview(request, written["body"], written["title"])
        return _edit_page(request, post, _form(request, post, written), preview=shown)
    weigh(request, request.POST.get("body", ""))
    form = _form(request, post, initial, request.POST)
    if "url" not in form.fields and request.POST.get("url", post.url) != post.url:
        form.add_error(None, TOO_LATE)
    if not form.is_valid():
        return _edit_page(request, post, form, status=422)
    return _change(request, post, form) if form.has_changed() else see(post.get_absolute_url())


def _change(request: HttpRequest, post: Post, form: EditForm) -> HttpResponse:
    """Change a post to what a form says, or give it back with the reason why not."""
    try:
        edit_conflicts.check(post, form.cleaned_data["seen"])
        form_error = throttled_form(subject(request), "edit")
        if form_error is None:
            post_service.change(post, **form.cleaned_data, by=member(request))
    except Gone:
        return thread_pages.post_gone(request)
    except Known as other:
        form.add_error("url", _known(other.post))
        return _edit_page(request, post, form, status=409)
    except Overtaken:
        return _overtaken(request, post.pk)
    except OperationalError:
        form_error = unsaved_form(subject(request), "edit")
    if form_error:
        return form_error.mark(_edit_page(request, post, form, form_error=form_error))
    messages.success(request, _done(form))
    return see(post.get_absolute_url())


def _known(post: Post) -> str:
    """Return what to say if another post has the address; the post's title leads to it."""
    link = format_html('<a href="{}">{}</a>', post.get_absolute_url(), post.title)
    return format_html(_("This address is posted already: {post}"), post=link)


def _done(form: EditForm) -> str:
    """Say what a form has changed."""
    if "groups" not in form.changed_data:
        return _("Your changes are saved.")
    groups = {"groups": _(", ").join(group.title for group in form.cleaned_data["groups"])}
    if form.changed_data == ["groups"]:
        return _("The post is now in %(groups)s.") % groups
    return _("Your changes are saved. The post is now in %(groups)s.") % groups


def _overtaken(request: HttpRequest, post_id: int) -> HttpResponse:
    """Give a form back with what the post says now. Saving again then goes through."""
    post = _found(post_id)
    initial, sent = _initial(post), request.POST.copy()
    sent["seen"] = initial["seen"]
    form = _form(request, post, initial, sent)
    form.add_error(None, OVERTAKEN)
    return _edit_page(request, post, form, status=409, now=post, differs=form.changed_data)


@_for_author
def delete(request: HttpRequest, post: Post) -> HttpResponse:
    """Ask first; delete when the answer comes."""
    if request.method != "POST":
        return render(request, "delete.html", {"post": post, "own": _is_own(request, post)})
    post_service.delete(post, by=member(request))
    messages.success(request, _("The post “%(title)s” is deleted.") % {"title": post.title})
    return see(reverse("front"))


def _found(post_id: int) -> Post:
    posts = Post.objects.select_related("author").prefetch_related("groups")
    return get_object_or_404(posts, pk=post_id)


def _initial(post: Post) -> dict[str, Any]:
    """Return what the form of a post begins with."""
    initial: dict[str, Any] = {"title": post.title, "body": post.body, "url": post.url}
    initial["groups"] = [group.slug for group in post.groups.all()]
    return initial | {"seen": edit_conflicts.mark(post)}


def _form(
    request: HttpRequest, post: Post, initial: dict[str, Any], sent: QueryDict | None = None
) -> EditForm:
    correctable = permissions.may_correct_address(member(request), post)
    return EditForm(sent, initial=initial, kind=post.kind, correctable=correctable)


def _edit_page(
    request: HttpRequest, post: Post, form: EditForm, *, status: int = 200, **context: object
) -> HttpResponse:
    context |= {"post": post, "form": form, "own": _is_own(request, post)}
    return render(request, "edit.html", context, status=status)


def _is_own(request: HttpRequest, post: Post) -> bool:
    return post.author_id == member(request).pk
