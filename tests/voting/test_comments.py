"""Comments: publishing, changing, retracting, tallies and loading."""

import pytest
from redis import Redis

from tests.voting.comments import (
    POST,
    assert_comment_fits,
    comment,
    ledger,
    publish_comment,
    record,
    vote,
    voters,
)
from tests.voting.sites import ADA, BRAM, CLEO, DINA, HOUR, WEEK, Clock, publish
from voting import keys
from voting.errors import StoreEmpty, UnknownTarget
from voting.service import VotingService
from voting.types import Target, Vote
from voting.types.comments import CommentTally


@pytest.fixture(autouse=True)
def _post(site: VotingService) -> None:
    publish(site, POST, author=ADA)


def test_a_comment_starts_with_its_authors_own_up_vote(site: VotingService, redis: Redis) -> None:
    publish_comment(site, 1, author=BRAM)
    tally = site.comments.tallies(POST, [1], viewer=BRAM)[1]
    assert tally == CommentTally(1, 0, Vote.UP, site.now() + WEEK)
    assert voters(redis, 1) == ({BRAM}, set())
    assert ledger(redis, 1) == [(BRAM, 1, 1, 0)], "the ledger has it"


def test_ledger_names_comment_and_post_of_a_vote(site: VotingService) -> None:
    publish_comment(site, 1)
    vote(site, CLEO, 1, Vote.DOWN)
    cursors = dict.fromkeys(site.maintenance.ledger.shards, "0-0")
    entries = [entry for entry in site.maintenance.ledger.read(cursors) if entry.target.comment_id]
    assert [(entry.target, entry.user_id, entry.vote) for entry in entries] == [
        (Target(POST, 1), BRAM, Vote.UP),
        (Target(POST, 1), CLEO, Vote.DOWN),
    ]


def test_publishing_a_comment_again_keeps_its_votes(site: VotingService, redis: Redis) -> None:
    published = publish_comment(site, 1)
    vote(site, BRAM, 1, Vote.NONE)
    vote(site, CLEO, 1)
    site.comments.publish(published, published)
    assert voters(redis, 1) == ({CLEO}, set())
    assert_comment_fits(redis, site, 1)


def test_retracted_comment_accepts_and_shows_no_votes(site: VotingService, redis: Redis) -> None:
    publish_comment(site, 1)
    vote(site, CLEO, 1)
    site.comments.retract(POST, 1, 2)
    with pytest.raises(UnknownTarget):
        vote(site, DINA, 1)
    assert site.comments.tallies(POST, [1]) == {}
    assert voters(redis, 1) == ({BRAM, CLEO}, set()), "its votes stay"


def test_late_publication_does_not_restore_a_comment(site: VotingService) -> None:
    published = publish_comment(site, 1)
    site.comments.retract(POST, 1, 2)
    site.comments.publish(published)
    assert site.comments.tallies(POST, [1]) == {}
    publish_comment(site, 1, version=3)
    assert 1 in site.comments.tallies(POST, [1]), "a newer version does"


def test_comment_retracted_before_it_was_published_stays_retracted(site: VotingService) -> None:
    site.comments.retract(POST, 1, 2)
    publish_comment(site, 1, version=1)
    with pytest.raises(UnknownTarget):
        vote(site, CLEO, 1)


def test_late_retraction_after_a_newer_change_does_nothing(site: VotingService) -> None:
    publish_comment(site, 1, version=3)
    site.comments.retract(POST, 1, 2)
    assert 1 in site.comments.tallies(POST, [1])


def test_comments_of_a_retracted_post_accept_no_votes(site: VotingService) -> None:
    publish_comment(site, 1)
    site.posts.retract(POST)
    with pytest.raises(UnknownTarget):
        vote(site, CLEO, 1)
    publish(site, POST)
    assert vote(site, CLEO, 1).up == 2


def test_comment_is_unknown_under_another_post(site: VotingService, redis: Redis) -> None:
    same_shard = POST + keys.SHARDS
    publish(site, same_shard)
    publish_comment(site, 1)
    with pytest.raises(UnknownTarget):
        vote(site, CLEO, 1, post_id=same_shard)
    assert ledger(redis, 1, same_shard) == []


