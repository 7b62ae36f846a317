"""Listings: a page of the site, of a group or of a mix, with what belongs on it."""

from dataclasses import dataclass, replace

from voting import follows, groups, keys, rankings
from voting.connection.client import Store
from voting.readings import Reading, read, read_all
from voting.types import Cursor, Direction, Hiding, Mix, Order, Page, Rules


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
    if viewer is None or not isinstance(group, str):
        reads_only = not sweeping.calls and not mixing
        behind, page = read_all(store, sweeping, listed, from_copies=viewer is None and reads_only)
        return behind, page
    behind, found, ties = read_all(store, sweeping, listed, follows.group_ties(viewer, group))
    return behind, replace(found, ties=ties)
