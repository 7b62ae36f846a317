"""`import_posts` imports each post exactly once, even after a crash, and reports bad rows."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from forum.management.commands.import_posts import Command
from forum.models import ArchivedVote, BoardPoints, Group, OutboxItem, Post, PreviewImage, User
from forum.operations.importing.csv_rows import repair_encoding
from forum.operations.importing.loading import load, tally
from forum.operations.importing.people import Names
from forum.operations.importing.plan import Options, Plan, make_plan
from forum.operations.repair.check import differences
from forum.store.service import get_voting_service
from tests.forum.concurrency import run_at_once
from tests.forum.factories import person, reader
from tests.forum.outages import redis_down
from tests.forum.worker_runs import run_worker
from voting.types import Order, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]

HEADER = "id,title,url,points,comments,author,created_at\n"
ROWS = (
    "1,A quiet page,https://www.example.org/quiet,5,2,mjn,2016-09-06T06:03:00\n",
    "2,Ask HN: How do you rest?,,3,9,pg,2016-09-06T07:50:00\n",
    "3,Show HN: A clock,https://clock.example.net/,2,0,mjn,2016-09-06T08:05:00\n",
    "4,Notes without a link,,1,0,o'brien,2016-09-07T08:05:00\n",
)
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes an import file and returns the file's path."""

    def write(*rows: str, header: str = HEADER) -> Path:
        path = tmp_path / "posts.csv"
        path.write_text(header + "".join(rows), encoding="utf-8")
        return path

    return write


def row(number: int, **more: Any) -> str:
    """Return a valid row of an import file. The values in `more` replace its default values."""
    fields = {
        "id": number,
        "title": f"Post number {number}",
        "url": f"https://example.org/{number}",
        "points": 1,
        "comments": 0,
        "author": f"author{number}",
        "created_at": f"2016-09-06T06:{number:02}:00",
    }
    return ",".join(str(value) for value in (fields | more).values()) + "\n"


def import_posts(path: Path, *options: str) -> None:
    call_command("import_posts", str(path), *options)


def test_worker_draws_images_of_imported_posts(write: Write) -> None:
    import_posts(write(*ROWS))
    assert not PreviewImage.objects.exists()
    run_worker()
    assert PreviewImage.objects.count() == len(ROWS)


