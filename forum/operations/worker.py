"""Does background work: archives votes, delivers the outbox, fills Redis and sends mail.

Each of these threads repeats its own jobs:

- ledger: archives votes within a second, delivers the outbox, and archives views and activity;
- background: delivers outbox rows that may take long, such as notifications to watchers;
- mail: sends mail, so that a slow mail server delays nothing else;
- previews: draws images for link previews;
- retention: deletes what is too old, and begins to delete accounts;
- scores: measures once a day how many seconds one vote adds to a post's score (the vote value),
  and computes all scores again if that has changed; finds votes that deserve a look.
"""

import os
from collections.abc import Callable
from functools import partial
from secrets import token_hex
from threading import Event, Thread
from time import monotonic

from forum.actions import (
    account_deletions,
    data_exports,
    drafts,
    mail_queue,
    renames,
    retention,
    security_log,
    unconfirmed,
)
from forum.actions.data_exports import ExportSync
from forum.actions.erasure import ErasureSync, ViewedSync
from forum.actions.mails import WaitingMail
from forum.actions.notifications import WatchersSync
from forum.actions.renames import RenamedSync
from forum.actions.ties import GroupNameSync, TieSync
from forum.actions.unread import UnreadSync
from forum.admin.group_merging.syncs import GroupBoardsSync, GroupPostsSync, MergeSync
from forum.identity import account_networks
from forum.identity.sessions import SessionStore
from forum.ledger import activity, counters, finished_days, vote_states, vote_value
from forum.ledger.archiver import Archiver
from forum.ledger.counters import AuthorSync, MovedPostSync, VotesSync
from forum.ledger.reloading import Progress
from forum.ledger.vote_states import VoteStateSync
from forum.moderation.actions.bulk import BulkSync
from forum.moderation.actions.merge_steps import PostMergeSync
from forum.moderation.actions.vote_voids import VoidSync
from forum.moderation.vote_signs.alarms import raise_alarms
from forum.moderation.vote_signs.search import search
from forum.operations.backups import erased
from forum.operations.health import heartbeat
from forum.operations.repair.rebuild import ensure_filled, ensure_scored, restore_forgotten
from forum.operations.repair.repair_posts import reload_missing_voters
from forum.operations.scheduler import Job, Scheduler
from forum.previews import services as previews
from forum.previews.missing import MissingPreviewsSync
from forum.previews.syncs import PreviewSync
from forum.store import outbox
from forum.store.post_sync import PostSync
from voting.errors import StoreUnavailable

LEDGER_MS = 250
"""How many milliseconds to wait for new ledger entries; less than the timeout for Redis."""
PAUSE = 1.0
"""How many seconds a thread that doesn't archive votes pauses between two rounds."""
BEAT = 1.0
MINUTE, HOUR = 60.0, 3_600.0
DELIVERED: tuple[type[outbox.Sync], ...] = (
    PostSync,
    TieSync,
    GroupNameSync,
    UnreadSync,
    RenamedSync,
    VotesSync,
    VoteStateSync,
    AuthorSync,
    MovedPostSync,
    WatchersSync,
    PostMergeSync,
    GroupPostsSync,
    GroupBoardsSync,
    MergeSync,
    BulkSync,
    VoidSync,
    PreviewSync,
    MissingPreviewsSync,
    ExportSync,
    ErasureSync,
    ViewedSync,
    WaitingMail,
)
"""All kinds of outbox rows. A process can only deliver kinds that it has imported."""


