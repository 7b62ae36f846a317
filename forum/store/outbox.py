"""The outbox: the only way by which changes in SQL reach Redis.

Every change is delivered at least once, even if a process crashes, or Redis is down for a while. A
use case adds an outbox row in the transaction that changes SQL:

    outbox.add(PostSync(post.pk))

After the commit, the same process syncs the thing from SQL to Redis and deletes the row. If Redis
is down at that time, or the process is killed, the row stays. The worker delivers the row two
seconds later, and tries again until delivery succeeds. While one worker delivers a row, other
workers ignore the row for a minute.

A row names a thing to sync, but doesn't contain its state. Delivery reads the present state from
SQL and writes it to Redis. So a row may be delivered twice, by two processes at once, and in any
order.

Some deliveries take long, such as notifying thousands of watchers. If a class sets `in_background`,
only the worker delivers its rows.

Emails are outbox rows, too, but a repeated delivery would send an email twice. So `repeat` leaves
them to `forum.actions.mail_queue`, which delivers each row at most once.

To sync something new, write one class with one method, and a test of it:

    @dataclass(frozen=True)
    class ProfileSync(Sync):
        kind = "profile"
        user_id: int

        @classmethod
        def deliver(cls, syncs: Sequence[Self]) -> None:
            ...

The fields of the class must be JSON values. Add the class to `DELIVERED` in
`forum.operations.worker`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import groupby
from threading import local
from typing import ClassVar, Self, TypeVar

import structlog
from django.db import DatabaseError, OperationalError, transaction
from django.utils import timezone

from forum.models import OutboxItem
from voting.errors import StoreUnavailable

GRACE = timedelta(seconds=2)
"""How long the worker leaves a new row to the process that wrote the row."""
LEASE = timedelta(minutes=1)
"""How long other workers ignore a row that one worker is delivering."""
BATCH = 200
"""Maximum number of rows that a worker takes at once."""

State = TypeVar("State")

log = structlog.get_logger()


class Sync(ABC):
    """Base class of outbox rows.

    A subclass is one kind of row, and an instance names one thing to sync. Subclasses are frozen
    dataclasses.
    """

    kind: ClassVar[str]
    """Name of the kind, stored in each row. Keep the name even if you rename the class."""
    in_background: ClassVar[bool] = False
    """Whether only the worker delivers rows of this kind, because delivery may take long."""
    delay: ClassVar[timedelta] = timedelta()
    """How long the worker waits before it delivers a new row of a kind that is `in_background`.

    A long task is done in steps, and each step writes a row for the next step. The delay leaves
    time to deliver other rows.
    """

    at_most_once: ClassVar[bool] = False
    """Whether a repeated delivery would do harm. `repeat` doesn't deliver these rows."""

    @property
    def subject_id(self) -> int | None:
        """The id of the post or person that this row is about, by which the row can be found.

        None for most kinds of rows.
        """
        return None

    @classmethod
    @abstractmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """For everything that `syncs` name, copy the present state from SQL to Redis.

        Raises StoreUnavailable if Redis is unavailable.
        """

    def __init_subclass__(cls) -> None:
        KINDS[cls.kind] = cls


KINDS: dict[str, type[Sync]] = {}
"""All kinds of rows that this process can deliver. It leaves other kinds to newer processes."""


class _Pending(local):
    """The rows that this thread will deliver after its next commit.

    Rows of a transaction that was rolled back stay here. Delivering these rows is harmless, since
    delivery only writes the present state from SQL to Redis.
    """

    def __init__(self) -> None:
        self.items: list[OutboxItem] = []


_pending = _Pending()


def add(*syncs: Sync) -> None:
    """Write outbox rows, and deliver them after the current transaction is committed.

    The worker delivers rows whose kind is `in_background`, and rows whose first delivery failed.
    """
    items = [item for item in write(*syncs) if not item.in_background]
    if items:
        _pending.items += items
        transaction.on_commit(_deliver_pending)


def write(*syncs: Sync) -> list[OutboxItem]:
    """Write outbox rows that the worker will deliver, and return the rows."""
    now = timezone.now()
    return OutboxItem.objects.bulk_create(
        OutboxItem(
            kind=sync.kind,
            subject_id=sync.subject_id,
            details=dict(vars(sync)),
            in_background=sync.in_background,
            due_at=now + (sync.delay if sync.in_background else GRACE),
        )
        for sync in syncs
    )


def _deliver_pending() -> None:
    """Deliver the outbox rows that this thread of the process has just committed.

    A failure is only logged, since the worker tries again later.
    """
    items, _pending.items = _pending.items, []
    try:
        deliver(items)
    except (StoreUnavailable, DatabaseError) as error:
        kinds = sorted({item.kind for item in items})
        log.warning("sync waits in the outbox", kinds=kinds, reason=str(error))


def deliver(items: Iterable[OutboxItem]) -> None:
    """Deliver outbox rows, one kind after another, and delete the rows.

    Raises StoreUnavailable if Redis is unavailable.
    """
    delivered: list[int] = []
    for kind, some in _by_kind(items):
        kind.deliver([kind(**item.details) for item in some])
        delivered += (item.pk for item in some)
    if delivered:
        OutboxItem.objects.filter(pk__in=delivered).delete()


def repeat(*, in_background: bool = False) -> int:
    """Deliver the rows that are due, and return their number. Only the worker calls this.

    If Redis or SQL is down, the error is raised, and the rows stay due. If one kind of rows fails
    for another reason, the error is logged, and these rows are tried again a minute later.
    """
    items = _take(in_background)
    for kind, some in _by_kind(items):
        try:
            deliver(some)
        except (StoreUnavailable, OperationalError):
            _put_back(items)
            raise
        except Exception:
            log.exception("sync failed and is tried again later", kind=kind.kind, rows=len(some))
    return len(items)


def write_until_stable(read: Callable[[], State], write: Callable[[State], object]) -> None:
    """Copy a value from SQL to Redis, and repeat until the value in SQL stays the same.

    Otherwise, if two processes copied the same value at once, the slower one could leave an old
    value in Redis. Not needed for values with a version number, because Redis refuses older
    versions.
    """
    written = read()
    while True:
        write(written)
        present = read()
        if present == written:
            return
        written = present


def _take(in_background: bool) -> list[OutboxItem]:
    """Return the rows that are due; for a minute, other workers ignore these rows."""
    now = timezone.now()
    due = OutboxItem.objects.filter(
        # SQLite can use the index for IN, but not for NOT in_background.
        in_background__in=[in_background],
        due_at__lte=now,
        kind__in=[name for name, kind in KINDS.items() if not kind.at_most_once],
    )
    pks = list(due.order_by("due_at").values_list("pk", flat=True)[:BATCH])
    if not pks:
        return []
    with transaction.atomic():
        items = list(due.filter(pk__in=pks).select_for_update(skip_locked=True).order_by("pk"))
        due.filter(pk__in=[item.pk for item in items]).update(due_at=now + LEASE)
    return items


def _put_back(items: Iterable[OutboxItem]) -> None:
    OutboxItem.objects.filter(pk__in=[item.pk for item in items]).update(due_at=timezone.now())


def _by_kind(items: Iterable[OutboxItem]) -> Iterator[tuple[type[Sync], list[OutboxItem]]]:
    """Group outbox rows by sync class. The rows of a class stay in their order."""
    for name, some in groupby(sorted(items, key=_kind), key=_kind):
        yield KINDS[name], list(some)


def _kind(item: OutboxItem) -> str:
    return item.kind
