"""Helpers for tests of moderators who void votes."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from forum.models import Comment, Group, ModAction, Post, User
from forum.moderation.actions import vote_voids
from tests.forum.voting_sites import work

HOUR = timedelta(hours=1)


def void(*people: User, by: User, group: Group | None = None, **span: Any) -> ModAction:
    """Void what people voted in the last hour, but let the worker do nothing yet."""
    work()
    now = timezone.now()
    times = {"since": now - HOUR, "until": now + timedelta(seconds=1)} | span
    return vote_voids.void_votes(people, group=group, by=by, reason="Ring", **times)


def points(on: Post | Comment) -> int:
    on.refresh_from_db(fields=["up", "down"])
    return on.up - on.down
