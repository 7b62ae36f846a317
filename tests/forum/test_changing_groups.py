"""When an author changes the groups of a post, every listing changes immediately."""

from typing import Any

import pytest
from django.utils import timezone

from forum.actions import posts as post_actions
from forum.actions.posts import UNMARKED
from forum.models import OutboxItem, Post, User
from forum.store.service import get_voting_service
from tests.forum.factories import groups, person, post, reader
from tests.forum.outages import redis_down
from tests.forum.round_trips import counted_round_trips
from voting.types import Order

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ada() -> User:
    groups("books", "maths", "web", "cooking")
    return person("ada")


@pytest.fixture
def written(ada: User) -> Post:
    return post(ada, slugs="books maths")


def move(user: User | None, written: Post, *slugs: str) -> Any:
    form = {"title": written.title, "body": written.body, "groups": slugs}
    form["reason"] = "Wrong group"  # authors' forms ignore the reason
    return reader(user).post(f"/p/{written.pk}/edit", form)


def listed(written: Post) -> set[str]:
    """Return the groups whose listings contain a post."""
    slugs = ("books", "maths", "web", "cooking")
    return {
        slug for slug in slugs if get_voting_service().listings.page(Order.HOT, 1, group=slug).rows
    }


def test_several_groups_are_added_and_removed_at_once_in_every_list(
    ada: User, written: Post
) -> None:
    response = move(ada, written, "maths", "web", "cooking")
    assert response.status_code == 303
    assert listed(written) == {"maths", "web", "cooking"}
    kept = written.groups.values_list("slug", flat=True)
    assert set(kept) == {"maths", "web", "cooking"}


def test_one_button_saves_text_and_groups(ada: User, written: Post) -> None:
    form = {"title": "A better title", "body": "Better words.", "groups": ["web"]}
    response = reader(ada).post(f"/p/{written.pk}/edit", form, follow=True)
    html = response.content.decode()
    assert "Your changes were saved. The post is now in Web." in html
    assert "Better words." in html
    assert listed(written) == {"web"}


def test_change_of_text_and_groups_notifies_once(ada: User, written: Post, settings: Any) -> None:
    def change(title: str, slug: str) -> None:
        post_actions.change(written, title=title, body="Better words.", groups=groups(slug))

    with counted_round_trips(settings) as (to_voting, _):
        change("A better title", "web")
        with to_voting.counting():
            change("The best title", "maths")
        assert to_voting.round_trips == 2, "one to check the post, one to sync it"
    with redis_down(settings):
        change("A title", "cooking")
    assert OutboxItem.waiting_posts().count() == 1
    written.refresh_from_db()
    assert written.version == 4, "one version per change"


def test_changing_only_groups_is_not_marked_as_an_edit(ada: User, written: Post) -> None:
    Post.objects.update(created_at=timezone.now() - UNMARKED)
    move(ada, written, "web")
    written.refresh_from_db()
    assert written.edited_at is None
    assert not written.revisions.exists()


def test_preview_keeps_selected_groups(ada: User, written: Post) -> None:
    form = {"title": "A title", "body": "Words.", "groups": ["web"], "preview": "1"}
    html = reader(ada).post(f"/p/{written.pk}/edit", form).content.decode()
    assert 'value="web" checked>' in html
    assert 'value="books">' in html
    assert listed(written) == {"books", "maths"}


def test_selected_groups_are_kept_during_log_in(ada: User, written: Post) -> None:
    window, where = reader(), f"/p/{written.pk}/edit"
    window.post(where, {"title": "A title", "body": "Words.", "groups": ["web"]})
    window.force_login(ada)
    html = window.get(where).content.decode()
    assert 'value="web" checked>' in html
    assert 'value="books">' in html


def test_moving_to_the_same_groups_again_changes_nothing(ada: User, written: Post) -> None:
    move(ada, written, "maths", "books")
    written.refresh_from_db()
    assert written.version == 1


def test_staff_may_move_posts_of_others(written: Post) -> None:
    move(person("stella", is_staff=True), written, "web")
    assert listed(written) == {"web"}


def test_strangers_and_guests_cannot_move_a_post(bob: User, written: Post) -> None:
    assert move(bob, written, "web").status_code == 403
    assert move(None, written, "web").status_code == 302, "asked to log in"
    assert listed(written) == {"books", "maths"}


@pytest.mark.parametrize(
    ("slugs", "reason"),
    [
        ((), "Choose one to three groups."),
        (("books", "maths", "web", "cooking"), "Choose at most three groups (you chose 4)."),
        (("nowhere",), "There is no group “nowhere”."),
    ],
)
def test_none_too_many_or_unknown_groups_are_refused_with_the_reason(
    ada: User, written: Post, slugs: tuple[str, ...], reason: str
) -> None:
    response = move(ada, written, *slugs)
    assert response.status_code == 422
    assert reason in response.content.decode()
    assert listed(written) == {"books", "maths"}


def test_edit_page_shows_the_groups_of_the_post(ada: User, written: Post) -> None:
    page = reader(ada).get(f"/p/{written.pk}/edit").content.decode()
    assert 'value="books" checked>' in page
    assert 'value="web">' in page