def test_rows_become_posts_with_authors_groups_and_dates(write: Write, capsys: Any) -> None:
    import_posts(write(*ROWS))
    quiet = Post.objects.get(origin="hn:1")
    assert (quiet.title, quiet.url) == ("A quiet page", "https://www.example.org/quiet")
    assert quiet.author.username == "mjn"
    assert not quiet.author.has_usable_password()
    assert quiet.author.counts_at_once
    assert quiet.created_at == datetime(2016, 9, 6, 10, 3, tzinfo=UTC), "New York is 4 h behind"
    groups = {
        post.origin: [group.slug for group in post.groups.all()] for post in Post.objects.all()
    }
    assert groups == {"hn:1": ["links"], "hn:2": ["ask"], "hn:3": ["show"], "hn:4": ["texts"]}
    kinds = list(Post.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds == ["link", "question", "link", "text"]
    assert "4 loaded, 0 already there, 0 skipped" in capsys.readouterr().out


def test_search_finds_imported_posts_by_title_and_site(write: Write) -> None:
    import_posts(write(*ROWS))
    assert "A quiet page" in reader().get("/search?q=site:example.org").content.decode()
    assert "1 result<" in reader().get("/search?q=in:title+quiet").content.decode()


def test_a_common_domain_gets_a_group_of_its_own(write: Write) -> None:
    import_posts(write(*(row(n, url=f"https://www.example.org/{n}") for n in range(1, 4))))
    names = {group.slug for group in Post.objects.earliest("pk").groups.all()}
    assert names == {"links", "example.org"}
    assert get_voting_service().groups.sizes(["example.org"]) == {"example.org": 3}


def test_points_are_imported_without_a_vote_by_anybody(write: Write) -> None:
    import_posts(write(*ROWS, row(5, points=0), row(6, points=-105)))
    assert [post.points for post in Post.objects.order_by("origin")] == [5, 3, 2, 1, 0, -105]
    assert not ArchivedVote.objects.exists()
    assert not User.objects.filter(username__contains="reader").exists(), "nobody was invented"
    assert set(User.objects.values_list("karma", "likes_given")) == {(0, 0)}
    assert not BoardPoints.objects.exists()
    assert list(differences()) == []


def test_with_votes_points_are_votes_of_different_people_and_the_author_is_one(
    write: Write,
) -> None:
    import_posts(write(*ROWS), "--votes")
    for post, points in zip(Post.objects.order_by("pk"), (5, 3, 2, 1), strict=True):
        voters = set(
            ArchivedVote.objects.filter(post_id=post.pk, vote=1).values_list("user_id", flat=True)
        )
        assert len(voters) == post.up == points
        assert post.author_id in voters
        assert not post.down


def test_points_are_votes_as_they_are(write: Write, capsys: Any) -> None:
    import_posts(write(row(1, points=123), row(2, points=-105)), "--votes")
    points = [post.up - post.down for post in Post.objects.order_by("pk")]
    assert points == [123, -105]
    assert "different points" not in capsys.readouterr().out


def test_votes_of_a_popular_post_are_capped_and_reported(write: Write, capsys: Any) -> None:
    path = write(row(1, points=900), row(2, points=8), row(3, points=7))
    import_posts(path, "--votes", "7")
    assert set(Post.objects.values_list("up", flat=True)) == {7}
    assert "2 posts have different points than in the file, because of --votes=7." in (
        capsys.readouterr().out
    )
    import_posts(path, "--votes", "7")
    assert "different points" not in capsys.readouterr().out, "nothing was loaded this time"


@pytest.mark.parametrize(
    ("points", "most", "up", "down"),
    [(1, 9, 1, 0), (40, 9, 9, 0), (0, 9, 1, 1), (-3, 9, 1, 4), (-30, 9, 1, 8), (-3, 1, 1, 0)],
)
def test_points_below_one_become_down_votes(points: int, most: int, up: int, down: int) -> None:
    assert tally(points, most) == (up, down)


def test_votes_are_dated_while_voting_was_open(write: Write) -> None:
    import_posts(write(*(row(n, points=30) for n in range(1, 4))), "--until-now", "--votes")
    now, window = datetime.now(UTC), get_voting_service().rules.window
    for post in Post.objects.all():
        times = ArchivedVote.objects.filter(post_id=post.pk).values_list("at", flat=True)
        assert all(post.created_at <= at <= now for at in times)
        assert max(times).timestamp() < post.posted_at + window


def test_repeated_import_adds_nothing(write: Write, capsys: Any) -> None:
    import_posts(write(*ROWS))
    before = (Post.objects.count(), User.objects.count(), ArchivedVote.objects.count())
    import_posts(write(*ROWS))
    assert (Post.objects.count(), User.objects.count(), ArchivedVote.objects.count()) == before
    assert "0 loaded, 4 already there" in capsys.readouterr().out


def test_killed_import_continues_where_it_stopped(write: Write) -> None:
    path = write(*(row(n, points=n) for n in range(1, 8)))
    next(load(make_plan(path, Options("hn", batch=2))))
    assert Post.objects.count() == 2
    import_posts(path)
    assert [post.points for post in Post.objects.order_by("pk")] == [1, 2, 3, 4, 5, 6, 7]
    assert list(differences()) == []


def test_a_redis_that_dies_midway_loses_nothing(write: Write, redis: Any) -> None:
    path = write(*(row(n, points=n) for n in range(1, 6)))
    redis.config_set("maxmemory", 1)
    try:
        with pytest.raises(CommandError, match="Nothing is lost"):
            import_posts(path, "--batch", "2")
    finally:
        redis.config_set("maxmemory", 0)
    assert OutboxItem.waiting_posts().count() == Post.objects.count() == 2
    import_posts(path, "--batch", "2")
    assert get_voting_service().listings.page(Order.NEW, 1).total == Post.objects.count() == 5
    assert not OutboxItem.waiting_posts().exists()
    assert list(differences()) == []


def test_without_redis_import_says_what_to_start_and_writes_nothing(
    write: Write, settings: Any
) -> None:
    with redis_down(settings), pytest.raises(CommandError, match="does not respond"):
        import_posts(write(*ROWS))
    assert not User.objects.exists()


def test_until_now_shifts_all_dates_so_that_the_newest_is_now(write: Write) -> None:
    before = get_voting_service().now()
    import_posts(write(*ROWS), "--until-now")
    oldest, newest = Post.objects.earliest("created_at"), Post.objects.latest("created_at")
    assert newest.title == "Notes without a link"
    assert before <= newest.posted_at <= get_voting_service().now()
    assert newest.posted_at - oldest.posted_at == 26 * 3_600 + 2 * 60


def test_one_row_far_in_the_future_shifts_no_other(write: Write, capsys: Any) -> None:
    import_posts(write(*ROWS, row(9, created_at="2999-01-01T00:00:00")), "--until-now")
    output = capsys.readouterr()
    assert "4 loaded, 0 already there, 1 skipped" in output.out
    assert "its created_at is in the future" in output.err
    assert Post.objects.latest("created_at").title == "Notes without a link"


@pytest.mark.parametrize("options", [[], ["--votes"]])
def test_recent_posts_have_their_authors_up_votes(write: Write, options: list[str]) -> None:
    import_posts(write(*ROWS), "--until-now", *options)
    quiet = Post.objects.get(origin="hn:1")
    assert get_voting_service().posts.rows([quiet.pk], viewer=quiet.author_id)[0].vote is Vote.UP
    assert list(differences()) == []


def test_continued_import_keeps_the_dates_of_the_first(write: Write) -> None:
    import_posts(write(*ROWS), "--until-now")
    Post.objects.filter(origin="hn:1").update(created_at=datetime(2020, 1, 1, tzinfo=UTC))
    import_posts(write(*ROWS, row(9, created_at="2016-09-06T06:04:00")), "--until-now")
    assert Post.objects.get(origin="hn:9").created_at == datetime(2020, 1, 1, 0, 1, tzinfo=UTC)


def test_newer_posts_of_a_continued_import_are_not_in_the_future(write: Write) -> None:
    first = row(1, created_at="2016-09-06T06:00:00")
    import_posts(write(first), "--until-now")
    import_posts(write(first, row(2, created_at="2016-09-06T07:00:00")), "--until-now")
    assert Post.objects.get(origin="hn:2").posted_at <= get_voting_service().now()


def test_ids_grow_with_time_in_any_order_of_the_file(write: Write) -> None:
    import_posts(write(*reversed(ROWS)))
    origins = list(Post.objects.order_by("pk").values_list("origin", flat=True))
    assert origins == ["hn:1", "hn:2", "hn:3", "hn:4"]


def test_number_of_rows_is_limited(write: Write) -> None:
    import_posts(write(*ROWS), "--limit", "2")
    assert set(Post.objects.values_list("origin", flat=True)) == {"hn:1", "hn:2"}


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("7,Too few columns\n", "2 columns"),
        (row(7, title="VW"), "2 characters"),
        (row(7, title="x" * 201), "201 characters"),
        (row(7, title="\u200b" * 3), "0 visible characters"),
        (row(7, title="a\0title"), "control character"),
        (row(7, url="javascript:alert(1)"), "http and https"),
        (row(7, url="https://localhost/"), "full host name"),
        (row(7, points="many"), "whole number"),
        (row(7, points="1e3"), "whole number"),
        (row(7, points="9" * 5_000), "whole number"),
        (row(7, created_at="yesterday"), "not a date"),
        (row(7, created_at="1815-06-18T11:00:00"), "since 1970"),
        (row(7, created_at="2999-01-01T00:00:00"), "in the future"),
        (row(7, author=""), "author"),
        (row(7, id=""), "its id"),
        (row(1), "id is that of line 2"),
        (row(7, title='"' + "x" * 200_000 + '"'), "field"),
    ],
)
def test_broken_row_is_reported_by_line_and_left_out(
    write: Write, capsys: Any, broken: str, reason: str
) -> None:
    import_posts(write(row(1), row(2), broken, row(4)))
    output = capsys.readouterr()
    assert output.err.startswith("line 4: ")
    assert reason in output.err
    assert "3 loaded, 0 already there, 1 skipped" in output.out
    assert Post.objects.count() == 3


