"""Feeds are ranked like the front page, and Redis builds them quickly."""

import pytest
from redis import Redis

from tests.voting.sites import ADA, BRAM, CLEO, DINA, HOUR, Clock, crowd, ids, publish
from voting import keys
from voting.errors import StoreEmpty
from voting.keys import people
from voting.service import VotingService
from voting.topics import listings
from voting.types import Hiding, Order, Rules
from voting.types.follows import FeedSources
from voting.types.person_lists import PersonList

NOBODY = FeedSources((), ())


def feed(site: VotingService, sources: FeedSources, number: int = 1) -> list[int]:
    """Return the ids of the posts on a page of Dina's feed."""
    return ids(site.listings.feed(DINA, number, sources, hiding=Hiding()))


def test_people_and_groups_are_ranked_together_each_post_once(site: VotingService) -> None:
    publish(site, 1, author=ADA, groups=("lua",), ago=HOUR)
    publish(site, 2, author=BRAM, groups=("lua",), ago=2 * HOUR)
    publish(site, 3, author=CLEO, groups=("web",))
    crowd(site, 2, ups=30)
    assert feed(site, FeedSources((ADA,), ("lua",))) == [2, 1]
    assert feed(site, FeedSources((ADA, CLEO), ())) == [3, 1]
    assert feed(site, FeedSources((), ("web", "lua"))) == [2, 3, 1]
    assert feed(site, NOBODY) == []


def test_scores_are_those_of_the_front_page(site: VotingService, redis: Redis) -> None:
    publish(site, 1, author=ADA)
    crowd(site, 1, ups=3, downs=1)
    sources = FeedSources((ADA,), ())
    feed(site, sources)
    found = redis.zrange(listings.feed_key(DINA, sources), 0, -1, withscores=True)
    assert found == redis.zrange(keys.ranking(Order.HOT), 0, -1, withscores=True)


def test_feed_is_cached_for_a_minute(site: VotingService, redis: Redis, clock: Clock) -> None:
    publish(site, 1, author=ADA)
    sources = FeedSources((ADA,), ())
    assert feed(site, sources) == [1]
    publish(site, 2, author=ADA)
    assert feed(site, sources) == [1]
    assert 0 < redis.ttl(listings.feed_key(DINA, sources)) <= site.rules.mix_seconds
    assert feed(site, FeedSources((ADA, BRAM), ())) == [2, 1], "whom I follow now counts at once"
    redis.expire(listings.feed_key(DINA, sources), 3_600)  # as if Redis's clock was set back
    assert feed(site, sources) == [2, 1]
    clock.advance(site.rules.mix_seconds)
    publish(site, 3, author=BRAM)
    feed(site, FeedSources((BRAM,), ()))
    assert redis.zrange(keys.feeds(), 0, -1) == [listings.feed_key(DINA, FeedSources((BRAM,), ()))]


def test_two_people_have_two_feeds(site: VotingService) -> None:
    publish(site, 1, author=ADA)
    sources = FeedSources((ADA,), ())
    site.person_lists.put(PersonList.HIDDEN, DINA, 1, 100)
    assert feed(site, sources) == []
    assert ids(site.listings.feed(BRAM, 1, sources, hiding=Hiding())) == [1]


@pytest.mark.parametrize(
    ("followed", "groups"), [(1, 0), (300, 0), (0, 1), (0, 200), (300, 200), (10, 20)]
)
def test_following_many_gives_fewer_posts_of_each(followed: int, groups: int) -> None:
    sources = FeedSources(tuple(range(followed)), tuple(f"g{number}" for number in range(groups)))
    *_, each_group, each_person = listings.feed_call(Rules(), 0, DINA, sources).operands
    taken = groups * int(each_group) + followed * int(each_person)
    assert taken <= listings.ALL_GROUP_POSTS + listings.ALL_PERSON_POSTS
    assert not groups or int(each_group) >= 10
    assert not followed or int(each_person) >= 5


def test_the_newest_of_a_person_and_the_best_of_a_group_are_taken(site: VotingService) -> None:
    for number in range(1, 61):
        publish(site, number, author=ADA, groups=("lua",), ago=HOUR * (61 - number))
    page = site.listings.feed(DINA, 1, FeedSources((ADA,), ()))
    assert (page.total, ids(page)[0]) == (listings.PERSON_POSTS, 60)
    assert site.listings.feed(DINA, 1, FeedSources((), ("lua",))).total == 60


def test_emptied_store_raises_instead_of_an_empty_feed(site: VotingService, redis: Redis) -> None:
    redis.delete(keys.generation(keys.RANK_TAG))
    with pytest.raises(StoreEmpty):
        feed(site, FeedSources((ADA,), ()))
    assert not redis.exists(people.follows(DINA), keys.feeds())
