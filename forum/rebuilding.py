"""Fills Redis anew from SQL, without losing a vote that it still holds."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
from threading import Event, Thread
from time import sleep

import structlog
from django.db.models import QuerySet

from forum.archive import archive_rest
from forum.models import Post
from forum.records import records
from forum.store import voting
from voting.errors import StoreEmpty, StoreUnavailable
from voting.types import Record

RENEWAL = 4.0
"""Seconds after which the right to rebuild is prolonged, well before it ends."""
PATIENCE = 0.2
"""Seconds between looks at somebody else's rebuild."""

Progress = Callable[[], None]

log = structlog.get_logger()


def ensure_open(progress: Progress | None = None) -> bool:
    """Rebuild if Redis is empty or was filled with other rules; say whether that was needed.

    Several processes may call it at once: one rebuilds, the others wait. Raises StoreUnavailable.
    """
    if _is_right():
        return False
    with _only_builder():
        if _is_right():
            return False
        _rebuild(progress)
    return True


def rebuild(progress: Progress | None = None) -> int:
    """Fill Redis anew and return the number of posts; votes wait with a sentence meanwhile.

    `progress` is called once a post. Raises StoreUnavailable.
    """
    with _only_builder():
        return _rebuild(progress)


@contextmanager
def _only_builder() -> Iterator[None]:
    """Hold the right to rebuild; a thread prolongs it, however long the work takes."""
    builder = token_hex(8)
    upkeep = voting().upkeep
    while not upkeep.take_rebuild_lease(builder):
        sleep(PATIENCE)
    done = Event()
    keeper = Thread(target=_prolong, args=(builder, done), daemon=True, name="rebuild-lease")
    keeper.start()
    try:
        yield
    finally:
        done.set()
        keeper.join()
        upkeep.drop_rebuild_lease(builder)


def _prolong(builder: str, done: Event) -> None:
    while not done.wait(RENEWAL):
        with suppress(StoreUnavailable):
            voting().upkeep.take_rebuild_lease(builder)


def _is_right() -> bool:
    try:
        voting().upkeep.generation()
    except StoreEmpty:
        return False
    return voting().upkeep.fits()


def _rebuild(progress: Progress | None) -> int:
    """Nobody votes between closing and opening, so what is archived after closing is all."""
    upkeep = voting().upkeep
    ended = upkeep.close_store()
    if ended is not None:
        archive_rest(ended)
    upkeep.clear()
    posts = Post.objects.filter(deleted_at=None)
    _rescore(posts)
    loaded = upkeep.load(_counted(records(posts), progress), filling=True)
    upkeep.open_store()
    log.info("filled Redis from SQL", posts=loaded)
    return loaded


def _counted(found: Iterator[Record], progress: Progress | None) -> Iterator[Record]:
    for record in found:
        if progress is not None:
            progress()
        yield record


def _rescore(posts: QuerySet[Post]) -> None:
    """Bring the archived scores to the present rules, as loading does with those in Redis."""
    service = voting()
    changed = []
    for post in posts.only("created_at", "up", "down", "score").iterator():
        score = service.score(post.posted_at, post.up - post.down)
        if score != post.score:
            post.score = score
            changed.append(post)
    Post.objects.bulk_update(changed, ["score"], batch_size=200)
