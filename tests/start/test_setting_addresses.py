"""Addresses in settings: what could never work is refused at the start, with one sentence."""

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from forum import environment, setting_addresses
from forum.starting.bootstrap import BASE
from tests.start.reading import refusal, settings_of
from tests.start.test_environment import manage
from tests.start.test_production import SAFE
from voting.service import is_understood

REFUSED = {
    "redis://": "redis://host:port/0",
    "redis:///0": "redis://host:port/0",
    "redis://h:abc/0": "a port from 1 to 65535",
    "redis://h:0/0": "a port from 1 to 65535",
    "rediss://h:99999/0": "a port from 1 to 65535",
    "redis://h:6379/abc": "the number of a database",
    "redis://h/-1": "the number of a database",
    "redis://h?db=first": "the number of a database",
    "redis://foo bar/0": "redis://host:port/0",
    "redis://a:1,b:2/0": "redis://host:port/0",
    "redis://a/0,redis://b/0": "redis://host:port/0",
    "redis://[::1/0": "redis://host:port/0",
    "unix://": "unix:///path/of/a/socket",
    "unix:///": "unix:///path/of/a/socket",
    "unix://run/valkey.sock": "unix:///path/of/a/socket",
    "unix:///run/valkey.sock?db=first": "the number of a database",
    "redis+cluster://": "give host:port, several with commas",
    "redis+cluster://a,,b": "give host:port, several with commas",
    "redis+cluster://a:7001,b:0": "give host:port, several with commas",
    "redis+cluster://a/1": "no other database than 0",
    "redis+sentinel://a:abc/votes": "give host:port, several with commas",
    "redis+sentinel://a/": "end redis+sentinel:// with a slash and the service's name",
    "postgres://": "postgres://user:password@host:port/name",
    "postgres://h:5432": "the last being the database's",
    "postgres://u:p@h:abc/x": "a port from 1 to 65535",
    "postgres://u:p@h:0/x": "a port from 1 to 65535",
    "postgres:///x?port=70000": "a port from 1 to 65535",
    "postgresql://a:abc,b/x": "postgresql://user:password@host:port/name",
    "postgres://foo bar/x": "postgres://user:password@host:port/name",
    "postgres://[::1/x": "postgres://user:password@host:port/name",
    "postgres://u@%2Frun%2Fpostgresql/x": "postgres://user:password@host:port/name",
    "sqlite://": "sqlite:////path/of/a/file",
    "sqlite://:memory:": "sqlite:////path/of/a/file",
    "sqlite:///:memory:": "sqlite:////path/of/a/file",
    "sqlite://forum.sqlite3": "sqlite:////path/of/a/file",
    "sqlite://var/forum.sqlite3": "sqlite:////path/of/a/file",
    "smtp://": "smtp://user:password@host:port",
    "smtp+tls://u:p@": "smtp+tls://user:password@host:port",
    "smtp://u:p@host:abc": "a port from 1 to 65535",
    "smtp://host/587": "smtp://user:password@host:port",
    "filemail://": "filemail:////path/of/a/directory",
    "filemail://var/mail": "filemail:////path/of/a/directory",
    "https://": "https://host:port",
    "http://[::1": "http://host:port",
    "http://h:abc": "a port from 1 to 65535",
    "https://foo bar": "https://host:port",
    "https://*.example.org": "https://host:port",
    "https://h/?page=1": "https://host:port",
}
"""Addresses that could never work, and a part of what is said instead."""

SERVERS = [
    "redis://h",
    "redis://h/",
    "redis://my_redis.local.:6379/15",
    "redis://h?db=2",
    "redis://h/0?socket_timeout=3&health_check_interval=10",
    "redis://:p%2Fw@h/0",
    "redis://:a=b,c@h/0",
    "redis://name:password@[::1]:6379/0",
    "rediss://h:6380/1?ssl_cert_reqs=none&ssl_check_hostname=no",
    "unix:///run/valkey.sock?db=1",
    "unix:///run/with%20space/valkey.sock",
    "unix://name:password@/run/valkey.sock?db=1",
    "redis+cluster://a:7001,b:7002,c",
    "redis+cluster://name:password@a:7001,b/",
    "redis+cluster://[::1]:7001,[::2]:7002/0",
    "rediss+cluster://a?ssl_check_hostname=no",
    "redis+sentinel://a:26379,b/votes",
    "rediss+sentinel://name:password@a,b/votes?db=1",
]

