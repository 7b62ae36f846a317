"""Compare the site's responses with the data in SQL and Redis.

Call `differences` after Django is set up and all simulated people have stopped.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from time import monotonic, sleep
from typing import Any

from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import close_old_connections

from benchmarks.soaking.record import Fate, Place, Pressed, Record, Written
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable
from voting.types import Target

REST_SECONDS = 60.0
"""Seconds to wait after the last action until all votes are archived and the outbox is empty."""

Votes = dict[tuple[int, Place], int]
State = tuple[int, tuple[int, ...]]
"""How many ledger entries are explained, and the votes that may still be carried out late."""


@dataclass
class Archive:
    """The content and votes of this run's simulated people, as SQL stores them."""

    people: Mapping[str, int]
    posts: Mapping[str, list[int]]
    """The ids of posts by title. A title with several ids means that a post was saved twice."""
    comments: Mapping[str, list[int]]
    votes: Votes
    changes: Mapping[tuple[int, Place], list[int]]
    """The ledger's votes of each person on each target, oldest first."""


def differences(record: Record, run: str) -> Iterator[str]:
    """Yield a sentence for each post, comment or vote that is lost, doubled or unexplained."""
    _await_rest()
    archive = _archive(run)
    redis_votes = _held(archive, record)
    yield from _written("post", record.posts, archive.posts)
    yield from _written("comment", record.comments, archive.comments)
    yield from _votes(record, archive, redis_votes)
    yield from _checked()


def _await_rest() -> None:
    """Wait until Redis is up, the outbox is empty and all votes are archived."""
    outbox = apps.get_model("forum", "OutboxItem").objects.filter(failed_at=None)
    deadline = monotonic() + REST_SECONDS
    while monotonic() < deadline:
        close_old_connections()
        try:
            if not outbox.exists() and not get_voting_service().maintenance.ledger.lag():
                return
        except StoreUnavailable:
            pass
        sleep(0.2)


def _archive(run: str) -> Archive:
    user = apps.get_model("forum", "User")
    people = dict(user.objects.filter(username__startswith=f"s{run}").values_list("username", "pk"))
    return Archive(
        people,
        _ids(apps.get_model("forum", "Post"), "title", run),
        _ids(apps.get_model("forum", "Comment"), "body", run),
        dict(_cast("ArchivedVote", people)),
        _grouped(_cast("LedgerEntry", people)),
    )


def _ids(model: Any, field: str, run: str) -> dict[str, list[int]]:
    found = defaultdict(list)
    rows = model.objects.filter(deleted_at=None, **{f"{field}__startswith": f"{run} "})
    for text, pk in rows.values_list(field, "pk"):
        found[text].append(pk)
    return found


def _cast(model: str, people: Mapping[str, int]) -> list[tuple[tuple[int, Place], int]]:
    rows = apps.get_model("forum", model).objects.filter(user_id__in=list(people.values()))
    return [
        ((person, Place(post_id, comment_id)), vote)
        for person, post_id, comment_id, vote in rows.order_by("pk").values_list(
            "user_id", "post_id", "comment_id", "vote"
        )
    ]


def _grouped(rows: Sequence[tuple[tuple[int, Place], int]]) -> dict[tuple[int, Place], list[int]]:
    found = defaultdict(list)
    for key, vote in rows:
        found[key].append(vote)
    return found


def _held(archive: Archive, record: Record) -> Votes:
    """Read from Redis the votes that this run's simulated people cast."""
    ours = set(archive.people.values())
    places = {place for _name, place in record.votes} | {place for _id, place in archive.votes}
    posts = sorted(place.post_id for place in places if not place.comment_id)
    comments = [Target(one.post_id, one.comment_id) for one in places if one.comment_id]
    votes: Votes = {}
    found: dict[Any, Any] = {
        Place(pk): one
        for pk, one in get_voting_service().maintenance.inspection.posts(posts).items()
    }
    for target, one in get_voting_service().maintenance.inspection.comments(comments).items():
        found[Place(target.post_id, target.comment_id)] = one
    for place, one in found.items():
        votes |= {(person, place): 1 for person in one.ups & ours}
        votes |= {(person, place): -1 for person in one.downs & ours}
    return votes


