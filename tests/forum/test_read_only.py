"""A read-only site (READ_ONLY=1): people can read, and pages say why they can't write."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from forum.actions.notifications import WatchersSync
from forum.api import tokens
from forum.management.commands import export
from forum.models import Comment, InboxItem, OutboxItem, Post, User
from forum.operations.exporting.writing import DESCRIPTION
from forum.store import outbox
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.factories import PASSWORD, person, post, reader
from tests.forum.worker_runs import run_worker

pytestmark = pytest.mark.django_db(transaction=True)
BANNER = "The site is read-only for maintenance. You can read, but not write, vote or log in."
REFUSED = "The site is read-only for maintenance, so nothing was saved. Please try again later."
SIGN_UP = {"username": "dina", "password1": PASSWORD}


@pytest.fixture
def written(ada: User) -> Post:
    """A post by Ada, written before the site became read-only."""
    return post(ada)


@pytest.fixture
def window(bob: User) -> Client:
    """Bob's browser. He logged in before the site became read-only."""
    return reader(bob)


@pytest.fixture
def read_only(written: Post, window: Client, settings: Any) -> None:
    settings.READ_ONLY = True


def refused(answer: Any) -> str:
    """Return the page of a refused write. Fail if the write wasn't refused."""
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    page: str = answer.content.decode()
    assert REFUSED in page
    return page


@pytest.mark.usefixtures("read_only")
def test_every_page_can_be_read_and_has_a_banner(window: Client, written: Post) -> None:
    for browser in (window, reader()):
        for path in ("/new", written.get_absolute_url(), "/about", "/submit", "/nowhere"):
            # Another URL than in other tests, so that the frame of the page isn't cached yet.
            assert BANNER in browser.get(f"{path}?banner", follow=True).content.decode()


def test_reading_still_counts_views_and_marks_items_as_read(
    ada: User, window: Client, written: Post, settings: Any
) -> None:
    comment = add_comment(person("cleo"), written)
    settings.READ_ONLY = True
    assert window.get(written.get_absolute_url()).status_code == 200
    assert get_voting_service().posts.rows([written.pk])[0].views == 1
    assert written.title in window.get("/history").content.decode()
    item = InboxItem.objects.get(comment=comment)
    assert reader(ada).get(f"/inbox/{item.pk}").status_code == 303
    item.refresh_from_db()
    assert item.read_at


@pytest.mark.usefixtures("read_only")
def test_text_is_given_back(window: Client, written: Post) -> None:
    for browser in (window, reader()):
        answer = browser.post(f"/p/{written.pk}/comment", {"body": "What I think of it."})
        assert "What I think of it." in refused(answer)
    assert not Comment.objects.exists()


@pytest.mark.usefixtures("read_only")
def test_vote_by_script_is_refused_with_only_the_message(window: Client, written: Post) -> None:
    answer = window.post(f"/p/{written.pk}/vote", {"vote": "up"}, headers={"X-Fragment": "vote"})
    assert refused(answer) == REFUSED
    assert get_voting_service().posts.rows([written.pk])[0].up == 1


@pytest.mark.usefixtures("read_only")
def test_nobody_can_log_in_or_sign_up() -> None:
    refused(reader().post("/accounts/login/", {"login": "bob", "password": PASSWORD}))
    refused(reader().post("/accounts/signup/", SIGN_UP))
    assert not User.objects.filter(username="dina").exists()


def test_admin_shows_the_banner_and_changes_nothing(
    admin: Client, bob: User, settings: Any
) -> None:
    settings.READ_ONLY = True
    path = f"/admin/forum/user/{bob.pk}/change/"
    assert BANNER in admin.get(path).content.decode()
    refused(admin.post(path, {"email": "new@example.org"}))


def test_program_gets_the_message_as_json(bob: User, written: Post, settings: Any) -> None:
    token = tokens.create(user=bob, name="Script", scopes=("read", "vote"))
    settings.READ_ONLY = True
    headers = {"Authorization": f"Bearer {token}"}
    address = f"/api/v1/posts/{written.pk}"
    assert Client().get(address, headers=headers).status_code == 200
    answer = Client().post(
        f"{address}/vote", {"vote": "up"}, content_type="application/json", headers=headers
    )
    assert answer["Content-Type"] == "application/problem+json"
    assert json.loads(refused(answer))["detail"] == REFUSED


@pytest.mark.usefixtures("read_only")
def test_readiness_and_metrics_say_so() -> None:
    answer = reader().get("/readyz")
    assert answer.status_code == 503
    assert "READ_ONLY=1" in answer.json()["missing"]["read_only"]
    assert "\nrostra_read_only 1.0\n" in reader().get("/metrics").content.decode()


def test_export_of_a_read_only_site_waits_for_the_worker(
    written: Post, tmp_path: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.READ_ONLY = True
    monkeypatch.setattr(export, "OUTBOX_SECONDS", 0.0)
    outbox.write(WatchersSync(add_comment(written.author, written).pk, last=0))
    with pytest.raises(
        CommandError, match="changes, such as notifications, merges or emails, wait"
    ):
        call_command("export", str(tmp_path / "early"))
    assert not (tmp_path / "early").exists()
    run_worker()
    assert not OutboxItem.objects.exists()
    call_command("export", str(tmp_path / "late"))
    assert (tmp_path / "late" / DESCRIPTION).exists()
