"""The one way by which changes in SQL reach Redis: at least once, whatever crashes or is down.

A use case adds an outbox row in the transaction that changes SQL:

    outbox.add(PostSync(post.pk))

After the commit the same process syncs Redis and deletes the row. If Redis is down then, or the
process is killed, the row stays. The worker repeats it two seconds later, and again until it
succeeds (`repeat`). While a worker delivers a row, other workers leave it alone for a minute.

A row says what to sync, not what its state is: delivery reads the state from SQL and writes it to
Redis as it is now. So a row may be delivered twice, by two processes at once, and in any order.

Work that grows with how much there is, such as notifying thousands of watchers, is
for the worker alone: its class sets `in_background`.

To sync something new, write one class with one method, and a test of it:

    @dataclass(frozen=True)
    class ProfileSync(Sync):
        kind = "profile"
        user_id: int

        @classmethod
        def deliver(cls, syncs: Sequence[Self]) -> None:
            ...

Its fields are what JSON can hold. Add it to `DELIVERED` in `forum.operations.worker`.
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
"""How long the worker leaves a row to the request that wrote it."""
LEASE = timedelta(minutes=1)
"""How long other workers leave a row to the one that delivers it."""
BATCH = 200
"""Rows that a worker takes at once."""

State = TypeVar("State")

log = structlog.get_logger()


class Sync(ABC):
    """A kind of sync; an instance is one thing to sync. Subclasses are frozen dataclasses."""

    kind: ClassVar[str]
    """Stored in the row, so it stays the same when the class is renamed."""
    in_background: ClassVar[bool] = False
    """Whether only the worker delivers it, because it may take long."""

    @property
    def subject_id(self) -> int | None:
        """The id by which other modules look up rows of this kind, if they do."""
        return None

    @classmethod
    @abstractmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Bring Redis to the present state of SQL. Raises StoreUnavailable."""

    def __init_subclass__(cls) -> None:
        KINDS[cls.kind] = cls


KINDS: dict[str, type[Sync]] = {}
"""The kinds that this process knows. Rows of other kinds are left to newer processes."""


class _Pending(local):
    """The rows that this thread delivers after its next commit.

    Rows of a transaction that was rolled back stay here until then. To deliver them is harmless:
    delivery syncs the present state, which has not changed.
    """

    def __init__(self) -> None:
        self.items: list[OutboxItem] = []


_pending = _Pending()


def add(*syncs: Sync) -> None:
    """Write outbox rows, and deliver them after the commit of the present transaction.

    Rows for the background, and those that fail, are left to the worker. One query; after the
    commit another for all rows of the transaction, beside their delivery.
    """
    items = [item for item in write(*syncs) if not item.in_background]
    if items:
        _pending.items += items
        transaction.on_commit(_deliver_pending)


def write(*syncs: Sync) -> list[OutboxItem]:
    """Write outbox rows for the worker, and return them. One query."""
    now = timezone.now()
    return OutboxItem.objects.bulk_create(
        OutboxItem(
            kind=sync.kind,
            subject_id=sync.subject_id,
            details=dict(vars(sync)),
            in_background=sync.in_background,
            due_at=now if sync.in_background else now + GRACE,
        )
        for sync in syncs
    )


def _deliver_pending() -> None:
    """Deliver committed rows. A failure is only logged: the change itself is saved."""
    items, _pending.items = _pending.items, []
    try:
        deliver(items)
    except (StoreUnavailable, DatabaseError) as error:
        kinds = sorted({item.kind for item in items})
        log.warning("sync waits in the outbox", kinds=kinds, reason=str(error))


def deliver(items: Iterable[OutboxItem]) -> None:
    """Deliver rows, in their order, and delete them. Raises StoreUnavailable.

    One query beside their delivery.
    """
    delivered: list[int] = []
    for kind, some in _by_kind(items):
        kind.deliver([kind(**item.details) for item in some])
        delivered += (item.pk for item in some)
    if delivered:
        OutboxItem.objects.filter(pk__in=delivered).delete()


def repeat(*, in_background: bool = False) -> int:
    """Deliver the rows that are due; return how many. For the worker.

    If Redis or SQL is down, the rows are due again at once, and the error is raised. If a kind
    fails for another reason, it is logged and tried again a minute later; the others go on. One
    query if nothing is due.
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
    """Write to Redis what SQL says, until it still says the same after writing.

    Of two processes that write the same value, the slower could leave there what it read too
    early. As each reads again after writing, the last to write has read all that was committed
    before. For values without a version that Redis compares.
    """
    written = read()
    while True:
        write(written)
        present = read()
        if present == written:
            return
        written = present


def _take(in_background: bool) -> list[OutboxItem]:
    """Take rows that are due, which other workers then leave alone. Three queries, or one."""
    now = timezone.now()
    due = OutboxItem.objects.filter(
        in_background=in_background, due_at__lte=now, kind__in=list(KINDS)
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
    """Yield rows by kind; those of a kind keep their order."""
    for name, some in groupby(sorted(items, key=_kind), key=_kind):
        yield KINDS[name], list(some)


def _kind(item: OutboxItem) -> str:
    return item.kind
