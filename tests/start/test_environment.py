"""If an environment variable is invalid, the site doesn't start; the error names the variable."""

import os
import signal
import subprocess
import sys
from email.header import decode_header, make_header
from email.utils import parseaddr
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import EmailMessage
from django.core.mail.message import sanitize_address
from django.core.management import call_command

from forum.config import environment
from forum.operations.supervision.bootstrap import BASE
from tests.forum.outages import redis_down
from tests.start.reading import refusal, settings_of
from tests.start.site import Site, manage
from tests.waiting import until

REFUSED_URLS = [
    "redis://h:abc/0",
    "rediss://h:99999/0",
    "redis://:hidden/x@host:6379/0",
    "redis://:hidden[x@host/0",
    "redis://a:1,b:2/0",
    "redis+cluster://u:hidden/x@a:7001,b",
    "redis+sentinel://u:hidden@a:26379,b:abc/votes",
    "postgres://u:hidden/x@host/name",
    "postgres://u:hidden@host:abc/name",
    "postgres://u:hidden@host",
    "sqlite://",
    "sqlite:///:memory:",
    "smtp+tls://u:hidden@host:abc",
    "smtp://",
    "https://u:hidden@host",
    "http://[::1",
    "http://h:abc",
    "https://h/?page=1",
    "https://h/forum",
    "https://h#top",
]
"""URLs that the settings must refuse. Some contain a password."""
SERVERS = [
    "redis://h/",
    "redis://h/0?socket_timeout=3&health_check_interval=10",
    "redis://:a=b,c@h/0",
    "rediss://h:6380/1?ssl_cert_reqs=none&ssl_check_hostname=no",
    "unix:///run/valkey.sock?db=1",
    "redis+cluster://a:7001,b:7002,c",
    "redis+cluster://name:password@a:7001,b/",
    "rediss+cluster://a?ssl_check_hostname=no",
    "redis+sentinel://a:26379,b/votes",
    "rediss+sentinel://name:password@a,b/votes?db=1",
]

DATABASES: dict[str, dict[str, Any]] = {
    "postgres://u:p@h:5432/x": {"NAME": "x", "USER": "u", "PASSWORD": "p", "HOST": "h"},
    "postgres:///x": {"NAME": "x", "HOST": ""},
    "postgres://u@/x?host=/run/postgresql": {"OPTIONS": {"host": "/run/postgresql"}},
    "postgres://u%40x:p%2F%23@h/x%20y": {"USER": "u@x", "PASSWORD": "p/#", "NAME": "x y"},
    "postgres://u:p@a:5432,b:5433/x": {"HOST": "a,b", "PORT": "5432,5433"},
    "postgres://?service=forum": {"OPTIONS": {"service": "forum"}},
    "sqlite:////var/forum.sqlite3": {"NAME": "/var/forum.sqlite3"},
    "sqlite:///forum.sqlite3": {"NAME": "forum.sqlite3"},
}

MAIL: dict[str, dict[str, Any]] = {
    "smtp://localhost": {"EMAIL_HOST": "localhost", "EMAIL_PORT": None},
    "smtp+tls://u%40x:p%2F@h:587/": {"EMAIL_HOST_USER": "u@x", "EMAIL_HOST_PASSWORD": "p/"},
    "smtp+ssl://u@x.org:p@[::1]:465": {"EMAIL_HOST": "::1", "EMAIL_HOST_USER": "u@x.org"},
    "consolemail://": {"EMAIL_HOST": None},
    "dummymail://": {"EMAIL_HOST": None},
    "filemail:////var/mail": {"EMAIL_FILE_PATH": "/var/mail"},
    "filemail:///srv/mail": {"EMAIL_FILE_PATH": "/srv/mail"},
    "filemail:///mail/": {"EMAIL_FILE_PATH": "/mail/"},
    "filemail:///my%20mail": {"EMAIL_FILE_PATH": "/my mail"},
}


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("PORT", "eighty", "a whole number from 1 to 65535"),
        pytest.param("PORT", "9" * 5_000, "a whole number from 1 to 65535", id="digits"),
        ("WEB_CONCURRENCY", "many", "a whole number from 1 to 256"),
        ("DEBUG", "maybe", "1 or 0"),
        ("VOTING_FORMULA", "cubic", "linear or log"),
        ("VALKEY_FSYNC", "never", "everysec or always"),
        ("REDIS_URL", "localhost:6379", "redis://, rediss://, unix://"),
        ("REDIS_URL", "redis+cluster://a:7001,b:7002", "need CACHE_URL too"),
        ("REDIS_URL", "redis+sentinel://a:26379,b:26379", "host:26379/service"),
        ("REDIS_URL", "rediss://a/0?ssl_cert_reqs=never", "options that redis-py understands"),
        ("CACHE_URL", "redis://a/0?decode_responses=1", "options that redis-py understands"),
        ("VOTING_WAIT_REPLICAS", "all", "a whole number from 0 to 5"),
        ("ALLOWED_HOSTS", "a.example,https://b.example", "hosts without scheme and port"),
        ("ALLOWED_HOSTS", "forum.example.org:8000", "hosts without scheme and port"),
        ("ALLOWED_HOSTS", "*.example.org", "hosts without scheme and port"),
        ("ALLOWED_HOSTS", "::1", "hosts without scheme and port"),
        ("DEFAULT_FROM_EMAIL", "nobody", "an email address, or a name"),
        ("DEFAULT_FROM_EMAIL", "Ships, and more <a@example.org>", "an email address, or a name"),
        ("DATABASE_URL", "mysql://localhost/rostra", "postgresql://, postgres://, sqlite://"),
        ("DATABASE_POOL", "many", "a whole number from 0 to 1000"),
        ("EMAIL_URL", "mail.example.org", "smtp://"),
        ("EMAIL_URL", "filemail://srv/mail", "filemail:///path/of/a/folder"),
        ("EMAIL_URL", "filemail://", "filemail:///path/of/a/folder"),
        ("LIMIT_COMMENT", "often", "limits as hits/seconds"),
    ],
)
def test_bad_value_is_refused_with_one_sentence(
    tmp_path: Path, name: str, value: str, accepted: str
) -> None:
    sentence = refusal(tmp_path, **{name: value})
    assert sentence.startswith(name)
    assert accepted in sentence


