"""Rate limits, and the refusal of texts that a person has sent before."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from time import time

import pytest
from django.conf import settings
from redis import Redis

from tests.voting import comments, stored_state
from tests.voting.sites import ADA, BRAM, CLEO, Clock, publish, site_at
from voting import keys
from voting.errors import Throttled, TooManyVotes
from voting.service import VotingService
from voting.types import Target, Vote
from voting.types.limits import DailyVotes, RateLimit, VoteRule, Window

COMMENTS = (Window(1, 5), Window(2, 60), Window(4, 300))
LONG = 600
"""A window (s) that is longer than any test, since Redis expires windows by its own clock."""


def of(person: int, action: str = "comment", *, same_text: int = 0) -> RateLimit:
    """Return a rate limit for an action of a person. Its time windows are those in `COMMENTS`."""
    return RateLimit(f"u{person}", action, COMMENTS, same_text)


def wait(site: VotingService, pace: RateLimit, text: str = "") -> int:
    """Try an action once. Return how many seconds to wait, or 0 if the action was allowed."""
    try:
        site.limits.check(pace, text)
    except Throttled as error:
        return error.retry_after_seconds
    return 0


@pytest.mark.parametrize(("allowed", "pause", "seconds"), [(1, 0, 5), (2, 10, 40), (4, 60, 60)])
def test_comment_over_a_limit_must_wait_however_often_it_is_tried(
    site: VotingService, clock: Clock, allowed: int, pause: int, seconds: int
) -> None:
    for _comment in range(allowed):
        assert wait(site, of(BRAM)) == 0
        clock.advance(pause)
    for left in range(seconds, -1, -1):
        assert wait(site, of(BRAM)) == left
        clock.advance(1)


def test_fractions_of_a_second_count(redis: Redis) -> None:
    times = iter([1000.9, 1600.0, 1600.8, 1600.9])
    site = site_at(settings.REDIS_URL, clock=lambda: next(times))
    waits = [wait(site, replace(of(BRAM), windows=(Window(1, LONG),))) for _try in range(4)]
    assert waits == [0, 1, 1, 0], "ten minutes are whole ones, and the answer is rounded up"


def test_fractions_of_a_second_count_for_votes(redis: Redis) -> None:
    at = [float(int(time()))]
    site = site_at(settings.REDIS_URL, clock=lambda: at[0])
    publish(site, 7)
    publish(site, 8)
    pace = RateLimit(f"u{BRAM}", "vote", (Window(1, LONG),))
    at[0] += 0.999
    site.votes.cast(BRAM, Target(7), Vote.UP, limit=pace)
    at[0] += LONG - 0.999
    with pytest.raises(Throttled) as refused:
        site.votes.cast(BRAM, Target(8), Vote.UP, limit=pace)
    assert refused.value.retry_after_seconds == 1, "rounded up"
    at[0] += 0.999
    assert site.votes.cast(BRAM, Target(8), Vote.UP, limit=pace).changed


def test_looking_at_a_limit_counts_nothing_and_says_how_long_to_wait(
    site: VotingService, clock: Clock
) -> None:
    for _look in range(3):
        site.limits.peek(of(BRAM))
    assert wait(site, of(BRAM)) == 0
    clock.advance(2)
    with pytest.raises(Throttled) as refused:
        site.limits.peek(of(BRAM))
    assert refused.value.retry_after_seconds == 3
    clock.advance(3)
    site.limits.peek(of(BRAM))
    assert wait(site, of(BRAM)) == 0


def test_people_and_actions_are_limited_separately(site: VotingService) -> None:
    assert wait(site, of(BRAM)) == 0
    assert wait(site, of(CLEO)) == 0
    assert wait(site, of(BRAM, "post")) == 0


def test_same_text_is_refused_whatever_its_case_and_spaces(
    site: VotingService, clock: Clock
) -> None:
    pace = replace(of(BRAM, same_text=600), windows=(Window(100, 1),))
    assert wait(site, pace, "Buy this!") == 0
    clock.advance(100)
    with pytest.raises(Throttled) as refused:
        site.limits.check(pace, " buy\n THIS! ")
    assert (refused.value.retry_after_seconds, refused.value.repeated) == (500, True)
    assert wait(site, pace, "Buy that!") == 0
    assert wait(site, replace(pace, subject="u99"), "Buy this!") == 0, "others may send it"
    clock.advance(500)
    assert wait(site, pace, "Buy this!") == 0


def test_action_without_text_is_never_a_repeated_text(site: VotingService, clock: Clock) -> None:
    for _time in range(2):
        assert wait(site, of(BRAM, same_text=600)) == 0
        clock.advance(5)


def test_unsaved_text_may_be_sent_again_but_its_hit_counts(site: VotingService) -> None:
    pace = replace(of(BRAM, same_text=600), windows=(Window(2, 60),))
    assert wait(site, pace, "Hello") == 0
    site.limits.forget_text(pace, " HELLO ")
    assert wait(site, pace, "Hello") == 0
    assert wait(site, pace, "Another") > 0


def test_throttled_text_may_be_sent_later(site: VotingService, clock: Clock) -> None:
    wait(site, of(BRAM, same_text=600), "one")
    assert wait(site, of(BRAM, same_text=600), "two") == 5
    clock.advance(5)
    assert wait(site, of(BRAM, same_text=600), "two") == 0


def test_parallel_hits_pass_exactly_up_to_the_limit(site: VotingService) -> None:
    pace = replace(of(BRAM), windows=(Window(7, 60), Window(50, 300)))
    with ThreadPoolExecutor(20) as threads:
        waits = list(threads.map(lambda _hit: wait(site, pace), range(100)))
    assert waits.count(0) == 7


def test_only_one_of_parallel_hits_with_the_same_text_passes(site: VotingService) -> None:
    pace = RateLimit("u5", "post", (Window(1_000, 60),), same_text=60)
    with ThreadPoolExecutor(20) as threads:
        waits = list(threads.map(lambda _hit: wait(site, pace, "the same"), range(100)))
    assert waits.count(0) == 1


def test_hits_expire_with_their_window(redis: Redis, site: VotingService, clock: Clock) -> None:
    pace = replace(of(BRAM, same_text=9 * LONG), windows=(Window(3, LONG),))
    pause = LONG * 4 // 10
    for number in range(50):
        wait(site, pace, f"text {number}")
        clock.advance(pause)
    times, texts = "{w:u2}:comment", "{w:u2}:comment:texts"
    assert redis.zcard(times) == 3
    assert 0 < int(redis.ttl(times)) <= LONG
    assert int(redis.zcard(texts)) <= 9 * LONG // pause + 1
    assert 0 < int(redis.ttl(texts)) <= 9 * LONG


def test_votes_are_limited(site: VotingService) -> None:
    publish(site, 7)
    pace = RateLimit(f"u{BRAM}", "vote", (Window(2, 60),))
    assert site.votes.cast(BRAM, Target(7), Vote.UP, limit=pace).changed
    site.votes.cast(BRAM, Target(7), Vote.UP, limit=pace)  # the same vote: no change, so no hit
    site.votes.cast(BRAM, Target(7), Vote.NONE, limit=pace)
    with pytest.raises(Throttled) as refused:
        site.votes.cast(BRAM, Target(7), Vote.DOWN, limit=pace)
    assert refused.value.retry_after_seconds == 60
    assert site.posts.rows([7], viewer=BRAM)[0].vote is Vote.NONE, "a refused vote changes nothing"


def test_parallel_votes_count_exactly_up_to_the_limit(site: VotingService) -> None:
    for post_id in range(1, 101):
        publish(site, post_id)
    pace = RateLimit(f"u{BRAM}", "vote", (Window(20, 60),))

    def vote(post_id: int) -> bool:
        try:
            return site.votes.cast(BRAM, Target(post_id), Vote.UP, limit=pace).changed
        except Throttled:
            return False

    with ThreadPoolExecutor(20) as threads:
        assert sum(threads.map(vote, range(1, 101))) == 20
    rows = site.posts.rows(range(1, 101), viewer=BRAM)
    assert sum(row.vote is Vote.UP for row in rows) == 20


@pytest.mark.parametrize(
    "on", [Target(comments.POST), Target(comments.POST, 1)], ids=["post", "comment"]
)
def test_repeated_vote_is_allowed_over_the_limit(site: VotingService, on: Target) -> None:
    publish(site, comments.POST)
    comments.publish_comment(site, 1)
    pace = RateLimit(f"u{CLEO}", "vote", (Window(1, LONG),))
    assert site.votes.cast(CLEO, on, Vote.DOWN, limit=pace).changed
    ballot = site.votes.cast(CLEO, on, Vote.DOWN, limit=pace)
    assert (ballot.changed, ballot.vote, ballot.up, ballot.down) == (False, Vote.DOWN, 1, 1)
    for wanted in (Vote.NONE, Vote.UP):
        with pytest.raises(Throttled) as refused:
            site.votes.cast(CLEO, on, wanted, limit=pace)
        assert refused.value.retry_after_seconds == LONG
    ballot = site.votes.cast(CLEO, on, Vote.DOWN)
    assert (ballot.changed, ballot.up, ballot.down) == (False, 1, 1), "refused, nothing changed"


def test_hits_from_a_clock_an_hour_ahead_block_nobody(site: VotingService, clock: Clock) -> None:
    publish(site, 7, author=BRAM)
    paced = replace(of(CLEO, "vote"), windows=(Window(1, LONG),))
    clock.advance(3_600)
    assert wait(site, of(BRAM, same_text=LONG), "hello") == 0
    site.votes.cast(CLEO, Target(7), Vote.UP, limit=paced)
    clock.advance(-3_600)
    assert wait(site, of(BRAM, same_text=LONG), "hello") == 0
    assert site.votes.cast(CLEO, Target(7), Vote.DOWN, limit=paced).changed
    assert wait(site, of(BRAM, same_text=LONG), "hello") == LONG, "and limits hold again"
    with pytest.raises(Throttled):
        site.votes.cast(CLEO, Target(7), Vote.UP, limit=paced)


def test_small_clock_differences_do_not_weaken_limits(site: VotingService, clock: Clock) -> None:
    assert wait(site, of(BRAM)) == 0
    clock.advance(-30)
    assert wait(site, of(BRAM)) == 35


def test_lowered_limit_counts_earlier_hits(site: VotingService, redis: Redis, clock: Clock) -> None:
    many, few = (replace(of(BRAM), windows=(Window(hits, LONG),)) for hits in (5, 2))
    for _hit in range(4):
        assert wait(site, many) == 0
        clock.advance(100)
    assert wait(site, few) == LONG - 200, "the second last must leave first"
    clock.advance(LONG - 200)
    assert wait(site, few) == 0
    assert redis.zcard("{w:u2}:comment") == 2, "no more hits are stored than windows need"
    assert wait(site, few) == 100
    assert wait(site, many) == 0, "raised again, it counts what is known"


def test_times_are_read_only_at_the_limit(site: VotingService, redis: Redis) -> None:
    for post_id in range(1, 5):
        publish(site, post_id)
    pace = RateLimit(f"u{BRAM}", "vote", (Window(3, LONG), Window(4, 5 * LONG)))
    site.votes.cast(BRAM, Target(1), Vote.UP, limit=pace)  # the server loads the scripts

    def commands(post_id: int) -> dict[str, int]:
        def cast() -> None:
            with suppress(Throttled):
                site.votes.cast(BRAM, Target(post_id), Vote.UP, limit=pace)

        ran = stored_state.commands(redis, cast)
        return {name: ran[name] for name in ("zcard", "zrange", "zremrangebyrank")}

    for post_id in (2, 3):
        assert commands(post_id) == {"zcard": 1, "zrange": 0, "zremrangebyrank": 0}
    assert commands(4) == {"zcard": 1, "zrange": 1, "zremrangebyrank": 0}, "one window is full"


GENEROUS = RateLimit(f"u{CLEO}", "vote", (Window(200, 86_400),))


def vote_on(
    site: VotingService, post_id: int, daily: DailyVotes, vote: Vote = Vote.UP
) -> tuple[int, VoteRule | None]:
    """Cast a vote. Return how many seconds to wait and because of which limit; 0 if it counts."""
    try:
        assert site.votes.cast(CLEO, Target(post_id), vote, limit=GENEROUS, daily=daily).changed
    except TooManyVotes as error:
        return error.retry_after_seconds, error.rule
    return 0, None


@pytest.fixture
def many_posts(site: VotingService) -> VotingService:
    """A site with posts 1 to 5 by Ada, and 6 to 9 by Bram."""
    for post_id in range(1, 10):
        publish(site, post_id, author=ADA if post_id < 6 else BRAM)
    return site


def test_votes_on_one_author_have_a_limit_a_day(many_posts: VotingService, clock: Clock) -> None:
    limit = DailyVotes(on_author=2)
    assert vote_on(many_posts, 1, limit) == (0, None)
    clock.advance(600)
    assert vote_on(many_posts, 2, limit, Vote.DOWN) == (0, None)
    clock.advance(600)
    assert vote_on(many_posts, 3, limit) == (86_400 - 1_200, VoteRule.ON_AUTHOR)
    assert vote_on(many_posts, 6, limit) == (0, None), "this post is by somebody else"
    assert vote_on(many_posts, 1, limit, Vote.NONE) == (0, None), "votes can be taken back"
    clock.advance(86_400 - 1_200)
    assert vote_on(many_posts, 3, limit) == (0, None)


def test_down_votes_have_limits_a_day(many_posts: VotingService) -> None:
    limits = DailyVotes(down=3, down_on_author=2)
    for post_id in (1, 2):
        assert vote_on(many_posts, post_id, limits, Vote.DOWN) == (0, None)
    assert vote_on(many_posts, 3, limits, Vote.DOWN) == (86_400, VoteRule.DOWN_ON_AUTHOR)
    assert vote_on(many_posts, 3, limits) == (0, None), "up votes have no such limits"
    assert vote_on(many_posts, 6, limits, Vote.DOWN) == (0, None)
    assert vote_on(many_posts, 7, limits, Vote.DOWN) == (86_400, VoteRule.DOWN)


def test_refused_vote_makes_nobody_wait_longer(many_posts: VotingService, redis: Redis) -> None:
    vote_on(many_posts, 1, DailyVotes(on_author=1))
    for post_id in (2, 3, 4):
        assert vote_on(many_posts, post_id, DailyVotes(on_author=1))[1] is VoteRule.ON_AUTHOR
    assert redis.zcard(keys.window("vote", f"u{CLEO}")) == 1


def test_comments_count_for_the_author_too(many_posts: VotingService) -> None:
    many_posts.comments.publish(comments.comment(many_posts, 1, post_id=7, author=ADA))
    many_posts.votes.cast(
        CLEO, Target(7, 1), Vote.UP, limit=GENEROUS, daily=DailyVotes(on_author=1)
    )
    assert vote_on(many_posts, 1, DailyVotes(on_author=1))[1] is VoteRule.ON_AUTHOR
    with pytest.raises(TooManyVotes):
        many_posts.votes.cast(
            CLEO, Target(7, 1), Vote.DOWN, limit=GENEROUS, daily=DailyVotes(on_author=1)
        )


def test_limits_a_day_send_redis_no_more_commands_until_one_may_be_reached(
    many_posts: VotingService, redis: Redis
) -> None:
    if many_posts.store.is_cluster:
        pytest.skip("other servers of a cluster run commands, too")
    vote_on(many_posts, 9, DailyVotes())

    def commands(post_id: int, daily: DailyVotes) -> int:
        redis.config_resetstat()
        vote_on(many_posts, post_id, daily, Vote.DOWN)
        return sum(int(one["calls"]) for one in redis.info("commandstats").values())

    without = commands(1, DailyVotes())
    assert commands(2, DailyVotes(100, 20, 10)) == without
    assert commands(3, DailyVotes(100, 3)) == without + 1, "they are read"
