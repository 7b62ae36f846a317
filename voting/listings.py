"""Listings: a page of the site, of a group or of a mix, with what belongs on it."""

from dataclasses import dataclass, replace

from voting import follows, groups, keys, rankings
from voting.client import Store
from voting.readings import read, read_all
from voting.types import Direction, Hiding, Mix, Order, Page, Rules


@dataclass(frozen=True, slots=True)
class Listed:
    """Which page is wanted, as `VotingService.listing` says."""

    order: Order
    number: int
    group: str | Mix | None
    viewer: int | None
    direction: Direction
    start: int | None
    hiding: Hiding | None


def read_page(store: Store, rules: Rules, now: int, asked: Listed) -> Page:
    """Return the page. One round trip."""
    order, group, viewer = asked.order, asked.group, asked.viewer
    scopes = group.groups if isinstance(group, Mix) else (group,)
    before, sources = rankings.sweeps(order, scopes, now), keys.rankings(order, scopes[0])
    if isinstance(group, Mix):
        sources = (keys.mix(group, order, asked.direction),)
        before.append(groups.mix_call(rules, now, group, order, asked.direction))
    listed = rankings.reading(
        rules,
        now,
        sources,
        asked.number,
        viewer=viewer,
        direction=asked.direction,
        start=asked.start,
        hidden=rankings.hidden_keys(viewer, group, asked.hiding),
        before=before,
    )
    if viewer is None or not isinstance(group, str):
        return read(store, listed, from_copies=viewer is None and not before)
    found: Page
    found, ties = read_all(store, listed, follows.group_ties(viewer, group))
    return replace(found, ties=ties)
