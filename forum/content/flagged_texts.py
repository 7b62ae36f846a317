"""Effects of flags on posts and comments: hiding them, and automatic rules that count flags."""

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
    """Check a post or comment that was just flagged against the rules that count flags.

    Returns the rule that hid or flagged the post or comment, or None. Call this in the transaction
    that added the flag, after `visibility.lock`.
    """
    if text.deleted_at or not rules.counts_flags():
        return None
    group_ids = groups_of(text if isinstance(text, Post) else text.post)
    rule = rules.matching_rule(writing_of(text, group_ids, _people_who_flagged(text)))
    if rule is None:
        return None
    acted = hide(text, rule) if rule.effect == Effect.HOLD else verdicts.flag(text, rule)
    return rule if acted else None


def hide(text: Text, rule: Rule | None = None) -> bool:
    """Hide a flagged post or comment until a moderator decides. Return whether it was hidden.

    Call this after `visibility.lock`. `rule` is the rule that holds the post or comment, or None if
    the weight of its flags is the reason. If moderators have decided since the last edit, the post
    or comment stays visible.
    """
    if queue_items.decided_since_edit(text):
        return False
    group, reason = (rule.group, rule.message) if rule else (None, "")
    action = record(ModAction.Kind.HIDE, text, by=None, rule=rule, group=group, reason=reason)
    visibility.withhold(text, Withheld.HIDDEN, action)
    notify(action)
    return True


def writing_of(text: Text, group_ids: Collection[int], flags: int | None = None) -> Writing:
    """Return a saved post or comment in the form that automatic rules check."""
    about, words, url = About.COMMENT, text.body, ""
    if isinstance(text, Post):
        about, words, url = About.POST, f"{text.title}\n{text.body}", text.url
    words_and_links = (words, text.body_html, url)
    return Writing(about, text.author, group_ids, *words_and_links, text.created_at, flags)


def _people_who_flagged(text: Text) -> int:
    item = queue_items.open_item_of(text)
    return item.flags.exclude(user=None).count() if item else 0