DATABASES: dict[str, dict[str, Any]] = {
    "postgres://u:p@h:5432/x": {"NAME": "x", "USER": "u", "PASSWORD": "p", "HOST": "h"},
    "postgresql://h/x": {"HOST": "h", "PORT": ""},
    "postgres:///x": {"NAME": "x", "HOST": ""},
    "postgres://u@/x?host=/run/postgresql": {"OPTIONS": {"host": "/run/postgresql"}},
    "postgres:////run/postgresql/x": {"NAME": "x", "HOST": "/run/postgresql"},
    "postgres://u%40x:p%2F%23@h/x%20y": {"USER": "u@x", "PASSWORD": "p/#", "NAME": "x y"},
    "postgres://u:p#[x@h/x": {"PASSWORD": "p#[x", "HOST": "h"},
    "postgres://u:p@a:5432,b:5433/x": {"HOST": "a,b", "PORT": "5432,5433"},
    "postgres://u@[::1]:5432/x": {"HOST": "::1", "PORT": 5432},
    "postgres://u:0@h/x?sslmode=require": {"OPTIONS": {"sslmode": "require"}},
    "postgres://?service=forum": {"OPTIONS": {"service": "forum"}},
    "sqlite:////var/forum.sqlite3": {"NAME": "/var/forum.sqlite3"},
    "sqlite:///forum.sqlite3": {"NAME": "forum.sqlite3"},
    "sqlite:////var/a%20%2Bb?timeout=5": {"NAME": "/var/a +b"},
}

MAIL: dict[str, dict[str, Any]] = {
    "smtp://localhost": {"EMAIL_HOST": "localhost", "EMAIL_PORT": None},
    "smtp+tls://u%40x:p%2F@h:587/": {"EMAIL_HOST_USER": "u@x", "EMAIL_HOST_PASSWORD": "p/"},
    "smtp+ssl://u@x.org:p@[::1]:465": {"EMAIL_HOST": "::1", "EMAIL_HOST_USER": "u@x.org"},
    "consolemail://": {"EMAIL_HOST": None},
    "dummymail://": {"EMAIL_HOST": None},
    "filemail:////var/mail": {"EMAIL_FILE_PATH": "/var/mail"},
    "filemail:///mail": {"EMAIL_FILE_PATH": "mail"},
}


@pytest.mark.parametrize(("address", "accepted"), REFUSED.items())
def test_who_gives_an_address_that_could_never_work_reads_what_is_accepted(
    address: str, accepted: str
) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        setting_addresses.check("SOME_URL", address)
    sentence = str(refused.value)
    assert sentence.startswith("SOME_URL: give ")
    assert accepted in sentence


@pytest.mark.parametrize(
    "address",
    [
        "redis://:hidden/x@host:6379/0",
        "redis://:hidden#x@host/0",
        "redis://:hidden[x@host/0",
        "unix://u:hidden@host/run/valkey.sock",
        "redis+cluster://u:hidden/x@a:7001,b",
        "redis+sentinel://u:hidden@a:26379,b:abc/votes",
        "postgres://u:hidden/x@host/name",
        "postgres://u:hidden?x@host/name",
        "postgres://u:hidden@host:abc/name",
        "smtp://u:hidden#x@host:587",
        "smtp+tls://u:hidden@host:abc",
        "https://u:hidden@host",
    ],
)
def test_who_looks_over_the_shoulder_reads_no_password(address: str) -> None:
    """Nor in what a log may tell of the errors behind the sentence."""
    with pytest.raises(ImproperlyConfigured) as refused:
        setting_addresses.check("SOME_URL", address)
    assert "hidden" not in str(refused.value)
    assert (refused.value.__cause__, refused.value.__context__) == (None, None)


@pytest.mark.parametrize("address", SERVERS)
def test_every_way_to_write_where_redis_is_starts_the_site(tmp_path: Path, address: str) -> None:
    given = {"REDIS_URL": address, "CACHE_URL": "redis://h:6379/1"}
    assert settings_of(tmp_path, **given)["REDIS_URL"] == address


def test_a_password_with_a_comma_is_one_address_to_the_cache_too(tmp_path: Path) -> None:
    caches = settings_of(tmp_path, REDIS_URL="redis://:a,b@h/0")["CACHES"]
    assert caches["default"]["LOCATION"] == ["redis://:a,b@h/0"]


