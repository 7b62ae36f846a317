"""The moderation queue, and the page of one item."""

from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from forum.actions.policy import policy, reasons
from forum.errors import AlreadyDecided, Forbidden
from forum.identity.viewers import member, powers
from forum.models import ModAction, QueueItem
from forum.models.powers import Powers
from forum.moderation.access import readers_of_queue
from forum.moderation.conversations.queries import open_conversations
from forum.moderation.queue import queries, services
from forum.moderation.queue.forms import DecisionForm
from forum.moderation.results import add_done
from forum.queries import queue as lists
from forum.queries.groups import Topic, directory
from forum.queries.queue import QueueCursor
from forum.web import drafts, queue_count
from forum.web.methods import require_form, require_safe
from forum.web.problems import Problem, problem_above_form
from forum.web.redirects import next_page, redirect_303

DECIDED = "decided"


@require_safe
@readers_of_queue
def queue(request: HttpRequest) -> HttpResponse:
    """Show open items, highest weight first, or decided items."""
    own = powers(request)
    topics, kinds = _topics(own), lists.kinds_for(own)
    group, kind = request.GET.get("group", ""), request.GET.get("kind", "")
    if (group and group not in topics) or (kind and kind not in kinds):
        raise Http404("no such group or kind")
    decided = request.GET.get("state") == DECIDED
    wanted = lists.visible(own, policy.get().queue_weight, topics[group].id if group else None)
    wanted = lists.only(wanted, kind, decided=decided)
    found = queries.page(wanted, own, member(request).pk, _after(request))
    context = {
        "page": found,
        "topics": topics.values(),
        "group": group,
        "kind": kind,
        "kinds": [(one.value, one.label) for one in kinds],
        "decided": decided,
        "policy": policy.get(),
        "reasons": reasons(),
        "names_flaggers": own.reads_everything,
        "conversations": open_conversations(own),
        "nav": "queue",
    }
    return render(request, "moderation/queue.html", context)


def _topics(own: Powers) -> dict[str, Topic]:
    """Map short names to the groups by which the viewer can filter the queue."""
    every, reads = directory.topics(), own.reads_everything
    return {slug: one for slug, one in every.items() if reads or one.id in own.group_ids}


def _after(request: HttpRequest) -> QueueCursor | None:
    """Return the position of the previous page's last item, or None for the first page.

    Reads the query parameter `after`. Raises Http404 if the parameter is invalid.
    """
    text = request.GET.get("after", "")
    if not text:
        return None
    found = QueueCursor.parse(text)
    if found is None:
        raise Http404("no such page")
    return found


@require_form
@readers_of_queue
def item(request: HttpRequest, item_id: int) -> HttpResponse:
    """Show one item (GET), or decide about it (POST)."""
    own = powers(request)
    items = QueueItem.objects.select_related("post", "comment__post", "person")
    found = get_object_or_404(items, pk=item_id)
    if not queries.may_read(item_id, own, policy.get().queue_weight):
        raise Forbidden
    sent = request.POST if request.method == "POST" else None
    form = DecisionForm(sent, initial=drafts.find(request))
    if not form.is_valid():
        return _item_page(request, item_id, own, form)
    decision = ModAction.Kind(form.cleaned_data.pop("decision"))
    try:
        action = services.decide(found, decision, by=member(request), **form.cleaned_data)
    except (AlreadyDecided, Forbidden) as error:
        return problem_above_form(request, error, partial(_item_page, request, item_id, own, form))
    queue_count.forget(member(request).pk)
    if action:
        add_done(request, action)
    return redirect_303(next_page(request, reverse("queue")))


def _item_page(
    request: HttpRequest,
    item_id: int,
    own: Powers,
    form: DecisionForm,
    problem: Problem | None = None,
) -> HttpResponse:
    (entry,) = queries.entries([item_id], own, member(request).pk)
    context: dict[str, Any] = {"entry": entry, "form": form, "reasons": reasons()}
    context |= {"problem": problem, "policy": policy.get()}
    context |= {"names_flaggers": own.reads_everything, "nav": "queue"}
    context["back"] = next_page(request, request.get_full_path())
    status = 422 if form.is_bound else 200
    return render(request, "moderation/queue_item.html", context, status=status)
