"""Creates people, browsers, groups and posts for tests."""

import re
from collections.abc import Sequence
from datetime import timedelta
from html import unescape
from itertools import chain
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.core import mail
from django.db import transaction
from django.test import Client
from django.utils import timezone
from redis import Redis

from forum.actions import posts as post_actions
from forum.actions import unread
from forum.actions.policy import policy
from forum.identity import session_use
from forum.identity.sessions import SessionStore
from forum.ledger import counters
from forum.models import Group, InboxItem, Post, SitePolicy, User, Watch
from forum.queries.groups import directory
from forum.store import outbox, post_sync
from forum.store.service import get_voting_service

PASSWORD = "a long enough sentence"
OUR_PAGE = {"Sec-Fetch-Site": "same-origin"}
"""The header by which browsers say that a form was on a page of the same site."""


def person(name: str, **more: Any) -> User:
    """Create a person who reads English and can log in with PASSWORD."""
    return User.objects.create_user(name, password=PASSWORD, **{"language": "en"} | more)


def veteran(name: str, **more: Any) -> User:
    """Create a member whose account is old enough, and has enough karma, to help hide posts."""
    joined = timezone.now() - timedelta(days=10, minutes=1)
    return person(name, **{"date_joined": joined, "karma": 5} | more)


def person_with_email(name: str, **more: Any) -> User:
    """Create a person with the confirmed email address `<name>@example.org`."""
    made = person(name, email=f"{name}@example.org", **more)
    EmailAddress.objects.create(user=made, email=made.email, primary=True, verified=True)
    return made


def reader(user: User | None = None, **more: Any) -> Client:
    """Return a browser with `user` logged in, or a guest's browser if there is no `user`."""
    client = Client(**more)
    if user:
        client.cookies[settings.SESSION_COOKIE_NAME] = session_of(user)
    return client


def reauthenticated_reader(user: User) -> Client:
    """Return the browser of a person who has just entered the password again."""
    window = reader(user)
    window.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return window


def emailed_path() -> str:
    """Return the path of the link in the first email that was sent."""
    found = re.search(r"http://localhost:8000(/\S+)", str(mail.outbox[0].body))
    assert found, "the email has no link"
    return found[1]


def confirm_vote(window: Client, entered: Any) -> Any:
    """Confirm a guest's vote after log-in or sign-up. `entered` is the response to the log-in."""
    return window.post(entered["Location"], {"answer": "yes"})


def session_of(user: User) -> str:
    """Create a session for a person, as the log-in page does, and return the session's key.

    `Client.force_login` takes three times as long, because it creates two sessions.
    """
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session[session_use.KEY] = session_use.notes(timezone.now(), timezone.now(), "", "", "")
    session.create()
    return str(session.session_key)


def groups(*slugs: str) -> list[Group]:
    """Return the groups with these short names, and create the missing groups."""
    found = [Group.objects.get_or_create(slug=s, defaults={"title": s.title()})[0] for s in slugs]
    directory.forget()
    return found


def post(author: User, title: str = "A title", *, slugs: str = "books", **more: Any) -> Post:
    """Publish a new post and return it. The post is synced to Redis only if the test commits."""
    fields = {"kind": "text", "body": "Some text.", "groups": groups(*slugs.split())}
    return post_actions.publish(author=author, title=title, **fields | more)


def set_policy(**values: Any) -> None:
    """Change the site's policy, such as how people sign up."""
    SitePolicy.objects.update_or_create(pk=SitePolicy.ONLY, defaults=values)
    policy.forget()


def posts(author: User, many: int, title: str = "Post {}", *, slugs: str = "books") -> list[Post]:
    """Write `many` posts to SQL and Redis in bulk, and return the posts, oldest first.

    In `title` and `slugs`, {} stands for the post's number.
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
    """Put each post in groups. `named` contains a list of short group names for each post."""
    known = {group.slug: group.pk for group in groups(*dict.fromkeys(chain(*named)))}
    link = Post.groups.through
    link.objects.bulk_create(
        link(post_id=one.pk, group_id=known[slug])
        for one, slugs in zip(made, named, strict=True)
        for slug in slugs
    )


def give_messages(user: User, many: int = 1, text: str = "A word.") -> list[InboxItem]:
    """Put `many` unread messages from moderators in a person's inbox.

    In `text`, {} stands for the message's number.
    """
    items = [
        InboxItem(
            user=user,
            actor=user,
            kind=InboxItem.Kind.MODERATOR,
            text=text.format(number),
            created_at=timezone.now(),
        )
        for number in range(many)
    ]
    with transaction.atomic():
        outbox.add(unread.UnreadSync([user.pk]))
        return InboxItem.objects.bulk_create(items)


def next_link(html: str) -> str:
    """Return the URL of a page's link to the next page."""
    found = re.search(r'href="([^"]+)" rel="next"', html)
    assert found, "there is no next page"
    return unescape(found[1])


def make_older(redis: Redis, written: Post, days: int) -> None:
    """Make a post some days older in SQL, then empty Redis and sync only this post to Redis."""
    Post.objects.filter(pk=written.pk).update(created_at=timezone.now() - timedelta(days=days))
    redis.flushall()
    get_voting_service().maintenance.generations.open()
    post_sync.deliver([written.pk])
