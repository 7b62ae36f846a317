"""Flags posts and comments that got many votes of new accounts within an hour."""

from collections import Counter
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from forum.actions import queue_items, visibility
from forum.actions.policy import policy
from forum.actions.verdicts import RULE_WEIGHT
from forum.actions.visibility import Content
from forum.models import Comment, Flag, Post
from forum.moderation.vote_signs.recent_votes import recent_votes
from voting.types import Target

SPAN = timedelta(hours=1)
NEWEST = 5_000
"""At most so many entries of the ledger are searched, every minute."""


def raise_alarms() -> None:
    """Flag what got more than ALARM_NEW_VOTES votes of new accounts within the last hour.

    Five queries without votes, and two for each 500 posts and comments with votes.
    """
    most = settings.ALARM_NEW_VOTES
    if most:
        votes = Counter(vote.target for vote in recent_votes(SPAN, NEWEST) if vote.is_new)
        for target, number in votes.items():
            if number > most:
                _flag(target)


@transaction.atomic
def _flag(target: Target) -> None:
    """Flag a post or comment, unless it is hidden from readers or has been flagged already.

    No entry is added to the log, so that nobody is accused in public.
    """
    text = _find(target)
    visibility.lock(text)
    if text.deleted_at is None and not _is_flagged(text):
        weight = max(RULE_WEIGHT, policy.get().queue_weight)
        queue_items.add_flag(text, by=None, kind=Flag.Kind.VOTES, weight=weight)


def _find(target: Target) -> Content:
    if target.comment_id:
        return Comment.objects.get(pk=target.comment_id)
    return Post.objects.get(pk=target.post_id)


def _is_flagged(text: Content) -> bool:
    """Return whether moderators haven't decided about an alarm yet, or it is younger than an hour.

    Otherwise, the votes about which they have decided would raise it again.
    """
    about = Q(item__comment=text) if isinstance(text, Comment) else Q(item__post=text)
    waits = Q(item__decided_at=None) | Q(created_at__gt=timezone.now() - SPAN)
    return Flag.objects.filter(about, waits, kind=Flag.Kind.VOTES).exists()
