"""Flags, moderation actions and their log."""

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from ninja import Router
from ninja.errors import HttpError

from forum.api import schemas, serializers
from forum.api.auth import Scope
from forum.api.bodies import Moderation, NewBan, NewFlag
from forum.api.lookups import find_comment, find_person, find_post
from forum.api.operations import READS, checked, impossible, needs, next_page
from forum.api.parameters import Before, Id, Name
from forum.identity import roles
from forum.identity.viewers import member
from forum.models import Comment, Flag, ModAction, Post, Withheld
from forum.moderation.actions import sanctions
from forum.moderation.actions import undo as undoing
from forum.moderation.flags import services as flags
from forum.moderation.flags.forms import FlagForm
from forum.moderation.log import queries as log
from forum.moderation.log.entries import Reader
from forum.moderation.log.queries import LogFilter
from forum.moderation.people.forms import BanForm
from forum.moderation.texts import services as moderating
from forum.moderation.texts.forms import ActionForm
from forum.queries.groups import directory
from forum.web.thread_pages import find_surviving

router = Router(tags=["Moderation"])


@router.get("/modlog", response=schemas.Actions, openapi_extra=READS)
def moderation_log(request: HttpRequest, group: str = "", before: Before = None) -> schemas.Actions:
    """Return a page of the moderation log, as guests see it."""
    topic = directory.find(directory.current(group)) if group else None
    if group and topic is None:
        raise Http404("no such group")
    page = log.page(LogFilter(group_id=topic.id if topic else None), Reader(), before)
    return schemas.Actions(
        items=[serializers.action(one) for one in page.entries],
        next=next_page(request, before=page.before) if page.before else None,
    )


@router.post("/posts/{post_id}/flag", **needs(Scope.WRITE, schemas.Done))
def flag_post(request: HttpRequest, post_id: Id, body: NewFlag) -> schemas.Done:
    """Flag a post for the moderators."""
    return _flag(request, find_post(post_id), body)


@router.post("/comments/{comment_id}/flag", **needs(Scope.WRITE, schemas.Done))
def flag_comment(request: HttpRequest, comment_id: Id, body: NewFlag) -> schemas.Done:
    """Flag a comment for the moderators."""
    return _flag(request, find_comment(comment_id), body)


@router.post("/posts/{post_id}/moderate", **needs(Scope.MODERATE, schemas.Done))
def moderate_post(request: HttpRequest, post_id: Id, body: Moderation) -> schemas.Done:
    """Remove, restore, lock or approve a post, and so on."""
    return _moderate(request, find_surviving(post_id), body)


@router.post("/comments/{comment_id}/moderate", **needs(Scope.MODERATE, schemas.Done))
def moderate_comment(request: HttpRequest, comment_id: Id, body: Moderation) -> schemas.Done:
    """Remove, restore or approve a comment, and so on."""
    return _moderate(request, find_comment(comment_id), body)


@router.post("/people/{username}/ban", **needs(Scope.MODERATE, schemas.Done))
def ban(request: HttpRequest, username: Name, body: NewBan) -> schemas.Done:
    """Ban a person from a group or from the site."""
    powers = roles.powers_of(member(request))
    roles.require_moderating(powers)
    sent = {"place": body.group, "days": body.days, "reason": body.reason}
    form = BanForm(sent | {"permanent": body.days is None}, powers=powers)
    reason = checked(form)["reason"]
    sanctions.ban(
        find_person(username), form.group(), by=member(request), reason=reason, until=form.until()
    )
    return schemas.Done()


@router.post("/modlog/{action_id}/undo", **needs(Scope.MODERATE, schemas.Done))
def undo_action(request: HttpRequest, action_id: Id) -> schemas.Done:
    """Undo a moderation action."""
    undoing.undo(get_object_or_404(ModAction, pk=action_id), by=member(request))
    return schemas.Done()


def _flag(request: HttpRequest, target: Post | Comment, body: NewFlag) -> schemas.Done:
    sent = {"kind": body.kind, "words": body.words, "to_admins": body.to_admins}
    fields = checked(FlagForm(sent, in_groups=True))
    kind = Flag.Kind(fields.pop("kind"))
    flags.flag(target, by=member(request), kind=kind, **fields)
    return schemas.Done()


def _moderate(request: HttpRequest, text: Post | Comment, body: Moderation) -> schemas.Done:
    person = member(request)
    powers = roles.powers_of(person)
    moderating.require_acting(text, powers)
    available = moderating.available(text, powers, person.pk)
    if body.action not in available:
        raise HttpError(409, _why_not(text, body.action, available))
    actions = [(name, name) for name in available]
    sent = {"action": body.action, "reason": body.reason, "is_private": body.is_private}
    fields = checked(ActionForm(actions, sent, initial={}))
    moderating.CHOICES[fields.pop("action")].act(text, by=person, **fields)
    return schemas.Done()


def _why_not(text: Post | Comment, action: str, available: list[str]) -> str:
    """Return why a moderator can't do an action now."""
    if action == "remove" and text.withheld == Withheld.REMOVED:
        return _("This was already removed. Nothing was changed.")
    return impossible(action, available)
