"""A person's lists of posts: saved, hidden, last liked, and the last 60 viewed posts."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from tests.voting.sites import DAY, HOUR, Clock
from voting import keys
from voting.errors import StoreEmpty
from voting.keys import people
from voting.service import VotingService
from voting.topics.person_lists import visit_call
from voting.types.follows import ChosenGroups
from voting.types.person_lists import ListEntry, ListPage, PersonList

ADA, BRAM = 1, 2


def visit(site: VotingService, post_id: int, comments: int = 0, who: int = ADA) -> int | None:
    """Record a person's visit to a thread. Return the time of the previous visit, or None."""
    (before,) = site.store.run(visit_call(who, post_id, comments, site.now()))
    return None if before is None else int(before)


def viewed(site: VotingService, who: int = ADA) -> list[int]:
    """Return the ids of the posts that a person has viewed."""
    return [item.post_id for item in site.person_lists.page(PersonList.VIEWED, who, 0, 100).entries]


def seen(redis: Redis, who: int = ADA) -> set[int]:
    """Return the ids of posts for which Redis stores how many comments the person has seen."""
    return {int(str(one)) for one in redis.hkeys(people.seen(who))}


@pytest.mark.parametrize("kept", [PersonList.SAVED, PersonList.HIDDEN])
def test_list_is_newest_first_and_removed_posts_are_gone(
    site: VotingService, kept: PersonList
) -> None:
    for _ in range(2):
        site.person_lists.put(kept, ADA, 7, 100.5)
    site.person_lists.put(kept, ADA, 8, 101)
    assert site.person_lists.page(kept, ADA, 0, 25) == ListPage(
        2, (ListEntry(8, 101), ListEntry(7, 100.5))
    )
    assert site.person_lists.page(kept, ADA, 1, 25) == ListPage(2, (ListEntry(7, 100.5),))
    (other,) = {PersonList.SAVED, PersonList.HIDDEN} - {kept}
    assert site.person_lists.page(other, ADA, 0, 25) == ListPage(0, ())
    for _ in range(2):
        site.person_lists.put(kept, ADA, 7, None)
    assert site.person_lists.page(kept, ADA, 0, 25) == ListPage(1, (ListEntry(8, 101),))
    assert site.person_lists.page(kept, BRAM, 0, 25) == ListPage(0, ())


def test_last_200_likes_stay_and_withdrawn_ones_leave(site: VotingService) -> None:
    site.person_lists.set_liked({(ADA, post_id): float(post_id) for post_id in range(1, 251)})
    page = site.person_lists.page(PersonList.LIKED, ADA, 0, 3)
    assert (page.total, [item.post_id for item in page.entries]) == (200, [250, 249, 248])
    site.person_lists.set_liked({(ADA, 250): None, (ADA, 3): 3.0})
    page = site.person_lists.page(PersonList.LIKED, ADA, 0, 2)
    assert [item.post_id for item in page.entries] == [249, 248]
    site.person_lists.set_liked({})


def test_groups_are_hidden_and_shown_again(site: VotingService) -> None:
    for name in ("lua", "web", "lua"):
        site.person_lists.hide_group(ADA, name, True)
    assert site.person_lists.hidden_groups(ADA) == {"lua", "web"}
    assert site.follows.chosen_groups(ADA) == ChosenGroups(frozenset(), frozenset({"lua", "web"}))
    site.person_lists.hide_group(ADA, "lua", False)
    assert site.person_lists.hidden_groups(ADA) == {"web"}
    assert site.person_lists.hidden_groups(BRAM) == frozenset()


def test_viewed_posts_are_listed_once_newest_first(site: VotingService, clock: Clock) -> None:
    for post_id in (1, 2, 3, 1):
        visit(site, post_id)
        clock.advance(1)
    assert viewed(site) == [1, 3, 2]


