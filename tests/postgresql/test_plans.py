"""With 100,000 posts, no page, form or job of the worker scans a whole large table."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from threading import Event
from time import time
from typing import Any

import pytest
from django.test import Client

from forum.actions import mail_queue
from forum.actions.notifications import WatchersSync
from forum.ledger import activity, archiver, counters, cursors
from forum.ledger.counters import MovedPostSync
from forum.models import Comment, Post, User
from forum.operations.repair import check
from forum.queries.groups import directory
from forum.store import comment_records, outbox
from forum.store.post_records import read_post_records
from forum.store.service import get_voting_service
from tests.forum.factories import reader
from tests.forum.outages import redis_down
from tests.postgresql.plans import watched
from voting.types import Target, Vote
from voting.types.maintenance import VoteEntry

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db, pytest.mark.usefixtures("crowd")]

BUSY, FRESH = "/p/50000/the-title-of-post-50000", "/p/99990/the-title-of-post-99990"
LONG_AGO = (datetime.now(UTC) - timedelta(days=20)).date().isoformat()

LISTINGS = [
    *("/", "/?p=4", "/?p=40", "/?dir=asc", "/new?p=4", "/new?dir=asc"),
    *("/top?t=day&p=4", "/top?t=week&p=4", "/top?t=month&p=4", "/top?t=all&p=4"),
    *(
        "/top?t=all&dir=asc",
        "/active",
        "/active?p=4",
        "/active?dir=asc",
        "/views",
        "/views?p=4",
        "/views?dir=asc",
    ),
    *("/g/", "/g/group1/", "/g/group1/?p=4", "/g/group1/?dir=asc", "/g/group1/new?p=4"),
    *("/g/group1/top?t=all&p=4", "/g/group1/top?t=week&p=4", "/g/group1/active?p=4"),
    *("/g/group1/views?p=4", "/g/group50/?p=4", "/g/group50/new?dir=asc", "/g/group1+group2/?p=4"),
    *("/g/group1&group50/?p=4", "/g/group1~group50/?p=4", "/g/group1~group50/?dir=asc"),
]
THREADS = [
    *(BUSY, f"{BUSY}?sort=new", f"{BUSY}?after=60", FRESH, "/p/50000", "/p/50000/c/60"),
    *("/p/50000/c/299880", "/p/50000/comments", "/p/50000/comments?before=150000"),
    *("/p/50000/history", "/p/50000/c/60/history", "/comments", "/comments?before=1000"),
]
PEOPLE = [
    *("/u/Person2/", "/u/Person2/?p=70", "/u/person2/", "/u/Person9999/", "/u/Nobody/"),
    *("/u/Person2/comments", "/u/Person2/comments?before=20000"),
    *("/u/Person1/follows", "/u/Person1/follows?p=9", "/u/Person2/fans", "/u/Person2/fans?p=100"),
]
BOARDS = [
    *("/leaders", "/leaders?t=week", "/leaders?t=week&p=2", f"/leaders?day={LONG_AGO}"),
    *(f"/leaders?t=week&day={LONG_AGO}", "/leaders?group=group3", "/leaders?t=week&group=group3"),
]
LOG = [
    *("/modlog", "/modlog?before=70000", "/modlog/1", "/modlog/1?before=20000", "/modlog/70000"),
    *("/modlog?group=group1", "/modlog?group=group2&kind=ban", "/modlog?group=group1&kind=warn"),
    *("/modlog?kind=ban", "/modlog?kind=warn", "/modlog?kind=ban&before=70000"),
    *("/modlog?person=Person2", "/modlog?person=Person2&group=group1", "/modlog?person=Person9"),
    *("/modlog?moderator=Person3", "/modlog?moderator=Person3&kind=ban&group=group1"),
    *("/modlog?moderator=Person4", "/modlog?moderator=Person3&kind=warn"),
]
OTHERS = ["/about", "/readyz", "/healthz"]
OWN = [
    *("/inbox", "/inbox?kind=mention", "/inbox?before=100000", "/inbox?kind=reply&before=100000"),
    *("/inbox/2", "/following", "/following?p=4", "/history", "/preferences", "/submit"),
    *("/u/Person1/saved", "/u/Person1/saved?p=20", "/u/Person1/hidden", "/u/Person1/liked"),
    "/u/Person1/activity",
    *("/u/Person1/liked?p=60", "/u/Person1/", "/u/Person1/about"),
]
SENT = [
    ("/submit", {"kind": "link", "title": "New", "url": "https://example.org/99990"}),
    ("/p/99990/comment", {"body": "Ask @Person77 or @person1234."}),
    ("/p/50000/comment", {"body": "Ask @Person77.", "parent": "299880"}),
    ("/p/80001/edit", {"title": "Better", "body": "", "groups": "group1 group3"}),
    ("/p/80001/delete", {}),
    ("/p/99990/save", {"on": "1"}),
    ("/p/99990/hide", {"on": "1"}),
    ("/p/99990/watch", {"on": "1"}),
    ("/p/99990/vote", {"vote": "up"}),
    ("/u/Person2/follow", {"on": "1"}),
    ("/u/Person2/block", {"on": "1"}),
    ("/g/group1/follow", {"on": "1"}),
    ("/g/group1/hide", {"on": "1"}),
    ("/inbox/read", {"kind": "all"}),
    ("/inbox/read", {"kind": "mention"}),
    ("/preferences", {"digest": "daily"}),
]
AT_ONCE = 200_000
"""Maximum number of rows that one query of the worker may read from a big table by an index."""
FOR_ALL = [*LISTINGS, *THREADS, *PEOPLE, *BOARDS, *LOG, *OTHERS]


@pytest.fixture(autouse=True)
def few_kept(settings: Any) -> Iterator[None]:
    """Limit rankings in Redis to 60 posts, so that the fourth page of a listing comes from SQL."""
    settings.VOTING_RULES = replace(settings.VOTING_RULES, ranking_limit=60)
    get_voting_service.cache_clear()
    directory.forget()
    yield
    get_voting_service.cache_clear()


@pytest.fixture
def filled_redis() -> None:
    """Load the newest posts and a few old posts into Redis."""
    get_voting_service().maintenance.generations.open()
    posts = Post.objects.visible()
    some = posts.filter(pk__gt=99_800) | posts.filter(pk__in=[50_000, 99_950, 60_000, 70_000])
    get_voting_service().maintenance.loading.load_posts(read_post_records(some))


def member() -> Client:
    return reader(User.objects.get(pk=1))


def costs_little(window: Client, path: str) -> None:
    """Request a page, and assert that no query reads too many rows."""
    with watched() as watcher:
        response = window.get(path)
        b"".join(response) if response.streaming else response.content
    assert response.status_code in {200, 301, 302, 303, 404, 503}, response
    assert not watcher.complaints, "\n".join([path, *watcher.complaints])


@pytest.mark.usefixtures("filled_redis")
@pytest.mark.parametrize("path", FOR_ALL)
def test_guest_page_scans_no_table(path: str) -> None:
    costs_little(reader(), path)


@pytest.mark.usefixtures("filled_redis")
@pytest.mark.parametrize("path", [*FOR_ALL, *OWN])
def test_member_page_scans_no_table(path: str) -> None:
    costs_little(member(), path)


@pytest.mark.parametrize("path", FOR_ALL)
def test_guest_page_scans_no_table_while_redis_is_down(path: str, settings: Any) -> None:
    with redis_down(settings):
        costs_little(reader(), path)


@pytest.mark.parametrize("path", [*FOR_ALL, *OWN])
def test_member_page_scans_no_table_while_redis_is_down(path: str, settings: Any) -> None:
    with redis_down(settings):
        costs_little(member(), path)


@pytest.mark.usefixtures("filled_redis")
@pytest.mark.parametrize(("path", "form"), SENT)
def test_form_of_a_member_scans_no_table(
    path: str, form: dict[str, str], django_capture_on_commit_callbacks: Any
) -> None:
    window = member()
    with watched() as watcher, django_capture_on_commit_callbacks(execute=True):
        response = window.post(path, form)
    assert response.status_code < 500, response
    assert watcher.asked
    assert not watcher.complaints, "\n".join([path, *watcher.complaints])


def entries(many: int) -> list[VoteEntry]:
    """Return ledger entries for votes on many posts and on many comments of one long thread."""
    now = int(time())
    on_posts = [Target(99_999 - 2 * n) for n in range(many)]
    on_comments = [Target(50_000, 60 * n) for n in range(1, many)]
    return [
        VoteEntry(f"{now}-{n}", 0, 1_000 + n, target, Vote.UP, now, 5, 1)
        for n, target in enumerate([*on_posts, *on_comments])
    ]


def archive_votes() -> None:
    where = cursors.position(get_voting_service().maintenance.generations.current(), [0])
    archiver.archive(where, entries(900))


def load_some() -> None:
    """Read some posts and comments from SQL, as a rebuild does."""
    list(islice(read_post_records(Post.objects.visible()), 600))
    list(islice(comment_records.read_comment_records(Comment.objects.visible()), 600))


def check_some() -> None:
    next(check.differences())


MOVED = MovedPostSync(50_000, ["group1", "group3"])
WORK: dict[str, Callable[[], Any]] = {
    "the outbox": outbox.repeat,
    "background sync": partial(outbox.repeat, in_background=True),
    "the ledger": archive_votes,
    "counts": counters.archive_views,
    "a post that moved": lambda: MovedPostSync.deliver(
        [MovedPostSync(50_000, ["group1", "group3"])]
    ),
    "who was here": activity.archive_recent,
    "due digests": mail_queue.enqueue_digests,
    "who watches": lambda: WatchersSync.deliver([WatchersSync(299_880, 2_000_000_000)]),
    "waiting mail": lambda: mail_queue.send_waiting(Event()),
    "a rebuild": load_some,
    "a check": check_some,
}


@pytest.mark.usefixtures("filled_redis")
@pytest.mark.parametrize("work", WORK.values(), ids=WORK.keys())
def test_jobs_of_the_worker_scan_no_table(
    work: Callable[[], Any], django_capture_on_commit_callbacks: Any
) -> None:
    with watched(AT_ONCE) as watcher, django_capture_on_commit_callbacks(execute=True):
        work()
    assert watcher.asked
    assert not watcher.complaints, "\n".join(watcher.complaints)
