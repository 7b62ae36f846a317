"""What is kept together in one text comes apart as it was put in, whatever it says."""

from dataclasses import replace

import pytest

from tests.voting.sites import BRAM, CLEO, DAY, made, publish, record, vote
from voting.service import VotingService
from voting.stored import SEPARATOR
from voting.types import Order, Vote

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
def test_a_card_is_given_back_as_it_was_told_whatever_becomes_of_its_post(
    site: VotingService, card: str
) -> None:
    told = replace(made(site, 7, groups=("python", "lua"), ago=DAY), card=card, comments=12)
    site.publish(told)
    publish(site, 8)
    site.set_groups(7, add=("redis",), remove=("python",))
    site.retract(7)
    site.restore(7)
    vote(site, BRAM, 7, Vote.DOWN)
    vote(site, CLEO, 7)
    site.upkeep.load([record(replace(told, id=9))])
    (seven, nine) = site.rows([7, 9], viewer=BRAM)
    assert (seven.card, nine.card) == (card, card)
    assert (seven.groups, seven.comments, seven.posted_at) == (("lua", "redis"), 12, told.posted_at)
    assert (seven.up, seven.down, seven.vote) == (2, 1, Vote.DOWN)
    assert (nine.groups, nine.comments) == (told.groups, 12)
    assert site.upkeep.inspect([7])[7].card == card
    vote(site, BRAM, 7, Vote.NONE)
    vote(site, BRAM, 9)
    assert site.listing(Order.HOT, 1).rows[0].id == 8
    assert site.explain(7).next_card == card, "it is the one above"
