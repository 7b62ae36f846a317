"""Carries out what rules and settings decided about a text: it is logged and put in the queue."""

from typing import Any

from django.utils import timezone

from forum.models import Comment, Flag, ModAction, Post, QueueItem, Rule, User, Withheld
from forum.permissions import groups_of, powers_of
from forum.screening import queue_items
from forum.screening.action_log import record
from forum.screening.rules import Verdict

RULE_WEIGHT = 1.0
"""The weight of a rule's flag: that of one person."""


REPLIES_HELD = Verdict(Rule.Effect.HOLD)
"""The verdict about comments in a thread whose replies moderators hold."""


def fields_of(verdict: Verdict) -> dict[str, Any]:
    """Return the fields with which a text is created: one that is held isn't visible."""
    return {"deleted_at": timezone.now(), "withheld": Withheld.HELD} if verdict.holds else {}


def replies_are_held(post: Post, author: User) -> bool:
    """Return whether a comment waits for approval because moderators hold a thread's replies.

    Comments by moderators of the post's groups don't. Two queries if replies are held.
    """
    return post.holds_replies and not powers_of(author).moderates_some(groups_of(post))


def carry_out(text: Post | Comment, verdict: Verdict) -> None:
    """Log what happened to a text that was just written, and put it in the queue.

    Call it in the transaction that wrote the text. No query if nothing happens to it.
    """
    if verdict.holds:
        text.withheld_by = hold(text, verdict)
        text.save(update_fields=["withheld_by"])
    elif verdict.flags and verdict.rule:
        flag(text, verdict.rule)


def hold(text: Post | Comment, verdict: Verdict) -> ModAction:
    """Log that a text waits for approval, and put it in the queue. Eight queries at most."""
    rule, group = verdict.rule, verdict.rule.group if verdict.rule else None
    action = record(
        ModAction.Kind.HOLD, text, by=None, rule=rule, group=group, reason=verdict.reason
    )
    queue_items.open_item(text, QueueItem.Kind.HELD)
    return action


def flag(text: Post | Comment, rule: Rule) -> bool:
    """Flag a text for a rule, and return True; False if an open flag of the rule exists."""
    known = queue_items.open_item_of(text)
    if known and known.flags.filter(user=None, words=rule.name).exists():
        return False
    record(ModAction.Kind.FLAG, text, by=None, rule=rule, group=rule.group, reason=rule.message)
    kind = Flag.Kind.OTHER
    queue_items.add_flag(text, by=None, kind=kind, weight=RULE_WEIGHT, words=rule.name)
    return True
