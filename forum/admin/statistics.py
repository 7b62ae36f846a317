"""The statistics page for staff. The server draws the charts, without JavaScript."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from forum.queries.statistics import (
    COHORTS,
    active,
    first_midnight,
    retention,
    waiting,
    written,
)
from forum.queries.work_statistics import busy_groups, moderation_numbers
from forum.store.service import get_voting_service
from forum.web import ages
from forum.web.methods import require_safe


@require_safe
def statistics(request: HttpRequest) -> HttpResponse:
    """Show statistics of the last 30 days."""
    today = get_voting_service().activity.today()
    here, since = active(today), first_midnight(today)
    series = [*written(today), *here]
    moderation = moderation_numbers(since)
    typical = moderation.typical_seconds
    context = admin.site.each_context(request) | {
        "title": _("Statistics"),
        "series": series,
        "rows": zip(series[0].days, zip(*(one.values for one in series), strict=True), strict=True),
        "totals": [one.total for one in series],
        "groups": busy_groups(since),
        "moderation": moderation,
        "typical_wait": None if typical is None else ages.worth(typical),
        "redis_down": not here,
        "waiting": waiting(),
        "cohorts": retention(today),
        "weeks": range(COHORTS),
    }
    return TemplateResponse(request, "admin/statistics.html", context)
