"""Carries out verdicts, which are decisions to publish, flag or hold a post or comment."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_noop

from forum.actions import queue_items
from forum.actions.action_log import record
from forum.actions.rules import Verdict
from forum.identity.roles import governing_ids, powers_of
from forum.models import Comment, Flag, ModAction, Post, QueueItem, Rule, User, Withheld

RULE_WEIGHT = 1.0
"""The weight of a flag that comes from an automatic rule."""


def fields_of(verdict: Verdict) -> dict[str, Any]:
    """Return the fields to set on a new post or comment so that it waits for approval.

    Returns {} if no approval is needed.
    """
    return {"deleted_at": timezone.now(), "withheld": Withheld.HELD} if verdict.holds else {}


def in_thread(post: Post, author: User, verdict: Verdict) -> Verdict:
    """Return a verdict to hold a comment if replies in this thread need approval, else `verdict`.

    Comments need no approval if their author moderates a governing group.
    """
    if verdict.holds or not post.holds_replies:
        return verdict
    if powers_of(author).moderates_some(governing_ids(post)):
        return verdict
    reason = gettext_noop("All replies in this thread need a moderator's approval.")
    return Verdict(Rule.Effect.HOLD, None, reason)


def carry_out(text: Post | Comment, verdict: Verdict) -> None:
    """Carry out the verdict about a new or edited post or comment: log it, and add a queue item.

    Call this function in the transaction that wrote the post or comment.
    """
    if verdict.holds:
        text.withheld_by = hold(text, verdict)
        text.save(update_fields=["withheld_by"])
    elif verdict.flags and verdict.rule:
        flag(text, verdict.rule)


def hold(text: Post | Comment, verdict: Verdict) -> ModAction:
    """Log that a post or comment is held for approval, and add it to the moderation queue."""
    rule, group = verdict.rule, verdict.rule.group if verdict.rule else None
    action = record(
        ModAction.Kind.HOLD, text, by=None, rule=rule, group=group, reason=verdict.reason
    )
    queue_items.open_item(text, QueueItem.Kind.HELD)
    return action


def flag(text: Post | Comment, rule: Rule) -> bool:
    """Flag a post or comment on behalf of a rule.

    Return False, and add no flag, if moderators still have to decide about the rule's first flag.
    """
    known = queue_items.open_item_of(text)
    if known and known.flags.filter(user=None, words=rule.name).exists():
        return False
    record(ModAction.Kind.FLAG, text, by=None, rule=rule, group=rule.group, reason=rule.message)
    kind = Flag.Kind.OTHER
    queue_items.add_flag(text, by=None, kind=kind, weight=RULE_WEIGHT, words=rule.name)
    return True
