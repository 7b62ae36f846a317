"""A person's drafts: the list in their profile, and the button that deletes a draft."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.actions import drafts as draft_actions
from forum.identity.viewers import member
from forum.models import Draft
from forum.queries.drafts import drafts_of
from forum.queries.merged_posts import surviving
from forum.web import profile_pages, saved_drafts
from forum.web.login_required import login_required
from forum.web.methods import require_POST, require_safe
from forum.web.redirects import origin, redirect_303


@dataclass(frozen=True, slots=True)
class DraftRow:
    """A draft in the list, and the URL of its form; "" if its post or comment was deleted."""

    draft: Draft
    url: str


@require_safe
@login_required
def drafts(request: HttpRequest, username: str) -> HttpResponse:
    """Show a person's own drafts, newest first."""
    person = profile_pages.find_own(request, username)
    rows = [DraftRow(draft, _url(draft)) for draft in drafts_of(person.pk)]
    context = profile_pages.head_context(request, person, "drafts")
    context |= {"rows": rows, "days": draft_actions.LIFE.days, "most": draft_actions.MOST}
    return render(request, "drafts.html", context)


@require_POST
@login_required
def delete(request: HttpRequest, key: str) -> HttpResponse:
    """Delete one of the person's drafts."""
    author = member(request)
    draft_actions.delete(author=author, key=key)
    messages.success(request, _("The draft was deleted."))
    return redirect_303(origin(request, reverse("profile_drafts", args=[author.username])))


def _url(draft: Draft) -> str:
    replied = draft.parent
    if draft.post and (surviving(draft.post).deleted_at or (replied and replied.deleted_at)):
        return ""
    return saved_drafts.draft_url(draft)
