"""Changing a post: what it says, which groups it is in, and whether it is there."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from forum import permissions
from forum.content import publishing
from forum.forms.posts import EditForm, GroupsForm
from forum.models import Post
from forum.pages import drafts, thread_pages
from forum.text import markup
from forum.visiting import pacing

Changing = Callable[[HttpRequest, Post], HttpResponse]
Answering = Callable[[HttpRequest, int], HttpResponse]


def _for_author(view: Changing) -> Answering:
    """Hand a view the post, if it is there and the person may change it. Three queries."""

    @require_http_methods(["GET", "HEAD", "POST"])
    @drafts.or_log_in
    @wraps(view)
    def checked(request: HttpRequest, post_id: int) -> HttpResponse:
        posts = Post.objects.select_related("author").prefetch_related("groups")
        post = get_object_or_404(posts, pk=post_id)
        permissions.require_change(request.user, post)
        if post.deleted_at:
            return thread_pages.post_gone(request)
        return view(request, post)

    return checked


@_for_author
def edit(request: HttpRequest, post: Post) -> HttpResponse:
    """Show and change title and text."""
    initial = {"title": post.title, "body": post.body}
    if request.method != "POST":
        written = initial | drafts.waiting(request)
        return _edit_page(request, post, EditForm(initial=written, kind=post.kind))
    if "preview" in request.POST:
        written = {name: request.POST.get(name, "") for name in initial}
        return _edit_page(request, post, EditForm(initial=written, kind=post.kind), written["body"])
    form = EditForm(request.POST, initial=initial, kind=post.kind)
    if not form.is_valid():
        return _edit_page(request, post, form, status=422)
    return _change(request, post, form) if form.has_changed() else _see(post)


def _change(request: HttpRequest, post: Post, form: EditForm) -> HttpResponse:
    """Change a post to what a form says, or give it back with the reason why not."""
    held = pacing.held(request, "edit")
    try:
        if held is None:
            publishing.edit(post, **form.cleaned_data)
    except OperationalError:
        held = pacing.unsaved(request, "edit")
    if held:
        return held.mark(_edit_page(request, post, form, held=held))
    messages.success(request, _("Your changes are saved."))
    return _see(post)


@_for_author
def delete(request: HttpRequest, post: Post) -> HttpResponse:
    """Ask first; delete when the answer comes."""
    if request.method != "POST":
        return render(request, "delete.html", {"post": post})
    publishing.delete(post)
    messages.success(request, _("The post “%(title)s” is deleted.") % {"title": post.title})
    return HttpResponseRedirect(reverse("front"), status=303)


@_for_author
def regroup(request: HttpRequest, post: Post) -> HttpResponse:
    """Put a post in exactly the chosen groups."""
    if request.method != "POST":
        return render(request, "regroup.html", {"post": post, "form": _groups_form(post)})
    form = GroupsForm(request.POST)
    if not form.is_valid():
        return render(request, "regroup.html", {"post": post, "form": form}, status=422)
    chosen = form.cleaned_data["groups"]
    if set(chosen) != set(post.groups.all()):
        publishing.regroup(post, chosen)
        messages.success(request, _("The post is now in %(groups)s.") % {"groups": _list(chosen)})
    return _see(post)


def _edit_page(
    request: HttpRequest,
    post: Post,
    form: EditForm,
    preview: str | None = None,
    status: int = 200,
    held: pacing.Held | None = None,
) -> HttpResponse:
    context = {"post": post, "form": form, "groups_form": _groups_form(post), "held": held}
    if preview is not None:
        context |= {"preview": markup.render(preview), "previewed": True}
    return render(request, "edit.html", context, status=status)


def _groups_form(post: Post) -> GroupsForm:
    return GroupsForm(initial={"groups": [group.slug for group in post.groups.all()]})


def _list(groups: list[object]) -> str:
    return ", ".join(map(str, groups))


def _see(post: Post) -> HttpResponse:
    return HttpResponseRedirect(post.get_absolute_url(), status=303)
