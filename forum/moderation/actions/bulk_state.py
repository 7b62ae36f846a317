"""The state of a bulk action, which its log entry keeps in `details` from batch to batch."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypedDict

from forum.models import ModAction


class State(StrEnum):
    """The states of a bulk action."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    UNDOING = "undoing"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class Progress:
    """How many posts and comments, or votes, a bulk action has changed, or changed back since."""

    state: State
    done: int
    total: int

    @property
    def is_working(self) -> bool:
        """Whether the worker still has work to do for this action."""
        return self.state in {State.RUNNING, State.UNDOING}


class Details(TypedDict, total=False):
    """The `details` of a bulk action.

    A running action becomes finished or stopped. If a moderator undoes it, the state stays, and
    `undone` counts up to `to_undo`.
    """

    state: State
    group: int | None
    """The group's id. If the group was deleted since, the action stops."""
    total: int
    """How many posts and comments, or votes, the action was to change when it began."""
    done: int
    since: str
    """The time span of a removal: from `since` to `until`, in ISO 8601."""
    until: str
    post: int
    """The id of the last removed post, or post with void votes. The next batch begins after it."""
    comment: int
    about: str
    """The bio that a removal of everything also removed."""
    people: list[int]
    """The ids of the people whose flags a restoration dismisses, or whose votes are voided."""
    vote: int
    """The id of the last void vote on `post`. The next step begins after it."""
    notified: int
    """The id of the last person who was notified that votes were voided."""
    posts: list[int]
    """The ids of the posts with so many voided votes that the log names them."""
    item: int
    """The id of the last queue item whose post or comment was restored."""
    to_undo: int
    undone: int
    part: int
    """The id of the last part that was undone. The next batch has lower ids."""
    entry: int
    """The id of the ledger entry about the last restored vote. The next step begins after it."""


def progress(action: ModAction) -> Progress:
    """Return the progress of a bulk action."""
    details: Details = action.details
    if action.undone_at is None:
        return Progress(State(details["state"]), details["done"], details["total"])
    undone, total = details["undone"], details["to_undo"]
    return Progress(State.UNDONE if undone >= total else State.UNDOING, undone, total)
