"""The pages for flagging posts, comments and people, and the list of a person's own flags.

With JavaScript, the form opens within the current page. The views then return only the form.
"""

from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.actions.action_log import Target
from forum.errors import Gone
from forum.identity.viewers import member
from forum.models import Comment, Flag, User
from forum.moderation.flags import queries, services
from forum.moderation.flags.forms import FlagForm
from forum.queries.people import find_person
from forum.web import addresses
from forum.web.error_responses import FRAGMENT
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_POST, require_safe
from forum.web.not_found import NoSuchPerson
from forum.web.problems import Problem, problem_above_form
from forum.web.redirects import next_page, origin, redirect_303, referring_page
from forum.web.thread_pages import find_comment, find_surviving
from voting.errors import Throttled


@require_form
@login_required
def flag_post(request: HttpRequest, post_id: int) -> HttpResponse:
    """Show the form to flag a post (GET), and save the flag (POST)."""
    return _flag(request, find_surviving(post_id))


@require_form
@login_required
def flag_comment(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    """Show the form to flag a comment (GET), and save the flag (POST)."""
    comments = Comment.objects.select_related("author", "post")
    comment = find_comment(comments, post_id, comment_id)
    if comment.post.deleted_at:
        raise Gone(comment.post)
    return _flag(request, comment)


@require_form
@login_required
def flag_person(request: HttpRequest, username: str) -> HttpResponse:
    """Show the form to flag a person (GET), and save the flag (POST)."""
    person = find_person(username)
    if person is None:
        raise NoSuchPerson
    return _flag(request, person)


def _flag(request: HttpRequest, target: Target) -> HttpResponse:
    by, sent = member(request), request.method == "POST"
    services.require_may_flag(target, by=by)
    existing = services.flag_of(target, by)
    form = FlagForm(
        request.POST if sent else None,
        in_groups=not isinstance(target, User),
        auto_id=f"id_flag_{type(target).__name__.lower()}{target.pk}_%s",
    )
    context = {"target": target, "form": form, "flag": existing, "back": _back(request, target)}
    if not form.is_valid():
        return _render(request, "flag", context | _names(target), status=422 if sent else 200)
    try:
        services.flag(target, by=by, **form.cleaned_data)
    except Throttled as error:
        if FRAGMENT in request.headers:
            raise
        page = partial(_render, request, "flag", context | _names(target))
        return problem_above_form(request, error, page)
    if FRAGMENT in request.headers:
        return _render(request, "flag", {"flag": services.flag_of(target, by), "is_new": True})
    messages.success(request, _("Thank you. Moderators will look at your flag."))
    return redirect_303(next_page(request, target.get_absolute_url()))


def _render(
    request: HttpRequest,
    name: str,
    context: dict[str, object],
    *,
    status: int = 200,
    problem: Problem | None = None,
) -> HttpResponse:
    """Return the page with the form, or only the form if JavaScript requested it."""
    part = "flag_form" if FRAGMENT in request.headers else name
    context = context | {"problem": problem}
    return render(request, f"moderation/{part}.html", context, status=status)


def _names(target: Target) -> dict[str, object]:
    if isinstance(target, User):
        return {"person": target}
    return {"comment": target} if isinstance(target, Comment) else {"post": target}


def _back(request: HttpRequest, target: Target) -> str:
    """Return the URL of the page that the person came from, by default the target's page."""
    return next_page(request, referring_page(request, target.get_absolute_url()))


@require_POST
@login_required
def withdraw(request: HttpRequest, flag_id: int) -> HttpResponse:
    """Withdraw the viewer's flag."""
    by = member(request)
    about = ("item__post", "item__comment__post", "item__person")
    found = get_object_or_404(by.flags.select_related(*about), pk=flag_id)
    services.withdraw(found.item.target, by=by)
    messages.success(request, _("Your flag was withdrawn."))
    return redirect_303(origin(request, reverse("flags")))


@require_safe
@login_required
def own_flags(request: HttpRequest) -> HttpResponse:
    """Show the viewer's own flags, and the decisions about them."""
    found = queries.page(member(request).pk, addresses.before(request.GET))
    return render(request, "moderation/flags.html", {"page": found, "Outcome": Flag.Outcome})
