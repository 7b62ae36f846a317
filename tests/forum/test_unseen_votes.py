"""Votes that don't count change nothing that anybody but their voters sees."""

import re
from collections.abc import Callable
from datetime import timedelta
from random import Random
from unittest.mock import patch

import pytest
from django.test import Client
from django.utils import timezone

from forum.models import ArchivedVote, Comment, Post, User, VoteState
from tests.forum.comments import add_comment
from tests.forum.factories import post, reader
from tests.forum.voids import void
from tests.forum.voting_sites import cast, newcomers, older_person, work
from voting.types import Vote

pytestmark = pytest.mark.django_db(transaction=True)
SECRETS = re.compile(r'(nonce|name="csrfmiddlewaretoken" value|"csrf")="[^"]*"')
LISTS = ("", "new", "active", "views", "top", "g/books/", "g/maths/top", "g/books&maths/")
FEEDS = ("feed.atom", "top.atom", "g/books/feed.atom", "comments.atom", "u/author/feed.atom")
PAGES = ("leaders", "comments", "g/", "about", "search?q=title", "unanswered", "modlog")
PROGRAMS = ("hottest.json", "newest.json", "t/books.json", "sitemap-posts-1.xml")
API = ("lists/hot", "lists/top", "lists/active", "groups/books/lists/hot", "leaders", "comments")
API_OF_PEOPLE = ("people/author", "people/author/posts", "people/author/comments", "groups")
ON_TARGET = 3
"""How many votes of new accounts count on a post or comment."""
Texts = list[Post | Comment]
See = Callable[[], dict[str, str]]


@pytest.fixture
def texts() -> Texts:
    """Posts and comments that are some hours old, so that no page shows another age meanwhile."""
    author = older_person("author")
    ago = timezone.now() - timedelta(minutes=100)
    with patch("django.utils.timezone.now", return_value=ago):
        written = [post(author, f"Title {n}", slugs="books maths"[: 5 + n]) for n in (0, 6, 6)]
        comments = [add_comment(author, written[0]), add_comment(author, written[1])]
    texts: Texts = [*written, *comments]
    for text in texts:
        cast(older_person(f"{type(text).__name__}-fan-{text.pk}"), text)
    return texts


def paths(texts: Texts) -> list[str]:
    """Return the addresses of what shows votes, or is sorted by votes."""
    found = [*LISTS, *FEEDS, *PAGES, *PROGRAMS, *(f"api/v1/{one}" for one in API + API_OF_PEOPLE)]
    day = timezone.now().date()
    found += [f"day/{day}", f"day/{day}.atom", f"api/v1/days/{day}", f"leaders?day={day}"]
    for text in texts:
        found.append(text.get_absolute_url()[1:])
        if isinstance(text, Post):
            found += [f"p/{text.pk}.atom", f"s/{text.pk}.json", f"p/{text.pk}/comments"]
            found += [f"api/v1/posts/{text.pk}{end}" for end in ("", "/comments", "/standing")]
        else:
            found.append(f"api/v1/comments/{text.pk}")
    people = User.objects.filter(username__in=("author", "new3", "sock0"))
    for name in people.values_list("username", flat=True):
        found += [f"u/{name}/", f"u/{name}/comments", f"api/v1/people/{name}"]
    return found


@pytest.fixture
def see(texts: Texts) -> See:
    """Return a function that returns what a guest and a member see at all addresses."""
    windows = {"a guest": reader(), "a member": reader(older_person("member"))}

    def look() -> dict[str, str]:
        work()
        return {
            f"{who} at /{path}": _page(window, path)
            for who, window in windows.items()
            for path in paths(texts)
        }

    look()  # the first visit counts as a view, and marks comments as read
    return look


def _page(window: Client, path: str) -> str:
    response = window.get(f"/{path}", follow=True)
    assert response.status_code == 200, path
    return SECRETS.sub("", response.content.decode())


def changed(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return [place for place, page in before.items() if after[place] != page]


def vote_at_random(pairs: list[tuple[User, Post | Comment]]) -> None:
    """Let each person vote on a text, change the vote or take it back, a few times."""
    chance, often = Random(1), pairs * 3
    chance.shuffle(often)
    for who, text in often:
        cast(who, text, chance.choice(list(Vote)))
    work()


@pytest.fixture
def latecomers(texts: Texts) -> list[User]:
    """New accounts whose votes wait, because those of others count on each text already."""
    people = newcomers(ON_TARGET + 4)
    for who in people[:ON_TARGET]:
        for text in texts:
            cast(who, text)
    return people[ON_TARGET:]


@pytest.fixture
def socks(texts: Texts) -> list[User]:
    """Accounts whose votes will be void."""
    return [older_person(f"sock{number}") for number in range(3)]


def test_nobody_else_sees_votes_that_wait(latecomers: list[User], texts: Texts, see: See) -> None:
    before = see()
    vote_at_random([(who, text) for who in latecomers for text in texts])
    waiting = ArchivedVote.objects.filter(state=VoteState.WAITING).exclude(vote=Vote.NONE)
    assert waiting.count() > len(texts)
    assert changed(before, see()) == []


def test_nobody_else_sees_votes_that_are_void(
    socks: list[User], texts: Texts, see: See, root: User
) -> None:
    before = see()
    pairs = [(who, text) for who in socks for text in texts]
    for who, text in pairs:
        cast(who, text, Vote.DOWN)
    work()
    assert _page(reader(), "") != before["a guest at /"], "votes that count are seen"
    void(*socks, by=root)
    work()
    log = ["a guest at /modlog", "a member at /modlog"]
    assert changed(before, see()) == log
    before = see()
    vote_at_random(pairs)
    assert ArchivedVote.objects.filter(state=VoteState.VOID).count() == len(pairs)
    assert changed(before, see()) == []