def _written(
    what: str, recorded: Mapping[str, Written], archived: Mapping[str, list[int]]
) -> Iterator[str]:
    for text, written in recorded.items():
        ids = archived.get(text, [])
        if len(ids) > 1:
            yield f"{what} “{text}” is there {len(ids)} times"
        elif written.fate is Fate.ACKNOWLEDGED and not ids:
            yield f"{what} “{text}” was acknowledged and is lost"
        elif written.fate in {Fate.REFUSED, Fate.TURNED_AWAY} and ids:
            yield f"{what} “{text}” was refused and is there"
        elif (
            written.place
            and ids
            and ids[0] not in {written.place.post_id, written.place.comment_id}
        ):
            yield f"{what} “{text}” is not where {written.author} was led"
    for text in archived.keys() - recorded.keys():
        yield f"{what} “{text}” is there and nobody sent it"


def _votes(record: Record, archive: Archive, redis_votes: Votes) -> Iterator[str]:
    recorded = {(archive.people[name], place): all_ for (name, place), all_ in record.votes.items()}
    for (person, place), presses in recorded.items():
        changes = archive.changes.get((person, place), [])
        if not explains(presses, changes):
            yield f"person {person} on {place} was told {_spelled(presses)}, and SQL has {changes}"
        final = changes[-1] if changes else 0
        if archive.votes.get((person, place), 0) != final:
            yield f"person {person} on {place}: the archived vote is not the ledger's last, {final}"
        if redis_votes.get((person, place), 0) != final:
            in_redis = redis_votes.get((person, place), 0)
            yield f"person {person} on {place}: SQL has {final}, Redis has {in_redis}"
    posts, comments = (
        {pk for text, one in sent.items() if one.place is None for pk in archived.get(text, [])}
        for sent, archived in (
            (record.posts, archive.posts),
            (record.comments, archive.comments),
        )
    )
    for person, place in (archive.changes.keys() | redis_votes.keys()) - recorded.keys():
        unsure = place.comment_id in comments if place.comment_id else place.post_id in posts
        if not unsure:
            yield f"person {person} has a vote on {place} and sent none"


def explains(presses: Sequence[Pressed], changes: Sequence[int]) -> bool:
    """Return whether the votes that a person sent can explain the person's votes in the ledger.

    The ledger must have all acknowledged votes, in the order in which they were sent. Votes that
    weren't acknowledged may be missing. On a slow machine they may also be carried out late, after
    the browser gave up, but not after the last acknowledged vote. Sending the same vote again adds
    no entry.
    """
    reached: set[State] = {(0, ())}
    for pressed in presses:
        reached |= _with_late_votes(reached, changes)
        further = {
            (step, late) for done, late in reached for step in _steps(done, pressed.vote, changes)
        }
        if not pressed.sure:
            further |= {(done, (*late, pressed.vote)) for done, late in reached}
        reached = further
    return any(done == len(changes) for done, _late in reached)


def _steps(done: int, vote: int, changes: Sequence[int]) -> Iterator[int]:
    """Yield how many ledger entries may explain the votes after one more vote."""
    if (changes[done - 1] if done else 0) == vote:
        yield done
    elif done < len(changes) and changes[done] == vote:
        yield done + 1


def _with_late_votes(reached: set[State], changes: Sequence[int]) -> set[State]:
    """Return the states after any of the votes that may be carried out late."""
    found, new = set(reached), set(reached)
    while new:
        new = {
            (step, (*late[:place], *late[place + 1 :]))
            for done, late in new
            for place, vote in enumerate(late)
            for step in _steps(done, vote, changes)
        } - found
        found |= new
    return found


def _spelled(presses: Sequence[Pressed]) -> str:
    return " ".join(f"{one.vote:+d}{'' if one.sure else '?'}" for one in presses)


def _checked() -> Iterator[str]:
    """Yield the errors that `check_voting --deep` finds on the whole site."""
    output = StringIO()
    try:
        call_command("check_voting", deep=True, stdout=output)
    except CommandError as error:
        yield from (f"check_voting: {line}" for line in output.getvalue().splitlines())
        yield f"check_voting: {error}"
