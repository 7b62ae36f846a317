"""`manage.py check` names servers that don't respond, and environment variables with a typo."""

from pathlib import Path

import pytest
from redis import Redis

from tests.ports import free_port
from tests.start.site import SAFE, manage

NOWHERE = "127.0.0.1:1"


def test_check_names_each_server_that_does_not_respond(tmp_path: Path) -> None:
    given = {
        "DATABASE_URL": f"postgres://rostra:hidden@{NOWHERE}/rostra",
        "REDIS_URL": f"redis://:hidden@127.0.0.1:{free_port()}/0",
        "CACHE_URL": f"redis://:hidden@{NOWHERE}/1",
    }
    run = manage(tmp_path, "check", "--database", "default", **given)
    assert run.returncode == 1
    lines = [line for line in run.stderr.splitlines() if "isn't responding" in line]
    assert [line.removeprefix("CommandError: ").partition(":")[0] for line in lines] == list(given)
    assert "hidden" not in run.stderr
    assert "Traceback" not in run.stderr


def test_check_of_a_site_with_its_own_redis_needs_only_sql(tmp_path: Path) -> None:
    missing = tmp_path / "no-folder" / "forum.sqlite3"
    run = manage(tmp_path, "check", "--database", "default", DATABASE_URL=f"sqlite:///{missing}")
    assert run.returncode == 1
    assert "DATABASE_URL: the SQL database isn't responding (unable to open" in run.stderr
    run = manage(tmp_path, "check", "--database", "default")
    assert (run.returncode, run.stderr) == (0, "")


def test_check_accepts_servers_that_respond(tmp_path: Path, redis: Redis) -> None:
    address = f"unix://{redis.connection_pool.connection_kwargs['path']}?db=0"
    run = manage(tmp_path, "check", "--database", "default", REDIS_URL=address)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("VOTE_PER_DAY", "VOTES_PER_DAY"),
        ("ALLOWED_HOST", "ALLOWED_HOSTS"),
        ("TRUSTED_PROXY", "TRUSTED_PROXIES"),
        ("LIMIT_COMENT", "LIMIT_COMMENT"),
        ("page_size", "PAGE_SIZE"),
        ("EMAIL_URI", "EMAIL_URL"),
    ],
)
def test_check_names_a_variable_with_a_typo(tmp_path: Path, wrong: str, meant: str) -> None:
    run = manage(tmp_path, "check", **{wrong: "4"})
    assert run.returncode == 0
    assert run.stderr == f"{wrong} isn't a setting and has no effect. Did you mean {meant}?\n"


def test_check_says_nothing_about_variables_of_other_programs(tmp_path: Path) -> None:
    others = ("HOSTNAME", "PGPORT", "TEST_DATABASE_URL", "XDG_DATA_HOME", "DEBUGINFOD_URLS")
    run = manage(tmp_path, "check", **dict.fromkeys(others, "x"), **SAFE)
    assert run.stderr == ""
