"""`manage.py show` prints every structure that Redis stores."""

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from forum import __version__
from forum.actions import comments as comment_actions
from forum.actions import following, marks
from forum.ledger import archiver
from forum.models import User
from forum.store.service import get_voting_service
from tests.forum.factories import person, post, reader
from tests.forum.outages import redis_down
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("command", ["show", "worker"])
def test_version_of_a_command_is_that_of_the_site(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        call_command(command, "--version")
    assert capsys.readouterr().out.strip() == __version__


def show(subject: str = "") -> dict[str, str]:
    out = StringIO()
    call_command("show", *([subject] if subject else []), stdout=out)
    pairs = (line.split("  ", 1) for line in out.getvalue().splitlines())
    return {label.strip(): value.strip() for label, value in pairs}


def test_a_post_shows_its_votes_place_comments_and_views(ada: User) -> None:
    written, bob = post(ada, "Post", slugs="books"), person("bob")
    get_voting_service().votes.cast(bob.pk, Target(written.pk), Vote.UP)
    comment_actions.write(author=bob, post=written, parent=None, body="Good.")
    reader(bob).get(written.get_absolute_url())
    found = show(f"post:{written.pk}")
    assert found["points"] == "2 (2 up, 0 down)"
    assert found["groups"] == "books"
    assert (found["comments"], found["views"], found["views today"]) == ("1", "1", "1")
    assert found["voters stored"] == "2"
    assert re.fullmatch(r"\d+-\d+", found["last vote change"])
    assert found["rank on the front page"] == "1"


def test_person_shows_counters_follows_lists_and_days(ada: User) -> None:
    written, bob = post(ada, "Post"), person("bob")
    following.set_follow(bob, ada, on=True)
    marks.save(bob, written, on=True)
    reader(bob).get(written.get_absolute_url())
    found = show("user:bob")
    assert (found["follows"], found["followers"]) == ("1", "0")
    assert (found["posts saved"], found["posts viewed"], found["posts liked"]) == ("1", "1", "0")
    assert found["days active in the last 30"] == "1"
    assert "1 follower" in show("user:ada")["unread"]


def test_a_group_and_the_site_show_their_rankings_and_boards(ada: User) -> None:
    written, bob = post(ada, "Post", slugs="books"), person("bob")
    get_voting_service().votes.cast(bob.pk, Target(written.pk), Vote.UP)
    archiver.Archiver("test").step(block_ms=1)
    assert show("group:books")["first in hot"] == str(written.pk)
    found = show()
    assert found["posts ranked"] == "1"
    assert found["top posts of the day"] == f"{written.pk} (1)"
    assert found["top people of the week"] == f"{ada.pk} (1)"
    assert "limit: comment" in found


@pytest.mark.parametrize(
    "subject", ["post:1", "post:x", "post:²", "user:nobody", "group:nowhere", "ada"]
)
def test_missing_target_is_reported_with_a_message(subject: str) -> None:
    with pytest.raises(CommandError, match=r"^(There is no|Give)"):
        show(subject)


def test_command_says_what_to_start_while_redis_is_down(settings: Settings) -> None:
    with redis_down(settings), pytest.raises(CommandError, match="does not respond"):
        show()
