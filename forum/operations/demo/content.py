"""Read the demo content from TOML files."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forum.models import Group, Post

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Person:
    """A person of the demo site."""

    username: str
    about: str
    joined: float
    """Days before the demo content is loaded."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A post of the demo site."""

    key: str
    """The name of the post, by which its voters are drawn."""
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


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment of the demo site."""

    by: str
    text: str
    up: int = 1
    """People who voted up, the author among them."""
    down: int = 0
    deep: int = 0
    """0 for a reply to the post; else a reply to the last remark one level up."""
    was: str = ""
    """Its text before it was edited."""
    gone: bool = False
    """Whether its author deleted it."""
    accepted: bool = False
    on_question: bool = False
    """Whether it comments on the question instead of answering it."""


@dataclass(frozen=True, slots=True)
class Ties:
    """What a person follows, hides, saves and has opened: user names, slugs and keys of posts."""

    days: float
    """On which share of the days since they joined they were here."""
    follows: tuple[str, ...] = ()
    """In the order of time, like `opened`."""
    groups: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    """Groups."""
    saved: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """A message of staff to a person."""

    to: str
    by: str
    hours_ago: float
    text: str


def people() -> list[Person]:
    """Return everybody."""
    return [Person(**person) for person in _read(HERE / "people.toml")["person"]]


def groups() -> list[Group]:
    """Return the groups, not saved."""
    return [Group(**group) for group in _read(HERE / "groups.toml")["group"]]


def entries() -> list[Entry]:
    """Return the posts, oldest first."""
    return sorted(_entries(), key=lambda entry: -entry.hours_ago)


def threads() -> dict[str, list[Remark]]:
    """Return the remarks about each post by its key, every remark before its replies."""
    return {
        thread["post"]: [Remark(**remark) for remark in thread["talk"]]
        for file in sorted((HERE / "threads").glob("*.toml"))
        for thread in _read(file)["thread"]
    }


def ties() -> dict[str, Ties]:
    """Return everybody's ties, by name."""
    return {name: Ties(**one) for name, one in _read(HERE / "bonds.toml").items()}


def messages() -> list[Message]:
    """Return the messages of staff."""
    return [Message(**message) for message in _read(HERE / "letters.toml")["letter"]]


def _entries() -> Iterator[Entry]:
    for file in (HERE / "posts").glob("*.toml"):
        for post in _read(file)["post"]:
            kind = Post.Kind.LINK if "url" in post else Post.Kind(post.get("kind", Post.Kind.TEXT))
            yield Entry(**post | {"groups": tuple(post["groups"]), "kind": kind})


def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))
