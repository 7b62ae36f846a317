"""Leaderboards of a day and of a week. A week's points are the sum of its seven days."""

from datetime import date, timedelta

import pytest
from redis import Redis

from tests.voting.sites import DAY, Clock
from voting.errors import StoreEmpty
from voting.keys import daily
from voting.keys.daily import day_end, day_of
from voting.service import VotingService
from voting.types.boards import Board, BoardKey, BoardKind


def today(site: VotingService) -> date:
    return day_of(site.now())


def write(site: VotingService, points: dict[int, int], *, ago: int = 0, group: str = "") -> None:
    """Write to a day's leaderboard the points that posts got on that day."""
    day = today(site) - timedelta(days=ago)
    site.boards.write({BoardKey(day, group, BoardKind.POST, who): n for who, n in points.items()})


def lines(board: Board) -> list[tuple[int, int]]:
    return [(placing.subject_id, placing.points) for placing in board.lines]


def posts(site: VotingService, ago: int = 0, group: str = "") -> list[tuple[int, int]]:
    """Return a day's leaderboard of posts."""
    return lines(site.boards.day(today(site) - timedelta(days=ago), group=group).posts)


def week(site: VotingService, group: str = "") -> list[tuple[int, int]]:
    return lines(site.boards.week(today(site), group=group).posts)


def test_most_points_come_first_and_newer_ids_win_ties(site: VotingService) -> None:
    write(site, {1: 5, 2: 9, 30: 5})
    assert posts(site) == [(2, 9), (30, 5), (1, 5)]


def test_repeated_writes_change_nothing_and_zero_removes_a_line(
    site: VotingService,
) -> None:
    for _ in range(2):
        write(site, {1: 5, 2: 9})
    write(site, {2: 0})
    assert posts(site) == [(1, 5)]


def test_negative_points_are_not_listed_but_count_in_the_week(
    site: VotingService,
) -> None:
    write(site, {1: -2, 2: -9})
    write(site, {1: 5, 2: 5}, ago=3)
    found = site.boards.day(today(site)).posts
    assert (lines(found), found.total) == ([], 0)
    assert week(site) == [(1, 3)]


def test_posts_people_and_groups_have_separate_leaderboards(site: VotingService) -> None:
    day = today(site)
    site.boards.write(
        {
            BoardKey(day, "", BoardKind.POST, 1): 1,
            BoardKey(day, "", BoardKind.PERSON, 1): 2,
            BoardKey(day, "lua", BoardKind.POST, 1): 3,
            BoardKey(day, "lua", BoardKind.PERSON, 1): 4,
        }
    )
    site_wide, of_lua = site.boards.day(day), site.boards.day(day, group="lua")
    assert (lines(site_wide.posts), lines(site_wide.people)) == ([(1, 1)], [(1, 2)])
    assert (lines(of_lua.posts), lines(of_lua.people)) == ([(1, 3)], [(1, 4)])
    assert lines(site.boards.week(day, group="lua").people) == [(1, 4)]


def test_week_is_the_sum_of_exactly_seven_days(site: VotingService) -> None:
    for ago in range(8):
        write(site, {1: 1, 10 + ago: 3}, ago=ago)
    found = week(site)
    assert found[0] == (1, 7)
    assert sorted(found[1:]) == [(10 + ago, 3) for ago in range(7)]


def test_week_of_long_days_lists_the_first_of_each_day_with_all_their_points(
    site: VotingService,
) -> None:
    write(site, {who: 1_000 - who for who in range(1, 301)}, ago=3)
    write(site, {1: -5, 201: 7, 300: 2_000})
    assert week(site)[:3] == [(300, 2_700), (2, 998), (3, 997)]
    shown = site.boards.week(today(site), page=9).posts
    assert shown.total == 202, "200 of the one day, and 201 and 300, who lead the other"
    assert lines(shown)[-1] == (200, 800)


def test_week_is_cached_for_a_minute_however_often_it_is_read(
    site: VotingService, redis: Redis
) -> None:
    write(site, {1: 1})
    assert week(site) == [(1, 1)]
    key = daily.week(BoardKind.POST, today(site).isoformat())
    ends_at = redis.pexpiretime(key)
    write(site, {1: 2})
    for _ in range(3):
        assert week(site) == [(1, 1)], "a fresh one is there"
    assert redis.pexpiretime(key) == ends_at, "reading never makes it last longer"
    redis.expire(key, 3_600)  # as after the clock of Redis was set back
    assert week(site) == [(1, 2)]


def test_leaderboard_has_pages(site: VotingService) -> None:
    write(site, {who: 100 - who for who in range(1, 61)})
    third = site.boards.day(today(site), page=3).posts
    assert lines(third) == [(who, 100 - who) for who in range(51, 61)]
    assert (third.total, third.first_rank) == (60, 51)
    assert lines(site.boards.day(today(site), page=4).posts) == []


def test_leaderboards_are_stored_for_forty_days(
    site: VotingService, redis: Redis, clock: Clock
) -> None:
    write(site, {1: 1}, ago=40)
    assert posts(site, 40) == [(1, 1)]
    write(site, {1: 1}, ago=41)
    key = daily.board(BoardKind.POST, (today(site) - timedelta(days=41)).isoformat())
    assert not redis.exists(key), "nobody can browse that far"
    write(site, {1: 1})
    newest = daily.board(BoardKind.POST, today(site).isoformat())
    assert redis.expiretime(newest) == day_end(today(site)) + 40 * DAY


def test_emptied_store_raises_instead_of_an_empty_leaderboard(
    site: VotingService, redis: Redis
) -> None:
    redis.flushdb()
    with pytest.raises(StoreEmpty):
        site.boards.day(today(site))
    with pytest.raises(StoreEmpty):
        site.boards.week(today(site))