@pytest.mark.parametrize("name", ["REDIS_URL", "CACHE_URL"])
@pytest.mark.parametrize("option", ["socket_timeout=long", "tiemout=3", "retry_on_timeout=1&x=y"])
def test_an_option_that_redis_py_does_not_have_is_refused(
    tmp_path: Path, name: str, option: str
) -> None:
    sentence = refusal(tmp_path, **{name: f"redis://:hidden@h/0?{option}"})
    assert sentence.startswith(f"{name}: behind the ? give options as redis-py has them")
    assert "hidden" not in sentence


@pytest.mark.parametrize(("address", "read"), DATABASES.items())
def test_every_way_to_write_where_sql_is_stays_as_it_was(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str, read: dict[str, Any]
) -> None:
    monkeypatch.setenv("DATABASE_URL", address)
    config = environment.database("DATABASE_URL", tmp_path / "forum.sqlite3")
    for name, value in read.items():
        expected = config[name] | value if name == "OPTIONS" else value
        assert config[name] == expected


def test_a_file_of_sqlite_without_a_directory_is_one_file_wherever_somebody_starts_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    databases = settings_of(tmp_path, DATABASE_URL="sqlite:///forum.sqlite3")["DATABASES"]
    assert databases["default"]["NAME"] == str(BASE / "forum.sqlite3")


@pytest.mark.parametrize(("address", "read"), MAIL.items())
def test_every_way_to_write_how_mail_goes_out_stays_as_it_was(
    monkeypatch: pytest.MonkeyPatch, address: str, read: dict[str, Any]
) -> None:
    monkeypatch.setenv("EMAIL_URL", address)
    assert environment.mail("EMAIL_URL").items() >= read.items()


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:8000",
        "https://forum.example.org/",
        "https://[::1]:8000",
        "https://b\u00fccher.example",
    ],
)
def test_every_name_of_a_site_is_accepted(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("SITE_URL", address)
    assert environment.url("SITE_URL", "", ("http", "https")) == address


@pytest.mark.parametrize(
    "behind", ["/forum", "/forum/", "//", "/?", "?lang=en", "#top", "/#", ";a/", "/index.html"]
)
def test_a_site_whose_address_would_spoil_the_links_in_mail_does_not_start(
    tmp_path: Path, behind: str
) -> None:
    sentence = refusal(tmp_path, SITE_URL=f"https://forum.example.org:8000{behind}")
    assert sentence.startswith("SITE_URL: give https://host:port")
    assert sentence.endswith(", and nothing behind it.")


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::", "::1", "localhost", "my_host.lan."])
def test_up_listens_on_any_host(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("HOST", host)
    assert environment.host("HOST", "") == host


@pytest.mark.parametrize("host", ["foo bar", "a..b", "[::1]", "*", "http://h", "h:8000", "h" * 64])
def test_up_does_not_start_on_what_is_no_host(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("HOST", host)
    with pytest.raises(ImproperlyConfigured, match=r"HOST=.*give a host's name or its IP"):
        environment.host("HOST", "")


@pytest.mark.parametrize("site", ["https://", "https://[::1"])
def test_a_site_for_the_public_without_a_host_is_told_what_to_give(
    tmp_path: Path, site: str
) -> None:
    given = SAFE | {"SITE_URL": site, "ALLOWED_HOSTS": "forum.example.org"}
    assert refusal(tmp_path, **given).startswith("SITE_URL: give https://host:port")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REDIS_URL", "redis://:hidden@h:abc/0"),
        ("EMAIL_URL", "smtp://u:hidden@host:abc"),
    ],
)
def test_a_command_ends_with_the_sentence_and_nothing_else(
    tmp_path: Path, name: str, value: str
) -> None:
    run = manage(tmp_path, "check", **{name: value})
    assert run.returncode == 1
    assert run.stderr == refusal(tmp_path, **{name: value}) + "\n"
    assert run.stderr.startswith(f"{name}: give ")


def test_redis_py_is_asked_without_a_server() -> None:
    assert is_understood("redis+cluster://u:p@nowhere.invalid:7001/0?socket_timeout=1")
    assert not is_understood("redis://nowhere.invalid?socket_timeout=x")
