"""Advice to operators on the settings of an external Redis server."""

from dataclasses import replace
from typing import Any

import pytest
from redis import Redis

from tests.voting.servers import Server
from tests.voting.sites import made, site_at
from voting import keys
from voting.maintenance.server import Server as RedisServer
from voting.redis.connection import Store
from voting.redis.scripts import Argument
from voting.service import VotingService

USUAL = {
    "set-max-intset-entries": ("512", "a vote takes 4 bytes"),
    "hash-max-listpack-value": ("64", "a post takes about 200 bytes less"),
    "appendonly": ("no", "a crash loses the votes"),
}


class Hosted(Store):
    """A server that hides some of its settings, as hosted servers do."""

    def __init__(self, redis: Redis, hidden: str) -> None:
        super().__init__(redis)
        self._hidden = hidden

    def command(self, *words: Argument) -> Any:
        settings = super().command(*words)
        return {
            name: value for name, value in settings.items() if not name.startswith(self._hidden)
        }


@pytest.fixture
def theirs(server: Server) -> VotingService:
    """A voting site on an external server that was started with the recommended settings."""
    return site_at(server.url)


def test_server_with_our_settings_gets_no_advice(theirs: VotingService) -> None:
    assert theirs.maintenance.server.advice() == []


@pytest.mark.parametrize(("setting", "usual"), list(USUAL.items()))
def test_each_unsuitable_default_is_named_with_its_cost(
    server: Server, theirs: VotingService, setting: str, usual: tuple[str, str]
) -> None:
    value, cost = usual
    with server.plain() as redis:
        redis.config_set(setting, value)
    (sentence,) = theirs.maintenance.server.advice()
    assert sentence.startswith(f"{setting} is ")
    assert cost in sentence


def test_advice_against_eviction(server: Server, theirs: VotingService) -> None:
    with server.plain() as redis:
        redis.config_set("maxmemory-policy", "allkeys-lru")
        assert theirs.maintenance.server.advice() == [], (
            "nothing is dropped while there is no limit"
        )
        redis.config_set("maxmemory", "1gb")
    (sentence,) = theirs.maintenance.server.advice()
    assert "use noeviction" in sentence


@pytest.mark.parametrize("hidden", ["maxmemory", *USUAL])
def test_server_that_hides_a_setting_gets_advice_on_the_others(server: Server, hidden: str) -> None:
    with server.plain() as redis:
        for setting, (value, _cost) in USUAL.items():
            redis.config_set(setting, value)
        named = {
            sentence.partition(" is ")[0]
            for sentence in RedisServer(Hosted(redis, hidden)).advice()
        }
    assert named == USUAL.keys() - {hidden}


def test_server_that_hides_all_settings_gets_no_advice(
    server: Server, theirs: VotingService
) -> None:
    with server.plain() as plain:
        plain.config_set("appendonly", "no")
        plain.execute_command("ACL", "SETUSER", "default", "-config")
        assert theirs.maintenance.server.advice() == []
        plain.execute_command("ACL", "SETUSER", "default", "+config")


def test_a_post_takes_about_200_bytes_less_with_our_settings(server: Server) -> None:
    site, sizes = server.opened(), {}
    card = '["A title of some sixty characters, as people write them here","link","example.org"]'
    with server.plain() as redis:
        for post_id, setting in enumerate((1_024, 64), start=1):
            redis.config_set("hash-max-listpack-value", setting)
            site.posts.publish(replace(made(site, post_id), card=card))
            sizes[setting] = redis.memory_usage(keys.post(post_id), samples=0)
    assert 100 < sizes[64] - sizes[1_024] < 400
