"""A site that is read-only while it moves to other servers."""

from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from forum.config.data_directory import is_read_only, may_write, read_only
from forum.gateway.service import get_voting_service
from forum.models import Comment, User
from tests.forum.factories import person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)
SENTENCE = "The site is moving to another server, so nothing was saved"


@pytest.fixture
def data(tmp_path: Path, settings: Any) -> Path:
    """A temporary FORUM_DATA directory, so that making the site read-only affects only one test."""
    settings.FORUM_DATA = tmp_path
    return tmp_path


def test_pages_can_be_read_and_submitted_text_is_given_back(ada: User, data: Path) -> None:
    written, window = post(ada), reader(person("bob"))
    address = written.get_absolute_url()
    with read_only(data):
        answer = window.post(f"/p/{written.pk}/comment", {"body": "What I think of it."})
        page = answer.content.decode()
        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert SENTENCE in page
        assert "What I think of it." in page
        assert window.get(address).status_code == 200
    assert not Comment.objects.exists()
    window.post(f"/p/{written.pk}/comment", {"body": "What I think of it."})
    assert Comment.objects.get().body == "What I think of it."


def test_vote_by_script_is_refused_with_only_the_message(ada: User, data: Path) -> None:
    written, window = post(ada), reader(person("bob"))
    with read_only(data):
        answer = window.post(
            f"/p/{written.pk}/vote", {"vote": "up"}, headers={"X-Fragment": "vote"}
        )
    assert (answer.status_code, answer["Content-Type"][:10]) == (503, "text/plain")
    assert answer.content.decode().startswith(SENTENCE)
    assert get_voting_service().posts.rows([written.pk])[0].up == 1


def test_a_site_becomes_read_only_when_the_last_writer_is_done(tmp_path: Path) -> None:
    begun = Event()

    def move() -> None:
        with read_only(tmp_path):
            begun.set()

    mover = Thread(target=move)
    with may_write(tmp_path) as allowed:
        mover.start()
        assert allowed
        assert not begun.wait(0.2)
        assert not is_read_only(tmp_path)
    assert begun.wait(10)
    mover.join()
    assert not is_read_only(tmp_path)


def test_a_site_without_a_data_directory_of_its_own_is_never_read_only(tmp_path: Path) -> None:
    assert not is_read_only(tmp_path / "missing")
