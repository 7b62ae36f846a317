"""The connection to the server: short timeouts, no hidden retries, one error for all failures."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from redis import Redis
from redis._parsers import Encoder
from redis.connection import PythonRespSerializer
from redis.exceptions import DataError, ResponseError

from tests.patience import no_time_passing
from tests.voting.relays import relay, server_socket
from tests.voting.servers import Server
from tests.voting.sites import ADA, BRAM, made, publish, record, site_at, vote
from tests.voting.stored_state import contents, ledger, tallies
from tests.waiting import until
from voting import keys
from voting.errors import StoreForbidden, StoreUnavailable
from voting.redis.pool import GuardedPool, Packer
from voting.service import VotingService, connect, parse_mix
from voting.types import Order, Rules, Vote

WRITES: dict[str, Callable[[VotingService], object]] = {
    "a vote": lambda site: vote(site, BRAM, 7),
    "a new post": lambda site: publish(site, 8),
    "a retraction": lambda site: site.posts.retract(7),
    "another group": lambda site: publish(site, 7, groups=("python", "lua")),
    "a load": lambda site: site.maintenance.loading.load_posts([record(made(site, 9))]),
    "an opening": lambda site: site.maintenance.generations.open(),
}
NOT_ASKED = "did not answer a moment ago"
"""Part of the error message while the breaker is open. The error is raised at once."""


def test_missing_socket_is_unavailable_at_once() -> None:
    site = connect("unix:///nowhere/at/all.sock?db=0", Rules())
    with no_time_passing():
        with pytest.raises(StoreUnavailable, match="No such file"):
            site.maintenance.server.ping()
        for _ in range(20):
            with pytest.raises(StoreUnavailable, match=NOT_ASKED):
                site.maintenance.server.ping()


def test_refused_port_is_unavailable() -> None:
    with pytest.raises(StoreUnavailable):
        connect("redis://127.0.0.1:1/0", Rules()).listings.page(Order.HOT, 1)


def test_hung_server_delays_one_request_and_no_others(server: Server) -> None:
    site, hurried = server.opened(), server.hurried()
    publish(site, 7)
    until(hurried.maintenance.generations.current, "it has a connection")
    with server.hung(), no_time_passing():
        with pytest.raises(StoreUnavailable, match="Timeout"):
            vote(hurried, BRAM, 7)
        for _ in range(20):
            with pytest.raises(StoreUnavailable, match=NOT_ASKED):
                hurried.listings.page(Order.HOT, 1)
    until(lambda: site.listings.page(Order.HOT, 1).rows, "listings come back by themselves")
    assert vote(site, BRAM, 7).points == 2, "a vote that got no answer counts once, asked again"


def test_scripts_are_sent_again_after_the_server_lost_them(
    server: Server,
) -> None:
    """After a restart, a server no longer has the site's Lua scripts."""
    site = server.opened()
    publish(site, 7)
    with server.plain() as plain:
        plain.execute_command("ACL", "SETUSER", "default", "-client|setinfo")
        with server.hung(), pytest.raises(StoreUnavailable, match="Timeout"):
            server.hurried().listings.page(Order.HOT, 1)
        plain.script_flush()
    until(lambda: site.listings.page(Order.HOT, 1).rows, "listings come back by themselves")


def test_new_connection_to_a_hung_server_has_the_same_timeout(server: Server) -> None:
    server.opened()
    site = server.hurried()
    with server.hung(), no_time_passing():
        with pytest.raises(StoreUnavailable, match="Timeout"):
            site.maintenance.server.ping()
        with pytest.raises(StoreUnavailable, match=NOT_ASKED):
            site.maintenance.server.ping()


def test_first_page_after_a_restart_has_no_error(server: Server) -> None:
    site = server.opened()
    publish(site, 7)
    server.running.stop()
    server.start()
    assert site.posts.rows([7], viewer=ADA)[0].vote is Vote.UP


def test_everything_is_unavailable_during_an_outage_and_then_recovers(server: Server) -> None:
    site = server.opened()
    publish(site, 7)
    server.running.stop()
    for _ in range(3):
        with pytest.raises(StoreUnavailable):
            site.listings.page(Order.HOT, 1)
    server.start()
    until(lambda: vote(site, BRAM, 7), "votes are taken again")
    assert tallies(server.plain(), 7) == (2, 0)


@pytest.mark.parametrize("state", [Server.full, Server.read_only, Server.without_replicas])
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_server_that_refuses_writes_still_shows_pages_and_nothing_is_half_done(
    server: Server,
    write: Callable[[VotingService], object],
    state: Callable[[Server], AbstractContextManager[None]],
) -> None:
    site = server.opened()
    publish(site, 7)
    with server.plain() as plain, state(server):
        before = contents(plain)
        with pytest.raises(StoreUnavailable):
            write(site)
        assert contents(plain) == before
        assert site.listings.page(Order.HOT, 1, viewer=ADA).rows[0].vote is Vote.UP
    write(site)


def test_full_server_can_still_be_closed_and_cleared(server: Server) -> None:
    site = server.opened()
    publish(site, 7)
    generation = site.maintenance.generations.current()
    with server.full():
        ended = dict.fromkeys(site.maintenance.ledger.shards, generation)
        assert site.maintenance.generations.close() == site.maintenance.generations.close() == ended
        (entry,) = site.maintenance.ledger.read({7: "0-0"})
        site.maintenance.ledger.trim({7: entry.id})
        site.maintenance.generations.clear()
    assert site.maintenance.generations.close() == {}