def setting_of(url: str) -> str:
    """Return the name of the setting that a URL is for, such as EMAIL_URL for an SMTP server."""
    kinds = {"redis": "REDIS_URL", "http": "SITE_URL", "smtp": "EMAIL_URL"}
    return next((name for kind, name in kinds.items() if url.startswith(kind)), "DATABASE_URL")


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_impossible_url_is_refused_without_showing_its_password(tmp_path: Path, url: str) -> None:
    name = setting_of(url)
    sentence = refusal(tmp_path, **{"CACHE_URL": "redis://h/1", name: url})
    assert sentence.startswith(f"{name}: give ")
    assert "hidden" not in sentence


@pytest.mark.parametrize("address", SERVERS)
def test_every_form_of_redis_url_is_accepted(tmp_path: Path, address: str) -> None:
    given = {"REDIS_URL": address, "CACHE_URL": "redis://h:6379/1"}
    assert settings_of(tmp_path, **given)["REDIS_URL"] == address


def test_cache_url_may_have_a_comma_in_its_password(tmp_path: Path) -> None:
    caches = settings_of(tmp_path, REDIS_URL="redis://:a,b@h/0")["CACHES"]
    assert caches["default"]["LOCATION"] == ["redis://:a,b@h/0"]


@pytest.mark.parametrize("name", ["REDIS_URL", "CACHE_URL"])
@pytest.mark.parametrize("option", ["socket_timeout=long", "tiemout=3", "retry_on_timeout=1&x=y"])
def test_unknown_option_in_a_redis_url_is_refused(tmp_path: Path, name: str, option: str) -> None:
    sentence = refusal(tmp_path, **{name: f"redis://:hidden@h/0?{option}"})
    assert sentence.startswith(f"{name}: give a URL and options that redis-py understands")
    assert "hidden" not in sentence


@pytest.mark.parametrize(("address", "read"), DATABASES.items())
def test_every_form_of_database_url_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str, read: dict[str, Any]
) -> None:
    monkeypatch.setenv("DATABASE_URL", address)
    config = environment.database("DATABASE_URL", tmp_path / "forum.sqlite3")
    for name, value in read.items():
        expected = config[name] | value if name == "OPTIONS" else value
        assert config[name] == expected


def test_relative_sqlite_file_is_the_same_from_every_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    databases = settings_of(tmp_path, DATABASE_URL="sqlite:///missing/forum.sqlite3")["DATABASES"]
    assert databases["default"]["NAME"] == str(BASE / "missing" / "forum.sqlite3")


def test_email_url_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMAIL_URL", "smtp+tls://u%40x:p%2F@h:587/")
    config = environment.mail("EMAIL_URL")
    assert (config["EMAIL_HOST"], config["EMAIL_PORT"]) == ("h", 587)
    assert (config["EMAIL_HOST_USER"], config["EMAIL_HOST_PASSWORD"]) == ("u@x", "p/")


@pytest.mark.parametrize(
    "url", ["http://localhost:8000", "https://[::1]:8000", "https://b\u00fccher.example"]
)
def test_every_form_of_site_url_is_accepted(tmp_path: Path, url: str) -> None:
    assert settings_of(tmp_path, SITE_URL=f"{url}/")["SITE_URL"] == url


@pytest.mark.parametrize("name", ["FORUM_DATA", "SITE_NAME", "SECRET_KEY"])
def test_value_that_is_not_utf_8_is_refused_with_one_sentence(tmp_path: Path, name: str) -> None:
    run = manage(tmp_path, "check", **{name: f"{tmp_path}/bad\udcff"})
    assert run.stderr == f"{name}: give text in UTF-8.\n"


@pytest.mark.parametrize("host", ["*", ".example.org", "a.example", "my_host", "10.0.0.5", "[::1]"])
def test_every_form_of_allowed_host_is_accepted(tmp_path: Path, host: str) -> None:
    assert settings_of(tmp_path, ALLOWED_HOSTS=host)["ALLOWED_HOSTS"] == [host]


