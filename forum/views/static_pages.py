"""The about page and the health check."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString

from forum.ledger import vote_value
from forum.queries.owner_texts import written
from forum.web import ages
from forum.web.methods import require_safe
from voting.types import Formula


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """Explain the site and its ranking with current numbers."""
    rules, votes_per_day = settings.VOTING_RULES, vote_value.votes_per_day()
    shown = {
        "linear": rules.formula is Formula.LINEAR,
        "auto": not vote_value.is_fixed(),
        "votes_per_day": votes_per_day,
        "worth": ages.worth(86_400 / votes_per_day),
        "window": ages.span(rules.window),
        "answer_up": rules.answer_up,
        "answer_down": rules.answer_down,
        "mix_seconds": rules.mix_seconds,
        "own": SafeString(written.get().text("about")),
        "nav": "about",
    }
    return render(request, "about.html", shown)


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Return 200: this process is running."""
    return HttpResponse("ok", content_type="text/plain")
