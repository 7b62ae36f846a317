"""Measure how many bytes people, posts and comments take in SQL, and the CPU for writing them.

Import this only within `inside.site`, because it imports models.
"""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from random import Random
from time import process_time

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from redis import Redis

from benchmarks.scaling import archive, tables
from benchmarks.scaling.lines import Extent, Line, data_bytes
from benchmarks.seeds import Seeds
from benchmarks.servers import Server
from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.models import BoardPoints, Comment, DailyViews, Group, InboxItem, Post, User, Watch
from forum.store.service import get_voting_service

GROUPS, IN_GROUPS = 20, 2
TITLE = "A title of some sixty characters, as people write them here"
URL = "https://www.example.org/2024/11/an-article-about-it-{}.html"
BODY = "Some twenty words, as people write them below what others have to say, with an end. " * 2
OF_POSTS = (Post, Post.groups.through, Watch)
OF_COMMENTS = (Comment, InboxItem, Watch)
LOGGED_IN = 500
DAYS = 10


def figures(observer: Redis, extent: Extent) -> Iterator[Line]:
    """Measure how much space people, posts, comments and votes take in SQL.

    Also measures the CPU time for writing posts, comments and votes.
    """
    server = Server(get_voting_service(), Seeds(observer), observer)
    server.service.maintenance.generations.open()
    chance = Random(9)
    size, people = tables.grown(partial(_people, extent.posts), (User, EmailAddress))
    yield tables.line("sql_person", "person with an email address", size / len(people))
    yield from _sessions(server, people[:LOGGED_IN])
    began = process_time()
    size, posts = tables.grown(partial(_posts, people, extent.posts // 2, chance), OF_POSTS)
    yield tables.line("sql_post", "link in 2 groups", size / len(posts))
    yield _cpu("web_post", "publishing it", began, len(posts))
    began = process_time()
    some = posts[::2]
    size, _ = tables.grown(partial(_comments, people, some, chance), OF_COMMENTS)
    what = f"comment of {len(BODY)} letters with one notification"
    yield tables.line("sql_comment", what, size / len(some))
    yield _cpu("web_comment", "writing it", began, len(some))
    yield from _counted(posts, chance)
    yield from archive.figures(server, people, posts, chance)


def _cpu(name: str, what: str, began: float, times: int) -> Line:
    spent = (process_time() - began) / times * 1e3
    return Line(name, f"{what}: CPU of the web process", spent, "ms")


def _people(count: int) -> list[User]:
    password = make_password("a long enough sentence")
    people = User.objects.bulk_create(
        User(username=f"somebody{number}", email=f"somebody{number}@example.org", password=password)
        for number in range(count)
    )
    EmailAddress.objects.bulk_create(
        EmailAddress(user=one, email=one.email, primary=True, verified=True) for one in people
    )
    return people


def _sessions(server: Server, people: list[User]) -> Iterator[Line]:
    before = data_bytes(server)

    def log_in() -> None:
        for one in people:
            Client().force_login(one)

    size, _ = tables.grown(log_in, (Session,))
    yield tables.line("sql_session", "one session", size / len(people))
    kept = (data_bytes(server) - before) / len(people)
    yield Line("session", "cache, one session", kept, "bytes")


def _posts(people: list[User], count: int, chance: Random) -> list[Post]:
    groups = Group.objects.bulk_create(Group(slug=f"g{n}", title=f"G {n}") for n in range(GROUPS))
    return [
        post_actions.publish(
            author=chance.choice(people),
            kind=Post.Kind.LINK,
            title=TITLE,
            url=URL.format(number),
            groups=chance.sample(groups, IN_GROUPS),
        )
        for number in range(count)
    ]


def _comments(people: list[User], posts: list[Post], chance: Random) -> None:
    for post in posts:
        comment_actions.write(author=chance.choice(people), post=post, parent=None, body=BODY)


def _counted(posts: list[Post], chance: Random) -> Iterator[Line]:
    """Measure how many bytes of SQL one row of a leaderboard and one row of view counts take.

    The results are averages over the rows of ten days.
    """
    today = timezone.now().date()
    days = [today - timedelta(days=n) for n in range(DAYS, 0, -1)]
    orders = {day: chance.sample(posts, len(posts)) for day in days}
    size, boards = tables.grown(
        lambda: BoardPoints.objects.bulk_create(
            BoardPoints(day=day, group="", kind="post", subject_id=post.pk, points=3)
            for day, order in orders.items()
            for post in order
        ),
        (BoardPoints,),
    )
    yield tables.line("sql_board", "line of a day's leaderboard", size / len(boards))
    size, views = tables.grown(
        lambda: DailyViews.objects.bulk_create(
            DailyViews(post_id=post.pk, day=day, views=9)
            for day, order in orders.items()
            for post in order
        ),
        (DailyViews,),
    )
    yield tables.line("sql_views", "day's views of a post", size / len(views))
