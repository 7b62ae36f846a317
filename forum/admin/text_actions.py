"""Admin actions of moderators on chosen posts and comments, each with a reason.

These admin actions call the same functions as the site's pages. The admin actions that remove and
restore are in `forum.admin.deletable`.
"""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from forum.admin.chosen import each, form_page
from forum.errors import AlreadyDecided
from forum.identity.viewers import member, powers
from forum.models import Post
from forum.moderation.actions import merges
from forum.moderation.texts import services
from forum.web.forms.reasons import ReasonForm

Action = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponse | None]


def _with_reason(name: str, label: Any) -> Action:
    """Return an admin action that asks for a reason, then does the action `name` on each object."""

    @admin.action(description=label, permissions=["change"])
    def ask_and_act(
        text_admin: "admin.ModelAdmin[Any]", request: HttpRequest, texts: QuerySet[Any]
    ) -> HttpResponse | None:
        sent = request.POST if "reason" in request.POST else None
        form = ReasonForm(sent, required=services.CHOICES[name].reason)
        if not form.is_valid():
            return form_page(
                text_admin, request, texts.order_by("pk"), form, f"{name}_chosen", label
            )
        by, reason = member(request), form.cleaned_data["reason"]

        def act(text: Any) -> None:
            if name not in services.available(text, powers(request), by.pk):
                raise AlreadyDecided(text.withheld_by)
            services.CHOICES[name].act(text, by=by, reason=reason)

        _each_text(request, texts, act)
        return None

    ask_and_act.__name__ = f"{name}_chosen"
    return ask_and_act


approve_chosen = _with_reason("approve", _("Approve"))
dismiss_chosen = _with_reason("dismiss", _("Dismiss flags"))
lock_chosen = _with_reason("lock", _("Lock the threads"))
unlock_chosen = _with_reason("unlock", _("Unlock the threads"))
hold_replies_chosen = _with_reason("hold_replies", _("Hold replies for approval"))
release_replies_chosen = _with_reason("release_replies", _("Stop holding replies"))
DECISIONS = (approve_chosen, dismiss_chosen)
THREADS = (lock_chosen, unlock_chosen, hold_replies_chosen, release_replies_chosen)


@admin.action(description=_("Merge into the oldest post"), permissions=["change"])
def merge_chosen(
    text_admin: "admin.ModelAdmin[Any]", request: HttpRequest, posts: QuerySet[Post]
) -> HttpResponse | None:
    """Ask for a reason, then merge the chosen posts into the oldest chosen post."""
    form = ReasonForm(request.POST if "reason" in request.POST else None)
    if not form.is_valid():
        label = _("Merge into the oldest post")
        return form_page(text_admin, request, posts.order_by("pk"), form, "merge_chosen", label)
    by, reason = member(request), form.cleaned_data["reason"]
    oldest = posts.order_by("pk")[0]
    others = posts.exclude(pk=oldest.pk)
    _each_text(request, others, lambda post: merges.merge(post, oldest, by=by, reason=reason))
    return None


def _each_text(request: HttpRequest, texts: QuerySet[Any], act: Callable[[Any], object]) -> None:
    """Call `act` for each post or comment. Then show how many succeeded, and which failed."""
    if done := len(each(request, texts.order_by("pk"), act)):
        sentence = ngettext(
            "The action was applied to %(n)d item.",
            "The action was applied to %(n)d items.",
            done,
        )
        messages.success(request, sentence % {"n": done})
