"""Reads the demo content: TOML files that a person can edit."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forum.models import Group, Post

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of the demo site."""

    username: str
    about: str
    joined: float
    """Days before the demo content is loaded."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A post of the demo site."""

    key: str
    """Names the post for good; its voters are drawn by it."""
    title: str
    author: str
    groups: tuple[str, ...]
    hours_ago: float
    ups: int
    """People who voted up, the author among them."""
    downs: int = 0
    url: str = ""
    body: str = ""
    kind: Post.Kind = Post.Kind.TEXT


def people() -> list[Person]:
    """Return everybody."""
    return [Person(**person) for person in _read(HERE / "people.toml")["person"]]


def groups() -> list[Group]:
    """Return the groups, not saved."""
    return [Group(**group) for group in _read(HERE / "groups.toml")["group"]]


def entries() -> list[Entry]:
    """Return the posts, oldest first."""
    return sorted(_entries(), key=lambda entry: -entry.hours_ago)


def _entries() -> Iterator[Entry]:
    for file in (HERE / "posts").glob("*.toml"):
        for post in _read(file)["post"]:
            kind = Post.Kind.LINK if "url" in post else Post.Kind(post.get("kind", Post.Kind.TEXT))
            yield Entry(**post | {"groups": tuple(post["groups"]), "kind": kind})


def _read(file: Path) -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(file.read_text(encoding="utf-8"))
