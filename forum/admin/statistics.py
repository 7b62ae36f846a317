"""The statistics page for staff. The server draws the charts, without JavaScript."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from forum.queries.statistics import COHORTS, active, retention, waiting, written
from forum.store.service import get_voting_service
from forum.web.methods import require_safe


@require_safe
def statistics(request: HttpRequest) -> HttpResponse:
    """Show statistics of the last 30 days."""
    today = get_voting_service().activity.today()
    here = active(today)
    series = [*here, *written(today)]
    context = admin.site.each_context(request) | {
        "title": _("Statistics"),
        "series": series,
        "rows": zip(series[0].days, zip(*(one.values for one in series), strict=True), strict=True),
        "redis_down": not here,
        "waiting": waiting(),
        "cohorts": retention(today),
        "weeks": range(COHORTS),
    }
    return TemplateResponse(request, "admin/statistics.html", context)