def test_tallies_of_a_whole_thread_show_each_viewer_their_own_votes(site: VotingService) -> None:
    for number in range(1, 1_201):
        publish_comment(site, number, author=BRAM if number % 2 else CLEO)
    vote(site, CLEO, 1, Vote.DOWN)
    found = site.comments.tallies(POST, [*range(1, 1_201), 5_555], viewer=CLEO)
    assert set(found) == set(range(1, 1_201)), "unknown comments are left out"
    assert found[1] == CommentTally(1, 1, Vote.DOWN, site.now() + WEEK)
    assert found[2].vote is Vote.UP
    assert found[3].vote is Vote.NONE
    assert site.comments.tallies(POST, [1])[1].vote is None, "nobody looks"
    assert site.comments.tallies(POST, []) == {}


def test_own_votes_on_comments_are_known_until_an_hour_after_closing(
    site: VotingService, clock: Clock
) -> None:
    publish_comment(site, 1)
    clock.advance(WEEK + HOUR - 1)
    assert site.comments.tallies(POST, [1], viewer=BRAM)[1].vote is Vote.UP
    clock.advance(1)
    assert site.comments.tallies(POST, [1], viewer=BRAM)[1] == CommentTally(
        1, 0, None, site.now() - HOUR
    )


def test_thread_has_row_standing_and_tallies(site: VotingService) -> None:
    publish_comment(site, 1)
    state = site.comments.thread(POST, [1, 2], viewer=ADA)
    assert (state.row.id, state.row.vote, state.standing.rank) == (POST, Vote.UP, 1)
    assert {one: tally.points for one, tally in state.tallies.items()} == {1: 1}
    with pytest.raises(UnknownTarget):
        site.comments.thread(99, [1])


def test_loaded_comment_has_its_votes_and_accepts_more(
    site: VotingService, redis: Redis, clock: Clock
) -> None:
    recent = comment(site, 1, ago=HOUR)
    closed = comment(site, 2, ago=2 * WEEK)
    old_answer = comment(site, 3, ago=2 * WEEK, answer=True)
    people = range(100, 120)
    records = [
        record(one, ups=(BRAM, *people), downs=(DINA,)) for one in (recent, closed, old_answer)
    ]
    assert site.maintenance.loading.load_comments(records) == 3
    assert site.maintenance.loading.load_comments(records) == 0, (
        "known comments are not loaded again"
    )
    assert voters(redis, 1) == voters(redis, 3) == ({BRAM, *people}, {DINA})
    assert voters(redis, 2) == (set(), set()), "the voter set has expired"
    assert site.comments.tallies(POST, [2])[2].points == 20
    assert not vote(site, DINA, 1, Vote.DOWN).changed
    assert vote(site, DINA, 3, Vote.UP).up == 22
    assert redis.ttl(keys.voters(Target(POST, 3))) == -1, "answers stay open"
    assert 0 < redis.ttl(keys.voters(Target(POST, 1))) <= WEEK
    assert not list(redis.scan_iter("*:voters:*")), "no temporary voter sets are left"


def test_emptied_store_refuses_everything_about_comments(site: VotingService, redis: Redis) -> None:
    published = publish_comment(site, 1)
    redis.flushall()
    for attempt in (
        lambda: site.comments.publish(published),
        lambda: site.comments.retract(POST, 1, 2),
        lambda: site.comments.tallies(POST, [1]),
        lambda: site.comments.newest(POST, count=5),
        lambda: site.comments.fill_newest(POST, "x", [], floor=0),
        lambda: site.maintenance.loading.load_comments([record(published)]),
        lambda: vote(site, CLEO, 1),
    ):
        with pytest.raises(StoreEmpty):
            attempt()
    assert not redis.keys("*"), "and nothing is left behind"
    assert site.maintenance.loading.load_comments([record(published)], filling=True) == 1, (
        "a rebuild may"
    )