@pytest.mark.parametrize("site", ["Ships, and more", "Rostra: a forum", 'a "b" <c>', "Bücher & Co"])
@pytest.mark.parametrize("url", ["http://localhost:8000", "https://bücher.example"])
def test_site_with_any_name_can_send_mail(tmp_path: Path, site: str, url: str) -> None:
    sender = settings_of(tmp_path, SITE_NAME=site, SITE_URL=url)["DEFAULT_FROM_EMAIL"]
    head = EmailMessage(from_email=sender, to=["ada@example.org"]).message()["From"]
    name, address = parseaddr(head)
    assert str(make_header(decode_header(name))) == site
    assert address.startswith("noreply@")
    assert sanitize_address(sender, "utf-8"), "as SMTP needs it"


@pytest.mark.parametrize(
    "given", ["a@b.example", "Rostra <a@b>", '"A, b" <a@b>', "Bücher <a@b.c>", '"<" <a@b>']
)
def test_every_form_of_sender_is_accepted(tmp_path: Path, given: str) -> None:
    assert settings_of(tmp_path, DEFAULT_FROM_EMAIL=given)["DEFAULT_FROM_EMAIL"] == given


def test_start_with_a_bad_value_prints_only_the_sentence(tmp_path: Path) -> None:
    run = manage(tmp_path, "up", PORT="eighty")
    assert run.returncode == 1
    assert run.stderr == refusal(tmp_path, PORT="eighty") + "\n"


def test_secret_key_is_created_once_and_private(tmp_path: Path) -> None:
    key = environment.secret_key(tmp_path / "data")
    assert environment.secret_key(tmp_path / "data") == key
    assert len(key) > 50
    assert (tmp_path / "data" / "secret-key").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in (tmp_path / "data").iterdir()] == ["secret-key"]


def test_other_users_of_the_machine_can_not_read_the_data(tmp_path: Path) -> None:
    environment.secret_key(tmp_path / "data")
    assert (tmp_path / "data").stat().st_mode & 0o007 == 0


@pytest.mark.long
def test_environment_of_the_shell_does_not_change_tests() -> None:
    given = {"SITE_NAME": "Ships", "PAGE_SIZE": "7", "METRICS_TOKEN": "x", "NEW_PERSON": "0"}
    tests = (
        "test_metrics.py::test_votes_are_counted_by_outcome",
        "test_listings.py::test_pages_are_numbered_and_the_last_says_so",
    )
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", *(f"tests/forum/{test}" for test in tests)],
        cwd=BASE,
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout


def test_data_directory_that_can_not_be_created_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ImproperlyConfigured, match=r"FORUM_DATA=.*give a directory"):
        environment.secret_key(tmp_path / "file")


def test_bad_data_directory_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for given in ({}, {"SECRET_KEY": "k" * 50}):
        run = manage(tmp_path / "file", "up", **given)
        assert run.returncode == 1
        sentence = f"FORUM_DATA={tmp_path / 'file'}: give a directory that you may write to"
        assert run.stderr.startswith(sentence), run.stderr
        assert len(run.stderr.splitlines()) == 1


def test_commands_work_in_an_ascii_locale(tmp_path: Path) -> None:
    shell = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = manage(tmp_path, "check", **shell)
    assert run.returncode == 0, run.stderr


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", " ")
    assert environment.url("REDIS_URL", "unix:///a", ("unix",)) == "unix:///a"
    monkeypatch.setenv("ALLOWED_HOSTS", "a.example, b.example,")
    assert environment.words("ALLOWED_HOSTS", []) == ["a.example", "b.example"]


def test_web_server_names_a_removed_setting_once_and_starts(tmp_path: Path) -> None:
    site, configuration = Site(tmp_path), "python:forum.operations.supervision.webserver"
    with subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "-c", configuration, "-b", f"127.0.0.1:{site.port}"],
        cwd=BASE,
        env=os.environ | {"FORUM_DATA": str(tmp_path), "VOTING_READ_REPLICAS": "1"},
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        until(site.answers, "the site answers")
        server.terminate()
        _, output = server.communicate(timeout=120)
    assert output.count("VOTING_READ_REPLICAS no longer has an effect. Please remove") == 1


def test_commands_that_need_redis_say_what_to_start(tmp_path: Path) -> None:
    run = manage(tmp_path, "check_voting")
    assert run.returncode == 1
    assert "start the site with `python3 manage.py up`" in run.stderr


def test_commands_that_work_without_redis_warn_and_continue(
    settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with redis_down(settings):
        call_command("shell", command="print(1 + 1)")
    output = capsys.readouterr()
    assert "`python3 manage.py services`" in output.err
    assert output.out.endswith("2\n")


def test_closed_pipe_causes_no_traceback(tmp_path: Path) -> None:
    """In `manage.py check_voting | head -n 1`, for example, `head` closes the pipe early."""
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run(
        [sys.executable, str(BASE / "manage.py"), "diffsettings", "--all"],
        env=os.environ | {"FORUM_DATA": str(tmp_path)},
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert (run.returncode, run.stderr) == (128 + signal.SIGPIPE, "")