def test_views_within_one_second_keep_their_order(site: VotingService) -> None:
    for post_id in (9, 10, 100, 11, 9):
        visit(site, post_id)
    assert viewed(site) == [9, 11, 100, 10]


def test_61st_viewed_post_removes_the_oldest(site: VotingService, redis: Redis) -> None:
    for post_id in range(1, 61):
        visit(site, post_id)
    visit(site, 1)
    assert len(viewed(site)) == 60
    visit(site, 61)
    assert viewed(site) == [61, 1, *range(60, 2, -1)], "post 2 was the oldest"
    assert seen(redis) == set(viewed(site))


def test_visits_expire_after_thirty_days(site: VotingService, redis: Redis, clock: Clock) -> None:
    visit(site, 1)
    clock.advance(30 * DAY - 1)
    visit(site, 2)
    assert viewed(site) == [2, 1]
    clock.advance(1)
    assert viewed(site) == [2], "it is not visible"
    assert site.person_lists.page(PersonList.VIEWED, ADA, 0, 10).total == 1
    assert visit(site, 1) is None
    clock.advance(DAY * 30)
    visit(site, 3)
    assert seen(redis) == {3}


def test_history_expires_thirty_days_after_the_last_visit(
    site: VotingService, redis: Redis
) -> None:
    visit(site, 1)
    for key in (people.viewed(ADA), people.seen(ADA)):
        assert redis.ttl(key) == pytest.approx(30 * DAY, abs=HOUR)


def test_visit_returns_the_time_of_the_previous_one(site: VotingService, clock: Clock) -> None:
    first = site.now()
    assert visit(site, 1, comments=3) is None
    clock.advance(HOUR)
    assert visit(site, 1, comments=5) == first
    assert visit(site, 1, who=BRAM) is None


def test_opening_a_thread_again_within_half_an_hour_is_the_same_visit(
    site: VotingService, clock: Clock
) -> None:
    first = site.now()
    assert visit(site, 1, comments=3) is None
    clock.advance(60)
    assert visit(site, 1, comments=4) is None, "still the first visit"
    clock.advance(HOUR)
    assert visit(site, 1, comments=9) == first + 60
    for _ in range(3):
        clock.advance(HOUR // 2 - 1)
        assert visit(site, 1, comments=9) == first + 60, "a vote reloads the page"
    clock.advance(HOUR // 2)
    assert visit(site, 1, comments=9) == clock.now - HOUR // 2


def test_history_can_be_cleared(site: VotingService, redis: Redis) -> None:
    visit(site, 1)
    visit(site, 1, who=BRAM)
    site.person_lists.clear_viewed(ADA)
    assert viewed(site) == []
    assert seen(redis) == set()
    assert viewed(site, BRAM) == [1]


def test_parallel_visits_to_a_post_are_listed_once(site: VotingService, redis: Redis) -> None:
    with ThreadPoolExecutor(8) as pool:
        before = list(pool.map(lambda _: visit(site, 7, comments=2), range(100)))
    assert set(before) == {None}, "all of them are the first visit"
    assert viewed(site) == [7]
    assert seen(redis) == {7}


def test_sixty_viewed_posts_stay_after_parallel_visits(site: VotingService, redis: Redis) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda post_id: visit(site, post_id), range(1, 301)))
    assert len(viewed(site)) == 60
    assert seen(redis) == set(viewed(site))


def test_emptied_store_raises_instead_of_an_empty_list(site: VotingService, redis: Redis) -> None:
    site.person_lists.put(PersonList.SAVED, ADA, 7, 100)
    redis.delete(keys.generation(people.tag(ADA)))
    for attempt in (
        lambda: site.person_lists.page(PersonList.SAVED, ADA, 0, 25),
        lambda: site.person_lists.put(PersonList.SAVED, ADA, 8, 100),
        lambda: site.person_lists.hide_group(ADA, "lua", True),
        lambda: site.person_lists.hidden_groups(ADA),
    ):
        with pytest.raises(StoreEmpty):
            attempt()
