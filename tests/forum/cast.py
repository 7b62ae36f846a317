"""The people and things tests play with: Ada writes, Bob is a stranger, Stella is staff."""

from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone
from redis import Redis

from forum.content import publishing
from forum.models import Group, Post, User
from forum.queries.groups import directory
from forum.store import voting

PASSWORD = "a long enough sentence"


def person(name: str, **more: Any) -> User:
    """Return a new person, who can log in with PASSWORD."""
    return User.objects.create_user(name, password=PASSWORD, **more)


def reader(user: User | None = None, **more: Any) -> Client:
    """Return a browser; a person is logged in there."""
    client = Client(**more)
    if user:
        client.force_login(user)
    return client


def groups(*slugs: str) -> list[Group]:
    """Return groups of these short names, new where they are not there yet."""
    found = [Group.objects.get_or_create(slug=s, defaults={"title": s.title()})[0] for s in slugs]
    directory.forget()
    return found


def post(author: User, title: str = "A title", *, slugs: str = "books", **more: Any) -> Post:
    """Return a new post, delivered wherever the test commits."""
    fields = {"kind": "text", "body": "Some text.", "groups": groups(*slugs.split())}
    return publishing.publish(author=author, title=title, **fields | more)


def grow_old(redis: Redis, written: Post, days: int) -> None:
    """Make a post as old as that, in SQL and in an otherwise empty Redis."""
    Post.objects.filter(pk=written.pk).update(created_at=timezone.now() - timedelta(days=days))
    redis.flushall()
    voting().upkeep.open_store()
    publishing.deliver([written.pk])
