"""People, posts and groups for tests: Ada writes, Bob is a stranger, Stella is staff."""

import re
from collections.abc import Sequence
from datetime import timedelta
from html import unescape
from itertools import chain
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.test import Client
from django.utils import timezone
from redis import Redis

from forum.content import post_service, post_sync
from forum.gateway.service import get_voting_service
from forum.identity.sessions import SessionStore
from forum.ledger import counters
from forum.models import Group, Post, User, Watch
from forum.queries.groups import directory

PASSWORD = "a long enough sentence"


def person(name: str, **more: Any) -> User:
    """Return a new person with the password PASSWORD, who has visited before, in English."""
    return User.objects.create_user(name, password=PASSWORD, **{"language": "en"} | more)


def reachable(name: str, **more: Any) -> User:
    """Return a new person with a confirmed address, `<name>@example.org`."""
    made = person(name, email=f"{name}@example.org", **more)
    EmailAddress.objects.create(user=made, email=made.email, primary=True, verified=True)
    return made


def reader(user: User | None = None, **more: Any) -> Client:
    """Return a browser, logged in as `user` if given."""
    client = Client(**more)
    if user:
        client.cookies[settings.SESSION_COOKIE_NAME] = logged_in(user)
    return client


def sure_reader(user: User) -> Client:
    """Return the browser of a person who has just entered their password again."""
    window = reader(user)
    window.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return window


def confirm_vote(window: Client, entered: Any) -> Any:
    """Confirm the pending vote that log-in or sign-up leads to."""
    return window.post(entered["Location"], {"answer": "yes"})


def logged_in(user: User) -> str:
    """Return the key of a new session of a person, as the log-in page makes it.

    `Client.force_login` makes two and saves the person: it takes three times as long.
    """
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def groups(*slugs: str) -> list[Group]:
    """Return groups with these short names; create those that don't exist."""
    found = [Group.objects.get_or_create(slug=s, defaults={"title": s.title()})[0] for s in slugs]
    directory.forget()
    return found


def post(author: User, title: str = "A title", *, slugs: str = "books", **more: Any) -> Post:
    """Return a new post; it is in Redis too if the test commits."""
    fields = {"kind": "text", "body": "Some text.", "groups": groups(*slugs.split())}
    return post_service.publish(author=author, title=title, **fields | more)


def posts(author: User, many: int, title: str = "Post {}", *, slugs: str = "books") -> list[Post]:
    """Write many posts at once and return them, oldest first: faster than `post` for each.

    In the title and the groups' names {} stands for a post's number.
    """
    now = timezone.now().replace(microsecond=0)
    fields: dict[str, Any] = {"kind": "text", "body": "Some text."}
    fields |= {"body_html": "<p>Some text.</p>\n", "created_at": now}
    fields |= {"up": 1, "score": get_voting_service().posts.hot_score(int(now.timestamp()), 1)}
    made = Post.objects.bulk_create(
        Post(author=author, title=title.format(number), **fields) for number in range(many)
    )
    put_in_groups(made, [slugs.format(number).split() for number in range(many)])
    Watch.objects.bulk_create(Watch(user=author, post=one) for one in made)
    post_sync.deliver([one.pk for one in made])
    counters.refresh([author.pk])
    return made


def put_in_groups(made: Sequence[Post], named: Sequence[Sequence[str]]) -> None:
    """Put new posts in groups of these short names."""
    known = {group.slug: group.pk for group in groups(*dict.fromkeys(chain(*named)))}
    link = Post.groups.through
    link.objects.bulk_create(
        link(post_id=one.pk, group_id=known[slug])
        for one, slugs in zip(made, named, strict=True)
        for slug in slugs
    )


def next_of(html: str) -> str:
    """Return the address of a page's link to the next page."""
    found = re.search(r'href="([^"]+)" rel="next"', html)
    assert found, "there is no next page"
    return unescape(found[1])


def grow_old(redis: Redis, written: Post, days: int) -> None:
    """Make a post that many days old in SQL, empty Redis, and load the post again."""
    Post.objects.filter(pk=written.pk).update(created_at=timezone.now() - timedelta(days=days))
    redis.flushall()
    get_voting_service().maintenance.generations.open()
    post_sync.deliver([written.pk])
