"""Follows and followers by time, people whom two people both follow, and suggested people."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from voting import keys
from voting.errors import StoreEmpty
from voting.keys import people
from voting.service import VotingService, parse_mix
from voting.types import Order
from voting.types.follows import (
    FeedSources,
    Follow,
    FollowCounts,
    FollowPage,
    FollowSide,
    GroupFollow,
    GroupRelation,
    Suggestion,
)

ADA, BRAM, CLEO, DINA = 1, 2, 3, 4


def follow(site: VotingService, one: int, *others: int, at: float = 100.0) -> None:
    """Make one person follow other people, each one second after the previous follow."""
    for number, other in enumerate(others):
        site.follows.set_person(one, other, at + number)


def ties_to_lua(site: VotingService, who: int) -> GroupRelation | None:
    """Return whether a person follows or hides the group "lua", according to the group's page."""
    return site.listings.page(Order.HOT, 1, group="lua", viewer=who).relation


def common(site: VotingService, who: int, whom: int) -> tuple[int, ...]:
    """Return the people followed by both persons, as the profile of `whom` shows them to `who`."""
    return site.people.view(whom, viewer=who, compared=True).common


def suggestions(site: VotingService, who: int, count: int) -> tuple[Suggestion, ...]:
    """Return the people whom a person's feed suggests following."""
    return site.listings.feed(who, 1, site.follows.feed_sources(who), suggested=count).suggestions


def test_follow_is_in_both_lists(site: VotingService) -> None:
    site.follows.set_person(BRAM, ADA, 100.5)
    bond = FollowPage(1, (Follow(ADA, 100.5),))
    assert site.follows.page(FollowSide.FOLLOWS, BRAM, 0, 25) == bond
    assert site.follows.page(FollowSide.FOLLOWERS, ADA, 0, 25) == FollowPage(
        1, (Follow(BRAM, 100.5),)
    )
    assert site.follows.page(FollowSide.FOLLOWERS, BRAM, 0, 25) == FollowPage(0, ())


def test_follows_are_paged_newest_first(site: VotingService) -> None:
    follow(site, BRAM, *range(10, 70))
    first = site.follows.page(FollowSide.FOLLOWS, BRAM, 0, 25)
    assert first.total == 60
    assert [bond.id for bond in first.follows] == list(range(69, 44, -1))
    last = site.follows.page(FollowSide.FOLLOWS, BRAM, 50, 25)
    assert [bond.id for bond in last.follows] == list(range(19, 9, -1))
    assert site.follows.page(FollowSide.FOLLOWS, BRAM, 75, 25).follows == ()


def test_counts_and_whether_the_viewer_follows(site: VotingService) -> None:
    follow(site, BRAM, ADA, CLEO)
    follow(site, CLEO, ADA)
    site.follows.set_group(ADA, "lua", 100)
    assert site.follows.counts(ADA) == FollowCounts(follows=0, groups=1, followers=2)
    assert site.follows.counts(ADA, viewer=BRAM).followed
    assert not site.follows.counts(ADA, viewer=DINA).followed
    assert site.follows.counts(BRAM) == FollowCounts(follows=2, groups=0, followers=0)


def test_repeated_follow_changes_nothing_and_unfollowing_removes_it(
    site: VotingService, redis: Redis
) -> None:
    for _ in range(2):
        site.follows.set_person(BRAM, ADA, 100)
    assert site.follows.counts(ADA).followers == 1
    for _ in range(2):
        site.follows.set_person(BRAM, ADA, None)
    assert site.follows.counts(ADA).followers == site.follows.counts(BRAM).follows == 0
    assert not redis.exists(people.follows(BRAM), people.fans(ADA))


def test_groups_are_followed_by_name(site: VotingService) -> None:
    site.follows.set_group(ADA, "lua", 100)
    site.follows.set_group(ADA, "redis", 101)
    site.follows.set_group(ADA, "web", 102)
    site.follows.set_group(ADA, "redis", None)
    assert site.follows.groups(ADA) == (GroupFollow("web", 102), GroupFollow("lua", 100))
    assert site.follows.chosen_groups(ADA).followed == {"web", "lua"}
    follow(site, ADA, BRAM, CLEO)
    assert site.follows.feed_sources(ADA) == FeedSources((CLEO, BRAM), ("web", "lua"))


def test_a_group_is_followed_or_hidden_or_neither(site: VotingService) -> None:
    assert ties_to_lua(site, ADA) == GroupRelation(followed=False, hidden=False)
    site.follows.set_group(ADA, "lua", 100)
    assert ties_to_lua(site, ADA) == GroupRelation(followed=True, hidden=False)
    site.follows.set_group(ADA, "lua", None)
    site.person_lists.hide_group(ADA, "lua", True)
    assert ties_to_lua(site, ADA) == GroupRelation(followed=False, hidden=True)


def test_relation_is_only_returned_for_one_group(site: VotingService) -> None:
    assert site.listings.page(Order.HOT, 1, group="lua").relation is None, "a guest has none"
    assert site.listings.page(Order.HOT, 1, viewer=ADA).relation is None
    assert site.listings.page(Order.HOT, 1, group=parse_mix("lua+web"), viewer=ADA).relation is None


def test_common_follows_come_newest_first(site: VotingService) -> None:
    follow(site, ADA, 10, 11, 12, 13)
    follow(site, BRAM, 13, 12, 11, 20)
    assert common(site, ADA, BRAM) == (13, 12, 11)
    assert common(site, BRAM, ADA) == (11, 12, 13)
    assert common(site, ADA, DINA) == common(site, DINA, ADA) == ()


def test_common_follows_read_the_shorter_list(
    site: VotingService,
) -> None:
    site.follows.fill((ADA, 1_000 + number, float(number)) for number in range(3_000))
    follow(site, BRAM, 1_000, 9, 3_999)
    assert common(site, ADA, BRAM) == (3_999, 1_000)
    assert common(site, BRAM, ADA) == (3_999, 1_000)


def test_suggestions_are_people_most_often_followed_by_my_follows(site: VotingService) -> None:
    follow(site, ADA, BRAM, CLEO, DINA)
    follow(site, BRAM, 30, CLEO, ADA)
    follow(site, CLEO, 30, 31)
    follow(site, DINA, 31, 30)
    found = suggestions(site, ADA, 10)
    assert found == (Suggestion(30, (DINA, CLEO, BRAM)), Suggestion(31, (DINA, CLEO)))
    assert suggestions(site, ADA, 1) == found[:1]


def test_person_without_follows_gets_no_suggestions(site: VotingService) -> None:
    follow(site, BRAM, ADA)
    assert suggestions(site, ADA, 10) == ()


def test_emptied_store_raises_instead_of_no_follows(site: VotingService, redis: Redis) -> None:
    follow(site, BRAM, ADA)
    redis.delete(keys.generation(people.tag(ADA)))
    for attempt in (
        lambda: site.follows.counts(ADA),
        lambda: site.follows.page(FollowSide.FOLLOWERS, ADA, 0, 25),
        lambda: common(site, BRAM, ADA),
        lambda: site.follows.set_group(ADA, "lua", 100),
        lambda: site.follows.set_person(ADA, BRAM, 100),
    ):
        with pytest.raises(StoreEmpty):
            attempt()


def test_parallel_follows_are_all_counted(site: VotingService) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda one: site.follows.set_person(one, ADA, 100.0 + one), range(10, 210)))
    assert site.follows.counts(ADA).followers == 200
    assert site.follows.page(FollowSide.FOLLOWERS, ADA, 0, 1).follows == (Follow(209, 309.0),)
