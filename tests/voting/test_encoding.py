"""Values that the site joins into one string in Redis are read back unchanged."""

from dataclasses import replace

import pytest
from redis import Redis

from tests.voting.corruption import miscount, take_away
from tests.voting.sites import ADA, BRAM, CLEO, DAY, made, publish, record, vote
from voting import keys
from voting.redis.encoding import SEPARATOR
from voting.service import VotingService, parse_mix
from voting.types import Direction, Hiding, Order, Target, Vote

CARDS = {
    "nothing": "",
    "what formats are made of": "%s %d %5.1f %%",
    "what ends a text elsewhere": "before\0after",
    "what stands between the parts": f"{SEPARATOR}1{SEPARATOR}a b{SEPARATOR}",
    "lines and spaces of all kinds": " a \n b\r\n\t\x85\xa0\u2028 ",
    "letters of all kinds": "äπ中𝄞",
    "more than a small hash takes": "long " * 1_000,
}


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS.keys())
def test_card_is_returned_unchanged_after_any_change(site: VotingService, card: str) -> None:
    post = replace(made(site, 7, groups=("python", "lua"), ago=DAY), card=card, comments=12)
    site.posts.publish(post)
    publish(site, 8)
    moved = replace(post, groups=("lua", "redis"))
    site.posts.publish(moved)
    site.posts.retract(7)
    site.posts.publish(moved)
    vote(site, BRAM, 7, Vote.DOWN)
    vote(site, CLEO, 7)
    site.maintenance.loading.load_posts([record(replace(post, id=9))])
    (seven, nine) = site.posts.rows([7, 9], viewer=BRAM)
    assert (seven.card, nine.card) == (card, card)
    assert (seven.groups, seven.comments, seven.posted_at) == (("lua", "redis"), 12, post.posted_at)
    assert (seven.up, seven.down, seven.vote) == (2, 1, Vote.DOWN)
    assert (nine.groups, nine.comments) == (post.groups, 12)
    assert site.maintenance.inspection.posts([7])[7].card == card
    vote(site, BRAM, 7, Vote.NONE)
    vote(site, BRAM, 9)
    assert site.listings.page(Order.HOT, 1).rows[0].id == 8
    assert site.posts.standing(7).next_card == card, "it is the one above"


def test_numbers_of_any_size_are_exact(site: VotingService) -> None:
    person, post_id = 2**31 - 1, 2**31 - 2
    post = replace(made(site, post_id), comments=2**31 - 1)
    site.maintenance.loading.load_posts(
        [replace(record(post), up=2**31, down=2**31 + 1, views=2**31)]
    )
    ballot = vote(site, person, post_id, Vote.DOWN)
    assert (ballot.up, ballot.down) == (2**31, 2**31 + 2)
    (row,) = site.posts.rows([post_id], viewer=person)
    assert (row.up, row.down, row.vote) == (2**31, 2**31 + 2, Vote.DOWN)
    assert (row.comments, row.views) == (2**31 - 1, 2**31)
    (entry,) = site.maintenance.ledger.read({keys.shard(post_id): "0-0"})
    assert (entry.user_id, entry.target) == (person, Target(post_id))
    assert (entry.up, entry.down) == (2**31, 2**31 + 2)


def test_retracted_post_is_never_shown_even_if_a_ranking_has_it(
    site: VotingService, redis: Redis
) -> None:
    for post_id in (1, 2, 3):
        publish(site, post_id, groups=("python", "lua"))
    redis.zadd(keys.ranking(Order.HOT), {f"{404:010d}": 2e9})
    take_away(redis, 2)
    both = parse_mix("python&lua")
    for order in Order:
        for scope in (None, "python", both):
            for direction in Direction:
                for viewer, hiding in ((None, None), (BRAM, None), (BRAM, Hiding(read=True))):
                    page = site.listings.page(
                        order, 1, group=scope, viewer=viewer, direction=direction, hiding=hiding
                    )
                    assert {row.id for row in page.rows} == {1, 3}, (order, scope, viewer)
    assert {row.id for row in site.posts.rows([1, 2, 3, 404], viewer=BRAM)} == {1, 3}
    assert site.posts.standing(1).next_card is None, "post 2 is above, but is retracted"
    assert set(site.posts.standings([1, 2, 3])) == {1, 3}
    site.person_lists.hide_group(BRAM, "lua", hidden=True)
    assert site.listings.page(Order.NEW, 1, viewer=BRAM, hiding=Hiding()).rows == ()


@pytest.mark.parametrize("wanted", Vote)
def test_tally_never_goes_below_zero(site: VotingService, redis: Redis, wanted: Vote) -> None:
    publish(site, 7)
    vote(site, BRAM, 7, Vote.DOWN)
    miscount(redis, Target(7), up=-1, down=-1)
    for person in (ADA, BRAM, CLEO, ADA, BRAM, CLEO):
        ballot = vote(site, person, 7, wanted)
        assert (ballot.vote, min(ballot.up, ballot.down)) == (wanted, 0)
    publish(site, 7, groups=("python", "lua"))
    publish(site, 7, version=2)
    last = site.maintenance.loading.last_changes([Target(7)])[Target(7)]
    whole = record(made(site, 7, version=2), ups=(ADA, CLEO), downs=(BRAM,))
    site.maintenance.loading.reload_posts([whole], {7: last})
    (row,) = site.posts.rows([7], viewer=BRAM)
    assert (row.up, row.down, row.vote) == (2, 1, Vote.DOWN), "it is complete once reloaded"
    assert vote(site, BRAM, 7).up == 3
