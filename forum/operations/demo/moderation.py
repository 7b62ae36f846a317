"""Adds moderation to the demo content: a queue, a log, a ban, conversations, notes and a rule.

Each step calls the service that a moderator's page would call. Afterwards, the saved times are
moved to the past.
"""

from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Model, QuerySet
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.actions.rule_checks import Screening
from forum.actions.rules import enabled
from forum.actions.visibility import Content
from forum.models import (
    Ban,
    Comment,
    Conversation,
    Flag,
    Group,
    GroupModerator,
    InboxItem,
    Message,
    ModAction,
    ModNote,
    Post,
    QueueItem,
    QueuePlace,
    Rule,
    User,
)
from forum.moderation.actions import (
    appointments,
    bulk,
    decisions,
    removals,
    sanctions,
    threads,
    undo,
    vote_voids,
)
from forum.moderation.actions.bulk_state import progress
from forum.moderation.conversations import services as conversations
from forum.moderation.flags import services as flags
from forum.moderation.people import services as notes
from forum.moderation.rules import services as rules
from forum.operations.demo import content
from forum.operations.demo.content import Step
from forum.operations.demo.conversations import HOUR, PlacedRemark
from forum.operations.demo.inbox_items import read_some
from forum.operations.demo.scene import Scene, moment

DATED: tuple[tuple[type[Model], str], ...] = (
    *((Post, "deleted_at"), (Comment, "deleted_at"), (Conversation, "updated_at")),
    *((Flag, "created_at"), (GroupModerator, "created_at"), (Message, "created_at")),
    *((InboxItem, "created_at"), (InboxItem, "read_at"), (ModNote, "created_at")),
    *((ModAction, "created_at"), (ModAction, "undone_at"), (Rule, "created_at")),
    *((QueueItem, "created_at"), (QueueItem, "decided_at"), (QueuePlace, "decided_at")),
)
"""Columns in which the steps save the current time. `_date_back` moves these times to the past."""


@dataclass(frozen=True, slots=True)
class Case:
    """Data for the demo's moderation steps: saved content, and the results of earlier steps."""

    scene: Scene
    comments: Mapping[str, int]
    """Ids of comments, by the comments' keys."""
    actions: dict[str, ModAction] = field(default_factory=dict)
    """Moderation actions of earlier steps, by the steps' keys."""

    def person(self, name: str) -> User:
        return self.scene.people[name]

    def group(self, step: Step) -> Group | None:
        """Return the acting moderator's group; None for a site moderator."""
        return self.scene.groups[step.group] if step.group else None

    def post(self, step: Step) -> Post:
        """Read from SQL the post on which a moderation step acts."""
        return Post.objects.get(pk=self.scene.posts[step.post].pk)

    def text(self, step: Step) -> Content:
        """Read from SQL the post or comment that a moderation action is about."""
        if step.post:
            return self.post(step)
        return Comment.objects.select_related("post").get(pk=self.comments[step.comment])


def moderate(scene: Scene, conversation: Sequence[PlacedRemark]) -> None:
    """Do all moderation actions of the demo, oldest first."""
    comments = {one.remark.key: one.comment.pk for one in conversation if one.remark.key}
    case, last = Case(scene, comments), InboxItem.objects.latest("pk").pk
    began: list[datetime] = []
    steps = content.steps()
    for step in steps:
        began.append(timezone.now())
        action = DO[step.do](case, step)
        if step.key and action:
            case.actions[step.key] = action
    now = timezone.now()
    _date_back(began, [_at(scene, step) if step.hours_ago else now for step in steps])
    read_some(scene, InboxItem.objects.filter(pk__gt=last).select_related("user"))


def _at(scene: Scene, step: Step) -> datetime:
    return moment(scene.now - step.hours_ago * HOUR)


def _date_back(began: Sequence[datetime], at: Sequence[datetime]) -> None:
    """Change the times in SQL, so that the moderation steps seem to have happened in the past.

    `began` lists when each step really began, and `at` lists when it should seem to have happened.
    """
    for model, name in DATED:
        saved: QuerySet[Any] = QuerySet(model)
        rows = list(saved.filter(**{f"{name}__gte": began[0]}))
        for row in rows:
            setattr(row, name, at[bisect(began, getattr(row, name)) - 1])
        saved.bulk_update(rows, [name])


def _appoint(case: Case, step: Step) -> ModAction | None:
    person, by = case.person(step.person), case.person(step.by)
    return appointments.appoint(case.scene.groups[step.group], person, by=by)


