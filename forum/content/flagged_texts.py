"""Automatic rules that count flags: they act when a flag arrives, not when a text is written."""

from collections.abc import Collection

from forum.content import visibility
from forum.content.visibility import Text
from forum.models import ModAction, Post, Rule, Withheld
from forum.permissions import groups_of
from forum.screening import queue_items, rules, verdicts
from forum.screening.action_log import record
from forum.screening.notices import notify
from forum.screening.rules import Writing

About, Effect = Rule.About, Rule.Effect


def screen_flagged(text: Text) -> Rule | None:
    """Let rules that count flags hide or flag a text that somebody has just flagged.

    What moderators have let stand stays visible. Return the rule that did something. Call it in the
    transaction that added the flag, after locking the text (`visibility.lock`). No query if no rule
    counts flags; else three or four, and those of hiding or flagging.
    """
    if text.deleted_at or not rules.counts_flags():
        return None
    group_ids = groups_of(text if isinstance(text, Post) else text.post)
    rule = rules.matching_rule(writing_of(text, group_ids, _people_who_flagged(text)))
    if rule is None:
        return None
    if rule.effect != Effect.HOLD:
        return rule if verdicts.flag(text, rule) else None
    if queue_items.was_let_stand(text):
        return None
    kind, reason = ModAction.Kind.HIDE, rule.message
    action = record(kind, text, by=None, rule=rule, group=rule.group, reason=reason)
    visibility.withhold(text, Withheld.HIDDEN, action)
    notify(action)
    return rule


def writing_of(text: Text, group_ids: Collection[int], flags: int | None = None) -> Writing:
    """Return a saved post or comment as rules see it. Reads its author."""
    about, words, url = About.COMMENT, text.body, ""
    if isinstance(text, Post):
        about, words, url = About.POST, f"{text.title}\n{text.body}", text.url
    words_and_links = (words, text.body_html, url)
    return Writing(about, text.author, group_ids, *words_and_links, text.created_at, flags)


def _people_who_flagged(text: Text) -> int:
    item = queue_items.open_item_of(text)
    return item.flags.exclude(user=None).count() if item else 0
