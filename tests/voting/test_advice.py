"""What somebody with a server of their own is told of its settings, and that it is true."""

from dataclasses import replace

import pytest

from tests.voting.servers import Server
from tests.voting.sites import made, site_at
from voting import keys
from voting.service import VotingService

USUAL = {
    "set-max-intset-entries": ("512", "a vote takes 4 bytes"),
    "hash-max-listpack-value": ("64", "a post takes about 200 bytes less"),
    "appendonly": ("no", "a crash loses the votes"),
}


@pytest.fixture
def theirs(server: Server) -> VotingService:
    """A site on somebody's server, which has our settings at first."""
    return site_at(server.url)


def test_a_server_with_our_settings_needs_no_advice(theirs: VotingService) -> None:
    assert theirs.upkeep.advice() == []


@pytest.mark.parametrize(("setting", "usual"), list(USUAL.items()))
def test_each_usual_setting_that_does_not_suit_is_named_with_what_it_costs(
    server: Server, theirs: VotingService, setting: str, usual: tuple[str, str]
) -> None:
    value, cost = usual
    with server.plain() as redis:
        redis.config_set(setting, value)
    (sentence,) = theirs.upkeep.advice()
    assert sentence.startswith(f"{setting} is ")
    assert cost in sentence


def test_a_full_server_that_would_drop_votes_is_told_not_to(
    server: Server, theirs: VotingService
) -> None:
    with server.plain() as redis:
        redis.config_set("maxmemory-policy", "allkeys-lru")
        assert theirs.upkeep.advice() == [], "nothing is dropped while there is no limit"
        redis.config_set("maxmemory", "1gb")
    (sentence,) = theirs.upkeep.advice()
    assert "use noeviction" in sentence


def test_a_post_takes_about_200_bytes_less_with_our_settings(server: Server) -> None:
    site, sizes = server.opened(), {}
    card = '["A title of some sixty characters, as people write them here","link","example.org"]'
    with server.plain() as redis:
        for post_id, setting in enumerate((1_024, 64), start=1):
            redis.config_set("hash-max-listpack-value", setting)
            site.publish(replace(made(site, post_id), card=card))
            sizes[setting] = redis.memory_usage(keys.post(post_id), samples=0)
    assert 100 < sizes[64] - sizes[1_024] < 400
