"""A person's unread counts, by type of inbox item."""

from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

from redis import Redis

from tests.voting.relays import relay, server_socket
from tests.voting.sites import BRAM, CLEO, publish, site_at
from voting.keys import people
from voting.service import VotingService
from voting.types.inbox import UnreadCounts


def counts(user_id: int, at: int, **by_type: int) -> UnreadCounts:
    """Return a person's unread counts (`by_type`), as if SQL had counted them at the time `at`."""
    return UnreadCounts(user_id, MappingProxyType(by_type), at)


def test_unread_counts_by_type(site: VotingService) -> None:
    site.inbox.put([counts(BRAM, 1, reply=2, mention=1), counts(CLEO, 1, follower=4)])
    bram = site.inbox.unread(BRAM)
    assert dict(bram.by_type) == {"reply": 2, "mention": 1}
    assert bram.total == 3
    assert site.inbox.unread(CLEO).by_type == {"follower": 4}
    publish(site, 7)
    assert site.comments.thread(7, (), viewer=BRAM).unread == 3


def test_person_without_notifications_has_none_unread(site: VotingService) -> None:
    assert site.inbox.unread(BRAM).total == 0


def test_putting_counts_twice_changes_nothing(site: VotingService) -> None:
    site.inbox.put([counts(BRAM, 1, reply=2, mention=1)])
    for _time in range(2):
        site.inbox.put([counts(BRAM, 2, reply=1)])
    assert site.inbox.unread(BRAM).by_type == {"reply": 1}
    site.inbox.put([counts(BRAM, 3)])
    assert site.inbox.unread(BRAM).total == 0


def test_of_parallel_counts_the_last_to_begin_wins(site: VotingService) -> None:
    several = [counts(BRAM, at, reply=at) for at in range(1, 201)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda one: site.inbox.put([one]), reversed(several)))
    assert site.inbox.unread(BRAM).by_type == {"reply": 200}


def test_many_counts_are_written_in_few_round_trips() -> None:
    with relay(server_socket()) as line:
        site = site_at(line.url)
        site.inbox.put([counts(BRAM, 1)])
        site.inbox.unread(BRAM)
        with line.counting():
            site.inbox.put(counts(number, 1, reply=number) for number in range(1, 1_001))
        assert line.round_trips == 2
        with line.counting():
            site.inbox.fill(counts(number, 2, reply=number) for number in range(1, 1_001))
        assert line.round_trips == 2
        with line.counting():
            assert site.inbox.unread(7).total == 7
        assert line.round_trips == 1


def test_fill_removes_old_counts_and_creates_no_empty_keys(
    redis: Redis, site: VotingService
) -> None:
    site.inbox.put([counts(BRAM, 1, reply=3)])
    site.inbox.fill([counts(BRAM, 2), counts(CLEO, 2)])
    assert site.inbox.unread(BRAM).total == 0
    assert not redis.exists(people.unread(CLEO))
    site.inbox.put([counts(BRAM, 1, reply=3)])
    assert site.inbox.unread(BRAM).total == 0, "counted before the fill"


def test_one_persons_counts_are_a_small_hash_with_their_other_keys(
    redis: Redis, site: VotingService
) -> None:
    site.inbox.put([counts(BRAM, 1, reply=2, mention=1, watched=30, follower=4, accepted=1)])
    key = people.unread(BRAM)
    assert key.startswith(people.user(BRAM))
    assert redis.type(key) == "hash"
    assert int(redis.memory_usage(key) or 0) < 300