def test_foreign_key_in_place_of_a_post_makes_only_that_post_unavailable(
    site: VotingService, redis: Redis
) -> None:
    publish(site, 7)
    publish(site, 8)
    redis.delete(keys.post(8))
    redis.set(keys.post(8), "not ours")
    with pytest.raises(StoreUnavailable, match="WRONGTYPE"):
        vote(site, BRAM, 8)
    assert vote(site, BRAM, 7).points == 2
    assert redis.get(keys.post(8)) == "not ours", "it is not our error"


@pytest.mark.parametrize("taken", ["-evalsha", "-xadd", "resetkeys"])
def test_account_without_permissions_is_unavailable(server: Server, taken: str) -> None:
    site = server.opened()
    publish(site, 7)
    with server.plain() as plain:
        plain.execute_command("ACL", "SETUSER", "default", taken)
        with pytest.raises(StoreForbidden):
            vote(site, BRAM, 7)
        plain.execute_command("ACL", "SETUSER", "default", "+@all", "allkeys")
    site.maintenance.server.ping()


def test_server_that_suddenly_wants_a_password_is_unavailable(server: Server) -> None:
    """The server replies to long commands with a protocol error that doesn't mention a password."""
    with server.plain() as plain:
        publish(server.opened(), 7)
        plain.config_set("requirepass", "secret")
        stranger = connect(server.url, Rules())
        try:
            with pytest.raises(StoreUnavailable):
                vote(stranger, BRAM, 7)
            with pytest.raises(StoreUnavailable):
                stranger.store.command("SET", "key", "x" * 100_000)
        finally:
            plain.config_set("requirepass", "")


def test_server_without_that_database_is_unavailable(server: Server) -> None:
    with pytest.raises(StoreUnavailable, match="DB index is out of range"):
        connect(server.url.replace("db=0", "db=999"), Rules()).maintenance.server.ping()


def test_programming_errors_are_not_reported_as_outages(site: VotingService) -> None:
    with pytest.raises(ResponseError):
        site.store.command("NOSUCHCOMMAND")
    site.maintenance.server.ping()


def test_lost_scripts_are_sent_again(site: VotingService, redis: Redis) -> None:
    publish(site, 7)
    redis.script_flush()
    assert vote(site, BRAM, 7).changed
    redis.script_flush()
    mix = parse_mix("python+redis+lua")
    assert site.listings.page(Order.TOP_DAY, 1, group=mix, viewer=BRAM).rows[0].vote is Vote.UP
    redis.script_flush()
    assert site.posts.get(7, viewer=BRAM)[1].rank == 1
    redis.script_flush()
    assert len(site.posts.standings([7, 8, 9])) == 1
    assert tallies(redis, 7) == (2, 0)


def test_forked_process_uses_its_own_connections(server: Server) -> None:
    pool = GuardedPool.from_url(server.url)
    pool.release(pool.get_connection())
    theirs, ours = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(ours, b"own" if pool.get_connection().pid == os.getpid() else b"the parent's")
        finally:
            os._exit(0)
    os.close(ours)
    os.waitpid(child, 0)
    assert os.read(theirs, 20) == b"own"
    os.close(theirs)


def test_command_with_a_lost_reply_is_not_repeated(redis: Redis) -> None:
    with relay(server_socket()) as passing:
        site = site_at(passing.url)
        site.maintenance.server.ping()
        passing.losing_replies = True
        with pytest.raises(StoreUnavailable):
            site.store.command("INCR", "counted")
    assert redis.get("counted") == "1", "counted once, although the reply was lost"


def test_vote_with_a_lost_reply_counts_once_when_repeated(redis: Redis) -> None:
    with relay(server_socket()) as passing:
        site = site_at(passing.url)
        publish(site, 7)
        vote(site, BRAM, 7, Vote.DOWN)
        passing.losing_replies = True
        with pytest.raises(StoreUnavailable):
            vote(site, BRAM, 7, Vote.UP)
        assert tallies(redis, 7) == (2, 0), "the server received it"
        passing.losing_replies = False
        again = until(lambda: vote(site, BRAM, 7), "the line is back")
    assert (again.vote, again.up, again.changed) == (Vote.UP, 2, False)
    assert [entry[0] for entry in ledger(redis, 7)] == [ADA, BRAM, BRAM]


def test_outage_of_one_server_does_not_affect_another(server: Server, site: VotingService) -> None:
    server.opened()
    hurt = server.hurried()
    with server.hung():
        with pytest.raises(StoreUnavailable):
            hurt.maintenance.server.ping()
        site.maintenance.server.ping()


@pytest.mark.parametrize(
    "words",
    [
        ("PING",),
        ("CONFIG GET", "maxmemory"),
        (b"GET", b"key"),
        (b"CONFIG GET", "maxmemory"),
        ("SET", "naïve \N{SNOWMAN}", b"\x00\xff\r\n", 7, -7, 2**40, 0.1, 1e300, 432.0, ""),
        ("SET", "key", bytearray(b"value")),
    ],
)
def test_commands_are_serialized_like_redis_py_does(words: tuple[object, ...]) -> None:
    encoder: Any = Encoder("utf-8", "strict", False)  # type: ignore[no-untyped-call]
    plain: Any = PythonRespSerializer(6_000, encoder.encode)
    assert b"".join(Packer().pack(*words)) == b"".join(plain.pack(*words))


def test_invalid_words_are_not_sent() -> None:
    with pytest.raises(DataError):
        Packer().pack("SET", "key", None)
