"""A person's activity calendar, which only they see."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from forum.queries.activity_calendar import calendar_of
from forum.web import profile_pages
from forum.web.login_required import login_required
from forum.web.methods import require_safe


@require_safe
@login_required
def activity(request: HttpRequest, username: str) -> HttpResponse:
    """Show on which days of the last 53 weeks the person was active."""
    person = profile_pages.find_own(request, username)
    context = profile_pages.head_context(request, person, "activity")
    return render(request, "activity.html", context | {"calendar": calendar_of(person.pk)})
