"""Completes names of people and groups while somebody types, as JSON for the script."""

from collections.abc import Iterable

from django.http import HttpRequest, JsonResponse

from forum.identity.throttle import throttle
from forum.identity.viewers import member_viewer, subject
from forum.queries.group_choices import open_topics
from forum.queries.people import complete_names
from forum.text.usernames import LONGEST
from forum.web.login_required import login_required
from forum.web.methods import require_safe

MOST = 8
"""The most names in a response."""


@require_safe
@login_required
def people(request: HttpRequest) -> JsonResponse:
    """Return the people whose names begin with `q`, first those whom the viewer follows.

    Raises Throttled if the person asks too often.
    """
    throttle(subject(request), "complete")
    begun = request.GET.get("q", "")[:LONGEST]
    names = complete_names(begun, member_viewer(request).id, MOST) if begun else []
    return _options((name, name) for name in names)


@require_safe
@login_required
def groups(request: HttpRequest) -> JsonResponse:
    """Return the groups whose title or short name begins with `q`. No query.

    Raises Throttled if the person asks too often.
    """
    throttle(subject(request), "complete")
    begun = request.GET.get("q", "").casefold()
    topics = open_topics().values()
    fitting = [
        topic
        for topic in topics
        if topic.slug.startswith(begun) or topic.title.casefold().startswith(begun)
    ]
    return _options((topic.slug, topic.title) for topic in fitting[:MOST])


def _options(options: Iterable[tuple[str, str]]) -> JsonResponse:
    """Return pairs of the value to insert and the label to show."""
    return JsonResponse({"options": list(options)})
