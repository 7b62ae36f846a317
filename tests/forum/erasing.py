"""Helpers: delete accounts as the worker does."""

from datetime import timedelta

from django.utils import timezone

from forum.actions import account_deletions
from forum.models import Erasure, OutboxItem, User
from forum.store import outbox


def do_all_steps() -> None:
    """Deliver the outbox as the worker does, until no row is left."""
    while OutboxItem.objects.exclude(kind=OutboxItem.MAIL).exists():
        OutboxItem.objects.update(due_at=timezone.now())
        outbox.repeat(in_background=True)
        outbox.repeat()


def a_week_later() -> None:
    """Let a week pass, and let the worker do what is due."""
    Erasure.objects.filter(done_at=None).update(due_at=timezone.now() - timedelta(seconds=1))
    account_deletions.begin_due()
    do_all_steps()


def erase(person: User, *, keeps_texts: bool = True) -> None:
    """Delete a person's account at once."""
    account_deletions.ask(person, keeps_texts=keeps_texts)
    a_week_later()
    person.refresh_from_db()
