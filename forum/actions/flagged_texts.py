"""Effects of flags on posts and comments: hiding them, and automatic rules that count flags."""

from collections.abc import Collection
from datetime import timedelta

from django.db.models import Exists, OuterRef, Q, Sum
from django.utils import timezone

from forum.actions import queue_items, rules, verdicts, visibility
from forum.actions.action_log import record
from forum.actions.notices import notify
from forum.actions.policy import policy
from forum.actions.rules import Writing
from forum.actions.visibility import Content
from forum.identity.roles import governing_ids
from forum.models import Flag, ModAction, Post, QueueItem, Rule, Withheld

About, Effect = Rule.About, Rule.Effect


def screen_flagged(text: Content) -> Rule | None:
    """Check a post or comment that was just flagged against the rules that count flags.

    Returns the rule that hid or flagged the post or comment, or None. Call this in the transaction
    that added the flag, after `visibility.lock`.
    """
    if text.deleted_at or not rules.counts_flags():
        return None
    group_ids = governing_ids(text if isinstance(text, Post) else text.post)
    item = queue_items.open_item_of(text)
    flags = _people_who_flagged(item) if item else 0
    rule = rules.matching_rule(writing_of(text, group_ids, flags))
    if rule is None:
        return None
    acted = hide(text, rule) if rule.effect == Effect.HOLD else verdicts.flag(text, rule)
    return rule if acted else None


def counting() -> Q:
    """Return the condition for flags that count towards hiding a post or comment.

    The queue counts all flags. Flags by accounts that are too new, or that have too little karma,
    don't hide anything, because anybody can create such accounts. Nor does the alarm about votes
    of new accounts, or they could hide what they voted on.
    """
    site = policy.get()
    newest = timezone.now() - timedelta(days=site.hide_min_days)
    standing = Q(user__date_joined__lte=newest, user__karma__gte=site.hide_min_karma)
    return standing | Q(from_moderator=True) | (Q(user=None) & ~Q(kind=Flag.Kind.VOTES))


def must_hide(text: Content, item: QueueItem, *, without: Collection[int] = ()) -> bool:
    """Return whether the weight of its flags hides a post or comment.

    Flags can hide what an established author wrote only if one of them is by a moderator, or by a
    person with whose earlier flag moderators agreed. `without` has the ids of people whose flags
    are ignored.
    """
    site = policy.get()
    if item.weight < site.hide_weight:
        return False
    flags = item.flags.filter(counting()).exclude(user__in=without)
    if (flags.aggregate(total=Sum("weight"))["total"] or 0) < site.hide_weight:
        return False
    if text.author.karma < site.hide_author_karma:
        return True
    agreed = Flag.objects.filter(user=OuterRef("user"), outcome=Flag.Outcome.AGREED)
    return flags.filter(Q(from_moderator=True) | Exists(agreed)).exists()


def stays_hidden(text: Content, item: QueueItem, *, without: Collection[int]) -> bool:
    """Return whether flags still hide a post or comment if the flags of some people are ignored.

    `without` has the ids of these people.
    """
    rule = text.withheld_by.rule if text.withheld_by else None
    if rule and _people_who_flagged(item, without) >= (rule.flags_at_least or 0):
        return True
    return must_hide(text, item, without=without)


def hide(text: Content, rule: Rule | None = None) -> bool:
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


def writing_of(text: Content, group_ids: Collection[int], flags: int | None = None) -> Writing:
    """Return a saved post or comment in the form that automatic rules check."""
    about, words, url = About.COMMENT, text.body, ""
    if isinstance(text, Post):
        about, words, url = About.POST, f"{text.title}\n{text.body}", text.url
    words_and_links = (words, text.body_html, url)
    return Writing(about, text.author, group_ids, *words_and_links, text.created_at, flags)


def _people_who_flagged(item: QueueItem, without: Collection[int] = ()) -> int:
    """Return how many people wrote flags that count, except the people `without`."""
    flags = item.flags.filter(counting(), user__isnull=False)
    return flags.exclude(user__in=without).count()
