"""Listings: a page of the site, of a group or of a mix, with what belongs on it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from voting import keys
from voting.redis.connection import Store
from voting.redis.readings import Reading, read, read_all
from voting.redis.scripts import Command
from voting.topics import follows, groups, rankings, rows
from voting.types import Cursor, Direction, Hiding, Mix, Order, Page, Row, Rules


@dataclass(frozen=True, slots=True)
class Listed:
    """Which page is wanted, as `VotingService.listing` says."""

    order: Order
    number: int
    group: str | Mix | None
    viewer: int | None
    direction: Direction
    cursor: Cursor | None
    hiding: Hiding | None
    pinned: tuple[int, ...] = ()


def read_page(store: Store, rules: Rules, now: int, asked: Listed) -> Page:
    """Return the page. One round trip; more where very many posts have grown too old for its span
    since somebody listed them.
    """
    group = asked.group
    scopes = group.groups if isinstance(group, Mix) else (group,)
    sweeping = rankings.sweeping(asked.order, scopes, now)
    behind, page = _read(store, rules, now, asked, sweeping)
    if not behind:
        return page
    while read(store, sweeping):
        pass
    if isinstance(group, Mix):
        store.command("UNLINK", keys.mix(group, asked.order, asked.direction))
    return _read(store, rules, now, asked, sweeping)[1]


def _read(
    store: Store, rules: Rules, now: int, asked: Listed, sweeping: Reading[bool]
) -> tuple[bool, Page]:
    """Return whether there is more to sweep, and the page. One round trip."""
    order, group, viewer = asked.order, asked.group, asked.viewer
    sources, mixing = keys.rankings(order, group if isinstance(group, str) else None), []
    if isinstance(group, Mix):
        sources = (keys.mix(group, order, asked.direction),)
        mixing = [groups.mix_call(rules, now, group, order, asked.direction)]
    listed = rankings.reading(
        rules,
        now,
        sources,
        asked.number,
        viewer=viewer,
        direction=asked.direction,
        cursor=asked.cursor,
        hidden=rankings.hidden_keys(viewer, group, asked.hiding),
        before=mixing,
    )
    pinned = _pinned(rules, now, asked)
    if viewer is None or not isinstance(group, str):
        copied = viewer is None and not sweeping.calls and not mixing
        behind, page, pins = read_all(store, sweeping, listed, pinned, from_copies=copied)
        return behind, replace(page, pinned=pins)
    own = follows.group_ties(viewer, group)
    behind, page, pins, ties = read_all(store, sweeping, listed, pinned, own)
    return behind, replace(page, pinned=pins, ties=ties)


def _pinned(rules: Rules, now: int, asked: Listed) -> Reading[tuple[Row, ...]]:
    """Return what reads the rows of pinned posts; nothing behind the first page."""
    ids = asked.pinned if asked.number == 1 and asked.cursor is None else ()
    shown = rows.reading(rules, now, ids, asked.viewer)
    hidden, *_ = rankings.hidden_keys(asked.viewer, asked.group, asked.hiding)
    if not ids or not hidden:
        return shown

    def wanted(replies: Sequence[Any]) -> tuple[Row, ...]:
        *found, times = replies
        unwanted = {post_id for post_id, at in zip(ids, times, strict=True) if at is not None}
        return tuple(row for row in shown.decode(found) if row.id not in unwanted)

    return Reading((*shown.calls, Command(("ZMSCORE", hidden, *ids))), wanted)