def test_file_without_a_usable_row_is_an_error(write: Write, capsys: Any) -> None:
    path = write(row(1, points="many"), row(2, author=""))
    with pytest.raises(CommandError, match=r"posts\.csv has no usable row"):
        import_posts(path)
    output = capsys.readouterr()
    assert [line.partition(":")[0] for line in output.err.splitlines()] == ["line 2", "line 3"]
    assert "0 loaded, 0 already there, 2 skipped" in output.out
    assert not Post.objects.exists()


def test_repeated_import_and_empty_file_are_no_error(write: Write) -> None:
    path = write(row(1), row(2, author=""))
    import_posts(path)
    import_posts(path)
    assert Post.objects.count() == 1
    import_posts(write())


def test_a_row_in_another_encoding_is_left_out(write: Write, capsys: Any) -> None:
    path = write(row(1))
    path.write_bytes(path.read_bytes() + row(2, title="Caf\xe9 au lait").encode("latin-1"))
    import_posts(path)
    assert "line 3: its title is not in UTF-8" in capsys.readouterr().err


def test_line_numbers_count_titles_of_two_lines(write: Write, capsys: Any) -> None:
    import_posts(write(row(1, title='"Two\nlines"'), row(2, points="none")))
    assert capsys.readouterr().err.startswith("line 4: ")
    assert Post.objects.get().title == "Two lines"


