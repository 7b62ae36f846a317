"""An author must confirm the deletion of a post; the post then leaves every list immediately."""

import pytest
from redis import Redis

from forum.actions import posts as post_actions
from forum.actions import visibility
from forum.models import Post, User
from forum.operations.repair.check import differences
from forum.operations.repair.rebuild import ensure_filled
from forum.store.service import get_voting_service
from tests.forum.factories import person, post, reader
from tests.forum.past_posts import archive_all
from tests.forum.worker_runs import deliver_outbox
from voting.errors import UnknownTarget
from voting.types import Order, Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def written(ada: User) -> Post:
    return post(ada, slugs="books maths")


def test_opening_the_page_only_asks(ada: User, written: Post) -> None:
    response = reader(ada).get(f"/p/{written.pk}/delete")
    assert response.status_code == 200
    assert "Delete this post?" in response.content.decode()
    written.refresh_from_db()
    assert written.deleted_at is None


@pytest.mark.parametrize("name", ["ada", "stella"])
def test_post_deleted_by_its_author_or_removed_by_staff_leaves_every_list(
    ada: User, written: Post, name: str
) -> None:
    if name == "ada":
        response = reader(ada).post(f"/p/{written.pk}/delete")
    else:
        form = {"action": "remove", "reason": "Spam"}
        response = reader(person(name, is_staff=True)).post(f"/p/{written.pk}/moderate", form)
    assert response.status_code == 303
    for group in (None, "books", "maths"):
        for order in (Order.HOT, Order.NEW, Order.TOP_ALL):
            assert get_voting_service().listings.page(order, 1, group=group).total == 0
    with pytest.raises(UnknownTarget):
        get_voting_service().votes.cast(ada.pk, Target(written.pk), Vote.DOWN)


def test_page_of_a_deleted_post_says_so(ada: User, written: Post) -> None:
    browser = reader(ada)
    browser.post(f"/p/{written.pk}/delete")
    assert browser.get(written.get_absolute_url()).status_code == 410


def test_only_the_author_can_delete_a_post(bob: User, stella: User, written: Post) -> None:
    for user in (bob, stella):
        assert reader(user).post(f"/p/{written.pk}/delete").status_code == 403
    assert reader().post(f"/p/{written.pk}/delete").status_code == 302, "asked to log in"
    assert get_voting_service().listings.page(Order.NEW, 1).total == 1


def test_deleting_twice_says_that_the_post_is_deleted(ada: User, written: Post) -> None:
    browser = reader(ada)
    browser.post(f"/p/{written.pk}/delete")
    written.refresh_from_db()
    first = written.deleted_at
    assert browser.post(f"/p/{written.pk}/delete").status_code == 410
    written.refresh_from_db()
    assert written.deleted_at == first


def test_post_deleted_during_a_loss_of_redis_can_be_restored(
    redis: Redis, ada: User, bob: User, written: Post
) -> None:
    get_voting_service().votes.cast(bob.pk, Target(written.pk), Vote.UP)
    archive_all()
    redis.flushall()
    post_actions.delete(written)
    ensure_filled()
    assert deliver_outbox() == 1
    assert get_voting_service().listings.page(Order.NEW, 1).total == 0
    visibility.release(Post.objects.get(pk=written.pk))
    (row,) = get_voting_service().listings.page(Order.NEW, 1, viewer=bob.pk).rows
    assert (row.id, row.up, row.vote) == (written.pk, 2, Vote.UP)
    assert get_voting_service().votes.cast(bob.pk, Target(written.pk), Vote.DOWN).changed
    archive_all()
    assert list(differences()) == []
