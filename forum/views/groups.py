"""The list of all groups, the page of a group, and pages of combined groups (mixes)."""

from collections.abc import Mapping
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from forum.identity.viewers import viewer
from forum.queries import group_moderators
from forum.queries.groups import Topic, directory
from forum.store.service import get_voting_service
from forum.web import addresses, group_addresses, listing_pages
from forum.web.forms.groups import MOST
from forum.web.guest_pages import cached_for_guests
from forum.web.methods import require_safe
from forum.web.not_found import NoSuchGroup
from forum.web.redirects import redirect_to_canonical
from voting.errors import StoreUnavailable
from voting.types import Operator
from voting.types.follows import ChosenGroups


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Show all groups, their numbers of posts, and which groups the viewer follows or hides."""
    topics, reader = directory.topics(), viewer(request)
    chosen: ChosenGroups | None = None
    sizes: Mapping[str, int | None]
    try:
        sizes, redis_down = get_voting_service().groups.sizes(list(topics)), False
        if reader:
            chosen = get_voting_service().follows.chosen_groups(reader.id)
    except StoreUnavailable:
        sizes, redis_down = dict.fromkeys(topics), True
    groups = [(topic, sizes.get(topic.slug, 0)) for topic in topics.values()]
    shown = {
        "groups": groups,
        "chosen": chosen,
        "examples": _pair(request.GET.get("one", ""), topics),
        "redis_down": redis_down,
        "nav": "groups",
    }
    return render(request, "groups.html", shown)


@require_safe
def combine(request: HttpRequest) -> HttpResponse:
    """Redirect to the page that combines two groups. Raises NoSuchGroup if one is unknown."""
    one, two = (directory.current(request.GET.get(name, "")) for name in ("one", "two"))
    slugs = one, two
    sign = request.GET.get("sign", "")
    expr = (sign if sign in list(Operator) else Operator.ANY).join(slugs)
    if "" in slugs:
        raise NoSuchGroup(reason=group_addresses.why_not(expr))
    group_addresses.find_all(slugs)
    return redirect(addresses.of("group", expr))


@require_safe
@cached_for_guests
def group(request: HttpRequest, expr: str, order: str = "hot") -> HttpResponse:
    """Show the posts of one group or of combined groups.

    Redirects from old names of groups, and from unusual spellings.
    """
    found = group_addresses.find(expr)
    topics, operator = found.topics, found.operator
    base = addresses.of("group", found.expr)
    address = base if order == "hot" else f"{base}{order}"
    if found.renamed:
        return redirect_to_canonical(request, address)
    if str(found.parsed) != expr:
        return redirect_to_canonical(request, address, permanent=True)
    return listing_pages.respond(
        request,
        "group.html",
        base=base,
        family=order,
        group=found.parsed,
        topics=topics,
        operator=operator,
        title=found.title,
        has_partners=len(directory.topics()) > 1,
        moderators=None if operator else group_moderators.names(topics[0].id),
        closed=operator == "" and topics[0].closed,
        submit_to=_submit_to(tuple(one.slug for one in topics if not one.closed), operator),
        nav="group",
    )


def _submit_to(slugs: tuple[str, ...], operator: str) -> str:
    """Return the query string of a submit form in which the groups of a listing are selected.

    Returns "" if the listing shows posts that are in any of its groups, as `books+science` does.
    """
    if operator == Operator.WITHOUT:
        slugs = slugs[:1]
    sure = operator != Operator.ANY and 1 <= len(slugs) <= MOST
    return f"?{urlencode({'group': slugs}, doseq=True)}" if sure else ""


def _pair(first_slug: str, topics: Mapping[str, Topic]) -> list[Topic]:
    """Return two groups, from which the page makes an example of combined groups.

    The group with the slug `first_slug`, if it exists, comes first. Returns fewer groups if the
    site has fewer than two.
    """
    return sorted(topics.values(), key=lambda topic: topic.slug != first_slug)[:2]