@pytest.mark.parametrize(
    "option",
    ["--votes=0", "--limit=-1", "--batch=x", "--batch=99999", "--source=A:B", "--source=demo"],
)
def test_invalid_option_is_refused(write: Write, option: str) -> None:
    with pytest.raises(CommandError, match="give"):
        import_posts(write(*ROWS), option)


def test_import_never_posts_as_a_registered_person(write: Write) -> None:
    mjn = person("MJN")
    import_posts(write(*ROWS))
    assert not mjn.posts.exists()
    assert not ArchivedVote.objects.filter(user_id=mjn.pk).exists()
    assert Post.objects.get(origin="hn:1").author.username == "mjn-2"


def test_names_are_converted_to_valid_user_names() -> None:
    names = Names(["Ada"])
    given = ["ada", "ada", "o'brien", "José", "x", "王", "李", "admin", "_a_", "n" * 40, "n" * 40]
    assert [names.take(name) for name in given] == [
        *("ada-2", "ada-3", "o-brien", "Jose", "user-x", "user", "user-2", "admin-2", "a_"),
        *("n" * 30, "n" * 28 + "-2"),
    ]


def test_title_that_was_encoded_twice_is_corrected() -> None:
    assert repair_encoding("Pok\u00c3\u00a9mon for \u00c2\u008020") == "Pokémon for €20"
    assert repair_encoding("Café, 北京, plain") == "Café, 北京, plain"


def test_two_files_from_different_places_may_use_the_same_ids(write: Write) -> None:
    import_posts(write(row(1)))
    import_posts(write(row(1, url="https://example.net/")), "--source", "lobsters")
    assert set(Post.objects.values_list("origin", flat=True)) == {"hn:1", "lobsters:1"}
    assert set(Group.objects.values_list("slug", flat=True)) == {"links"}


def test_only_files_of_hacker_news_have_its_clock_and_prefixes(write: Write) -> None:
    import_posts(write(*ROWS), "--source", "lobsters")
    clock = Post.objects.get(origin="lobsters:3")
    assert clock.created_at == datetime(2016, 9, 6, 8, 5, tzinfo=UTC)
    assert [group.slug for group in clock.groups.all()] == ["links"]


def test_wrong_clock_dates_no_post_before_1970(write: Write, capsys: Any) -> None:
    ahead = (datetime.now(UTC) + timedelta(hours=12)).isoformat()
    first = row(1, created_at="1970-01-01T06:00:00")
    import_posts(write(first, row(2, created_at=ahead)), "--until-now")
    output = capsys.readouterr()
    assert "line 2: with the newest moved to now, its created_at is before 1970" in output.err
    assert "1 loaded, 0 already there, 1 skipped" in output.out


def test_unclosed_quote_is_reported_with_the_lines_it_spans(write: Write, capsys: Any) -> None:
    import_posts(write(row(1), row(2, title='"Open'), row(3), row(4)))
    output = capsys.readouterr()
    assert "line 3: " in output.err
    assert "and ends on line 5: is a quote left open?" in output.err
    assert "1 loaded, 0 already there, 1 skipped" in output.out


def test_two_imports_of_the_same_file_at_once_load_each_post_once(write: Write) -> None:
    path = write(*(row(number) for number in range(40)))
    plans = [make_plan(path, Options("hn", batch=5)) for _ in range(2)]

    def load_it(plan: Plan) -> str:
        try:
            Command()._load(plan)
        except CommandError as stop:
            return str(stop)
        return ""

    (why,) = filter(None, run_at_once(*(partial(load_it, plan) for plan in plans)))
    assert "another process wrote the same posts" in why
    assert "Nothing is lost: run the command again to continue." in why
    import_posts(path)
    assert Post.objects.count() == 40
    assert list(differences()) == []
