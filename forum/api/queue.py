"""The moderation queue: its items, and decisions about them."""

from typing import Annotated

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Query, Router
from ninja.errors import HttpError

from forum.actions.names import full_name
from forum.actions.policy import policy
from forum.api import queue_schemas
from forum.api.auth import Scope
from forum.api.bodies import Decision
from forum.api.operations import checked, impossible, needs, next_page
from forum.api.parameters import Id
from forum.api.serializers import absolute
from forum.errors import AlreadyDecided, Forbidden
from forum.identity import permissions, roles
from forum.identity.viewers import member
from forum.models import ModAction, QueueItem
from forum.models.deleted_names import name_for_programs
from forum.models.powers import Powers
from forum.moderation.actions import applications
from forum.moderation.joining.forms import ApplicationForm
from forum.moderation.queue import queries, services
from forum.moderation.queue.forms import DecisionForm
from forum.moderation.queue.queries import FlagRow, QueueEntry
from forum.queries import queue as lists
from forum.queries.groups import directory
from forum.queries.queue import CURSOR, QueueCursor
from forum.web import queue_count

Kind = ModAction.Kind
router = Router(tags=["Moderation"])
AfterItem = Annotated[
    str,
    Query(
        pattern=f"^{CURSOR.pattern}$",
        max_length=60,
        description="From the address of the next page.",
    ),
]


@router.get("/queue", **needs(Scope.MODERATE, queue_schemas.QueueItems))
def queue(
    request: HttpRequest,
    group: str = "",
    kind: QueueItem.Kind | None = None,
    decided: bool = False,
    after: AfterItem = "",
) -> queue_schemas.QueueItems:
    """Return a page of the moderation queue: open items by weight, or the latest decisions."""
    person, powers = member(request), _powers(request)
    topic = directory.find(directory.current(group)) if group else None
    if group and (topic is None or not (powers.reads_everything or topic.id in powers.group_ids)):
        raise Http404("no such group")
    if kind is not None and kind not in lists.kinds_for(powers):
        raise Http404("no such kind")
    wanted = lists.visible(powers, policy.get().queue_weight, topic.id if topic else None)
    wanted = lists.only(wanted, kind or "", decided=decided)
    page = queries.page(wanted, powers, person.pk, QueueCursor.parse(after))
    return queue_schemas.QueueItems(
        items=[_item(entry, powers) for entry in page.entries],
        next=next_page(request, after=page.last) if page.last else None,
    )


@router.get("/queue/{item_id}", **needs(Scope.MODERATE, queue_schemas.QueueItem))
def queue_item(request: HttpRequest, item_id: Id) -> queue_schemas.QueueItem:
    """Return an item of the moderation queue."""
    powers = _powers(request)
    return _item(_find(request, item_id, powers), powers)


@router.post("/queue/{item_id}/decide", **needs(Scope.MODERATE, queue_schemas.Decided))
def decide(request: HttpRequest, item_id: Id, body: Decision) -> queue_schemas.Decided:
    """Decide about an item of the moderation queue, with one of its `decisions`."""
    person, powers = member(request), _powers(request)
    entry = _find(request, item_id, powers)
    decision = Kind.REMOVE if body.decision == "reject" else Kind(body.decision)
    _require_possible(entry, decision)
    sent = {"decision": decision, "reason": body.reason, "is_private": body.is_private}
    is_application = decision in applications.DECISIONS
    fields = checked(ApplicationForm(sent) if is_application else DecisionForm(sent))
    del fields["decision"]
    action = services.decide(entry.item, decision, by=person, **fields)
    queue_count.forget(person.pk)
    return queue_schemas.Decided(action=action.pk if action else None)


def _powers(request: HttpRequest) -> Powers:
    """Return the powers of a token's owner. Raises Forbidden unless they may open the queue."""
    powers = roles.powers_of(member(request))
    permissions.require_reading_queue(powers)
    return powers


def _find(request: HttpRequest, item_id: int, powers: Powers) -> QueueEntry:
    """Return an item of the queue. Raises Http404, or Forbidden if the owner may not see it."""
    get_object_or_404(QueueItem, pk=item_id)
    if not queries.may_read(item_id, powers, policy.get().queue_weight):
        raise Forbidden
    (entry,) = queries.entries([item_id], powers, member(request).pk)
    return entry


def _require_possible(entry: QueueEntry, decision: Kind) -> None:
    """Raise an error, with the reason, unless the owner of the token can make a decision now."""
    if entry.item.decided_at:
        raise AlreadyDecided(entry.item.decision)
    if not entry.may_decide:
        raise Forbidden
    # The use case says why nobody decides about their own texts.
    if decision not in entry.decisions and not entry.is_own:
        raise HttpError(409, impossible(decision, entry.decisions))


def _item(entry: QueueEntry, powers: Powers) -> queue_schemas.QueueItem:
    item, text, post, decision = entry.item, entry.text, entry.post, entry.item.decision
    return queue_schemas.QueueItem(
        id=item.pk,
        url=absolute(reverse("queue_item", args=[item.pk])),
        kind=item.kind,
        at=item.created_at,
        weight=item.weight,
        post=post.pk if post else None,
        comment=item.comment_id,
        author=name_for_programs(entry.author.username),
        title=post.title if post else "",
        link=(item.post.url or None) if item.post else None,
        html=text.body_html if text else "",
        about=_about(item),
        groups=[group.slug for group in entry.groups],
        state="deleted" if entry.is_deleted else entry.withheld or "published",
        held_by=entry.held_by,
        flags=[_flag(row, powers) for row in entry.flags],
        more_flags=entry.more_flags,
        decisions=list(entry.decisions),
        decision=decision.kind if decision else None,
        decided_by=full_name(decision) if decision else None,
        decided_at=item.decided_at,
        reason=decision.reason if decision else "",
    )


def _about(item: QueueItem) -> str:
    if item.person is None:
        return ""
    if item.kind != QueueItem.Kind.APPLICATION:
        return item.person.about
    application = getattr(item.person, "application", None)  # a deleted account has none
    return application.answer if application else ""


def _flag(row: FlagRow, powers: Powers) -> queue_schemas.QueueFlag:
    flag, person = row.flag, row.flag.user
    return queue_schemas.QueueFlag(
        kind=flag.kind,
        words=flag.words,
        weight=flag.weight,
        at=flag.created_at,
        by_rule=person is None,
        by=name_for_programs(person.username) if person and powers.reads_everything else None,
        joined_at=person.date_joined if person else None,
        agreed=row.agreed,
        disagreed=row.disagreed,
        to_admins=flag.to_admins,
    )
