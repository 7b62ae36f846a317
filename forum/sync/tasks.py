"""Work that a request leaves to the worker because it grows with how much there is.

An errand is a task of this queue, written in the transaction of its reason and done by the worker
a second later (`forum.inbox.task_runner`). It may be done twice without harm, so what a crash
breaks, or the absence of Redis or SQL, is begun again until it is done.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import InterfaceError, OperationalError
from django.db.models import Q
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from forum.config.postgresql.errors import AllTaken
from voting.errors import StoreEmpty, StoreUnavailable

QUEUE = "errands"
PRIORITY = 10
"""Before mail, whose server may be slow."""
CRASHED = timedelta(minutes=5)
"""After so long nobody is at it any more."""
TOGETHER = 500
"""Errands that are done by one that is the same."""
ABSENCES = (StoreUnavailable, StoreEmpty, OperationalError, InterfaceError, AllTaken)
AWAY = [f"{absence.__module__}.{absence.__qualname__}" for absence in ABSENCES]


def begin_again() -> int:
    """Put back what was broken by a crash or by an absence; return how many. One query.

    What is broken by anything else stays for the admin to see, as it would break again.
    """
    own = DBTaskResult.objects.filter(queue_name=QUEUE)
    crashed = Q(status="RUNNING", started_at__lt=timezone.now() - CRASHED)
    missed = Q(status="FAILED", exception_class_path__in=AWAY)
    return own.filter(crashed | missed).update(status="READY")


@contextmanager
def together(path: str, *arguments: int) -> Iterator[None]:
    """Do with an errand what others wait for that are the same, by the path of their task and by
    what it is given. Their reasons were committed before the block begins, which so sees to them,
    too; where it fails, they stay. Two queries.
    """
    waiting = DBTaskResult.objects.filter(queue_name=QUEUE, status="READY", task_path=path)
    same = waiting.filter(args_kwargs={"args": list(arguments), "kwargs": {}})
    found = list(same.values_list("pk", flat=True)[:TOGETHER])
    yield
    same.filter(pk__in=found).delete()
