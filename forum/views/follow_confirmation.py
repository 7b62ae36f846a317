"""Asking a person who has just logged in about the follow that led them there."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html
from django.utils.translation import gettext as _

from forum.identity.viewers import member, subject
from forum.models import User
from forum.social import following
from forum.web import error_responses, pending_follows
from forum.web.form_errors import throttled_form
from forum.web.methods import require_form
from forum.web.pending_follows import FollowWish
from forum.web.redirects import onward, see


@require_form
@login_required
def confirm(request: HttpRequest) -> HttpResponse:
    """Ask whether to follow what was pressed; do so if the answer is yes. Leads to `next` then."""
    back, person = onward(request, "/"), member(request)
    wish = pending_follows.waiting(request, person.pk)
    if wish and request.method != "POST":
        return render(request, "follow_confirm.html", {"wish": wish, "next": back})
    if wish and request.POST.get("answer") == "yes":
        form_error = throttled_form(subject(request), "follow")
        if form_error:
            return form_error.mark(
                error_responses.refuse(request, form_error.status, form_error.sentence)
            )
        _follow(person, wish)
        link = format_html('<a href="{}">{}</a>', wish.followed.get_absolute_url(), wish.name)
        messages.success(request, format_html(_("You now follow {name}."), name=link))
    pending_follows.forget(request)
    return see(back)


def _follow(person: User, wish: FollowWish) -> None:
    if isinstance(wish.followed, User):
        following.follow(person, wish.followed, True)
    else:
        following.follow_group(person, wish.followed, True)
