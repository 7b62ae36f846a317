"""The page that lists votes that deserve a look."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from forum.identity.viewers import powers
from forum.moderation.access import site_readers
from forum.moderation.vote_signs import queries
from forum.moderation.vote_signs.search import SPAN
from forum.web.methods import require_safe


@require_safe
@site_readers
def vote_signs(request: HttpRequest) -> HttpResponse:
    """Show what the worker found to site moderators and auditors, but not who voted which way."""
    groups = queries.found_signs(may_void=powers(request).is_site_moderator)
    context = {"groups": groups, "days": SPAN.days, "nav": "queue"}
    return render(request, "moderation/vote_signs.html", context)