def _rule(case: Case, step: Step) -> None:
    rule, by = Rule(group=case.group(step), **content.rule()), case.person(step.by)
    rules.save(rule, by=by)
    rules.set_enabled(rule, True, by=by)
    enabled.forget()  # so that the rule applies within this transaction


def _flag(case: Case, step: Step) -> None:
    kind = Flag.Kind(step.kind)
    flags.flag(case.text(step), by=case.person(step.by), kind=kind, words=step.text)


def _remove(case: Case, step: Step) -> ModAction | None:
    return removals.remove(case.text(step), by=case.person(step.by), reason=step.reason)


def _remove_all(case: Case, step: Step) -> ModAction | None:
    """Remove everything that a person wrote, all at once instead of in the worker."""
    person = case.person(step.person)
    action = bulk.remove_everything(
        person,
        group=case.group(step),
        since=person.date_joined,
        until=timezone.now(),
        by=case.person(step.by),
        reason=step.reason,
    )
    while progress(action).is_working:
        bulk.do_batch(action.pk)
        action.refresh_from_db()
    return action


def _dismiss(case: Case, step: Step) -> ModAction | None:
    return decisions.dismiss(case.text(step), by=case.person(step.by), reason=step.reason)


def _lock(case: Case, step: Step) -> ModAction | None:
    kind, by = ModAction.Kind.LOCK, case.person(step.by)
    return threads.set_thread(case.post(step), kind, by=by, reason=step.reason)


def _move(case: Case, step: Step) -> None:
    groups, by = [case.scene.groups[step.group]], case.person(step.by)
    post_actions.regroup(case.post(step), groups, by=by, reason=step.reason)


def _undo(case: Case, step: Step) -> None:
    undo.undo(case.actions[step.undoes], by=case.person(step.by))


def _warn(case: Case, step: Step) -> ModAction | None:
    person, by = case.person(step.person), case.person(step.by)
    return sanctions.warn(person, case.group(step), by=by, reason=step.reason)


def _ban(case: Case, step: Step) -> ModAction | None:
    """Ban a person at a time in the past, for `step.days` days.

    The ban may also end in the past, but the ban service refuses such an end. So save the ban with
    an end in the future, and then correct the end.
    """
    length = timedelta(days=step.days) if step.days else None
    action = sanctions.ban(
        case.person(step.person),
        case.group(step),
        by=case.person(step.by),
        reason=step.reason,
        until=timezone.now() + length if length else None,
    )
    if length:
        until = _at(case.scene, step) + length
        Ban.objects.filter(action=action).update(until=until)
        ModAction.objects.filter(pk=action.pk).update(until=until)
    return action


def _void_votes(case: Case, step: Step) -> ModAction | None:
    """Begin to void all votes of a person. The worker does it."""
    person = case.person(step.person)
    return vote_voids.void_votes(
        [person],
        group=case.group(step),
        since=person.date_joined,
        until=timezone.now(),
        by=case.person(step.by),
        reason=step.reason,
    )


def _note(case: Case, step: Step) -> None:
    person, by = case.person(step.person), case.person(step.by)
    notes.write_note(person, case.group(step), by=by, text=step.text)


def _appeal(case: Case, step: Step) -> None:
    conversations.write_to_moderators(case.person(step.by), case.group(step), body=step.text)


def _answer(case: Case, step: Step) -> None:
    person, by = case.person(step.person), case.person(step.by)
    conversations.write_to_person(person, case.group(step), by=by, body=step.text)


def _close(case: Case, step: Step) -> None:
    found = Conversation.objects.get(user=case.person(step.person), group=case.group(step))
    conversations.close(found, by=case.person(step.by))


def _comment(case: Case, step: Step) -> None:
    """Write a comment on the post, dated now, so that it is the newest in its thread."""
    author, post = case.person(step.by), case.post(step)
    screening = Screening(author)
    comment_actions.write(
        author=author, post=post, parent=None, body=step.text, screening=screening
    )


DO: dict[str, Callable[[Case, Step], ModAction | None]] = {
    "appoint": _appoint,
    "rule": _rule,
    "flag": _flag,
    "remove": _remove,
    "remove_all": _remove_all,
    "dismiss": _dismiss,
    "lock": _lock,
    "move": _move,
    "undo": _undo,
    "warn": _warn,
    "ban": _ban,
    "void_votes": _void_votes,
    "note": _note,
    "appeal": _appeal,
    "answer": _answer,
    "close": _close,
    "comment": _comment,
}
"""The function that carries out each kind of step."""