def run(stopping: Event) -> None:
    """Do the worker's jobs until `stopping` is set."""
    archiver, alive = Archiver(f"{os.getpid()}-{token_hex(4)}"), _signs_of_life(stopping)
    scheduler = Scheduler(stopping, refill=partial(ensure_filled, stopping, alive))
    start = partial(_start, scheduler)
    # Mail starts before Redis is filled: it needs only SQL, and filling may take minutes.
    threads = [
        start(
            "mail",
            Job("digests", mail_queue.enqueue_digests, MINUTE),
            Job("mail", partial(mail_queue.send_waiting, stopping)),
            Job("old mail", mail_queue.forget, HOUR),
        )
    ]
    scheduler.until_done(scheduler.refill, "filling", heartbeat.beat)
    threads += [
        start(
            "scores",
            Job("scores", _scoring(stopping, alive), MINUTE),
            Job("alarms about votes", raise_alarms, MINUTE),
            Job("votes that deserve a look", search, 10 * MINUTE),
        ),
        start("background", Job("background sync", partial(_sync_in_background, stopping))),
        start(
            "previews",
            Job("preview images", previews.draw_new),
            Job("old preview images", previews.forget_old, HOUR),
        ),
        start("retention", *_retention()),
    ]
    scheduler.run(
        Job("heartbeat", heartbeat.beat, BEAT),
        Job("outbox", outbox.repeat, 1.0),
        Job("missing voters", reload_missing_voters, 1.0),
        Job("views", counters.archive_views, MINUTE),
        Job("activity", activity.archive_recent, MINUTE),
        Job("waiting votes", vote_states.count_due, 5.0),
        Job("finished days", finished_days.finish, MINUTE),
        Job("ledger", partial(archiver.step, block_ms=LEDGER_MS)),
        Job("recall", partial(_recall, archiver, alive)),
    )
    archiver.stop()
    for thread in threads:
        thread.join()


def _start(scheduler: Scheduler, name: str, *jobs: Job) -> Thread:
    work = partial(scheduler.run, *jobs, pause=PAUSE)
    thread = Thread(target=work, name=name, daemon=True)
    thread.start()
    return thread


def _retention() -> list[Job]:
    """Return the jobs that delete what is too old, and accounts whose owners asked for that."""
    return [
        Job("deletions of accounts", account_deletions.begin_due, MINUTE),
        Job("list of erased people", erased.save, MINUTE),
        Job("deleted texts", retention.delete_texts, HOUR),
        Job("read inbox items", retention.delete_read_items, HOUR),
        Job("old exports", data_exports.delete_old, HOUR),
        Job("old sessions", SessionStore.clear_expired, HOUR),
        Job("old drafts", drafts.delete_old, HOUR),
        Job("unconfirmed accounts", unconfirmed.delete_old, HOUR),
        Job("former names", renames.forget_old, HOUR),
        Job("old networks", account_networks.delete_old, HOUR),
        Job("old security events", security_log.delete_old, HOUR),
    ]


def _sync_in_background(stopping: Event) -> None:
    while not stopping.is_set() and outbox.repeat(in_background=True):
        pass


def _recall(archiver: Archiver, progress: Progress) -> None:
    """If Redis has lost votes that are archived in SQL, load the lost data into Redis again."""
    if archiver.behind:
        restore_forgotten(archiver.behind, progress)
        archiver.look_again()


def _scoring(stopping: Event, progress: Progress) -> Callable[[], None]:
    """Return a job that measures the vote value (how many seconds one vote adds to a score).

    If the vote value has changed, the job computes all scores again. The first run also does so if
    the voting rules have changed. Later runs don't compare the rules, because another process may
    have been started with newer rules meanwhile.
    """
    applied = 0.0

    def step() -> None:
        nonlocal applied
        vote_value.evaluate()
        weight = vote_value.weight()
        if weight != applied:
            ensure_scored(stopping, progress)
            applied = weight

    return step


def _signs_of_life(stopping: Event) -> Progress:
    """Return a callback that long tasks call often. It sends a heartbeat at most once a second.

    If `stopping` is set, the callback raises StoreUnavailable, which ends the work.
    """
    beaten_at = 0.0

    def alive(_more: int) -> None:
        nonlocal beaten_at
        if stopping.is_set():
            raise StoreUnavailable("stopped half way")
        if monotonic() >= beaten_at + BEAT:
            heartbeat.beat()
            beaten_at = monotonic()

    return alive
