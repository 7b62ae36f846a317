"""Reads the demo content from TOML files."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forum.models import Group, Post

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Person:
    """A person in the demo content."""

    username: str
    about: str
    joined: float
    """The person joined this many days before the demo content is loaded."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A post in the demo content."""

    key: str
    """The short name of the post; it also seeds the random choice of voters."""
    title: str
    author: str
    groups: tuple[str, ...]
    hours_ago: float
    ups: int
    """How many people voted the post up, including its author."""
    downs: int = 0
    url: str = ""
    body: str = ""
    kind: Post.Kind = Post.Kind.TEXT


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment in the demo content."""

    by: str
    text: str
    up: int = 1
    """How many people voted the comment up, including its author."""
    down: int = 0
    deep: int = 0
    """The comment's level: 0 for a comment on the post, 1 for a reply to it, and so on."""
    was: str = ""
    """The earlier text of an edited comment; "" if the comment wasn't edited."""
    deleted: bool = False
    """Whether the author deleted the comment."""
    accepted: bool = False
    on_question: bool = False
    """Whether the comment is about the question itself, and so isn't an answer."""
    key: str = ""
    """A short name that moderation steps use for this comment."""


@dataclass(frozen=True, slots=True)
class Ties:
    """The people and groups that a person follows, and what the person hides, saves and opens.

    The values are user names of people, slugs of groups and keys of posts.
    """

    days: float
    """The fraction of days since joining on which the person is active, from 0 to 1."""
    follows: tuple[str, ...] = ()
    """User names of the people that the person follows, earliest follow first."""
    groups: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    """Slugs of the groups that the person hides."""
    saved: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """A message from staff to a person."""

    to: str
    by: str
    hours_ago: float
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """One event in the demo's moderation, such as a flag, a removal or a ban."""

    do: str
    """The kind of step: a key of `DO` in `forum.operations.demo.moderation`."""
    hours_ago: float
    by: str
    post: str = ""
    comment: str = ""
    """The key of the comment that the step is about."""
    person: str = ""
    group: str = ""
    """The slug of the acting moderator's group; "" for a site moderator."""
    kind: str = ""
    """The reason chosen for a flag."""
    days: int = 0
    """How many days a ban lasts; 0 for a permanent ban."""
    reason: str = ""
    text: str = ""
    key: str = ""
    """A short name for this step, which a later step uses in `undoes`."""
    undoes: str = ""


def people() -> list[Person]:
    """Return the people of the demo content."""
    return [Person(**person) for person in _read(HERE / "people.toml")["person"]]


def groups() -> list[Group]:
    """Return the groups of the demo content. The caller must save them in SQL."""
    return [Group(**group) for group in _read(HERE / "groups.toml")["group"]]


def entries() -> list[Entry]:
    """Return the posts of the demo content, oldest first."""
    return sorted(_entries(), key=lambda entry: -entry.hours_ago)


def threads() -> dict[str, list[Remark]]:
    """Map the key of each post to the post's comments. Parents come before their replies."""
    return {
        thread["post"]: [Remark(**remark) for remark in thread["talk"]]
        for file in sorted((HERE / "threads").glob("*.toml"))
        for thread in _read(file)["thread"]
    }


def ties() -> dict[str, Ties]:
    """Map each user name to the person's follows, hidden posts and so on (see `Ties`)."""
    return {name: Ties(**one) for name, one in _read(HERE / "bonds.toml").items()}


def messages() -> list[Message]:
    """Return the messages from staff to people."""
    return [Message(**message) for message in _read(HERE / "letters.toml")["letter"]]


def rule() -> dict[str, Any]:
    """Return the fields of the demo's automatic rule, without its group and author."""
    fields: dict[str, Any] = _read(HERE / "moderation.toml")["rule"]
    return fields


def steps() -> list[Step]:
    """Return all moderation steps, oldest first."""
    found = [Step(**step) for step in _read(HERE / "moderation.toml")["step"]]
    return sorted(found, key=lambda step: -step.hours_ago)


def _entries() -> Iterator[Entry]:
    for file in (HERE / "posts").glob("*.toml"):
        for post in _read(file)["post"]:
            kind = Post.Kind.LINK if "url" in post else Post.Kind(post.get("kind", Post.Kind.TEXT))
            yield Entry(**post | {"groups": tuple(post["groups"]), "kind": kind})


def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))
