"""An author may correct a link's address for an hour, and every page then shows the new address."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from forum.actions.posts import UNMARKED
from forum.identity.permissions import CORRECTABLE
from forum.models import Post, User
from forum.store import post_cards
from forum.store.service import get_voting_service
from tests.forum.factories import person, post, reader
from voting.types import Order

pytestmark = pytest.mark.django_db(transaction=True)

WRONG, RIGHT = "https://example.org/wrong", "https://example.net/right"


@pytest.fixture
def link(ada: User) -> Post:
    return post(ada, "A page", kind="link", url=WRONG, body="")


def correct(user: User, link: Post, url: str = RIGHT, **form: Any) -> Any:
    sent = {"title": link.title, "body": link.body, "groups": "books", "url": url}
    return reader(user).post(f"/p/{link.pk}/edit", sent | form)


def grow(link: Post, age: timedelta) -> None:
    Post.objects.filter(pk=link.pk).update(created_at=timezone.now() - age)


def test_the_author_corrects_the_address_and_lists_clicks_and_duplicates_follow(
    ada: User, bob: User, link: Post
) -> None:
    assert f'value="{WRONG}"' in reader(ada).get(f"/p/{link.pk}/edit").content.decode()
    assert correct(ada, link, "example.net/right").status_code == 303
    (row,) = get_voting_service().listings.page(Order.NEW, 1).rows
    assert (post_cards.unpack(row.card).url, post_cards.unpack(row.card).domain) == (
        RIGHT,
        "example.net",
    )
    assert reader().get(f"/p/{link.pk}/out")["Location"] == RIGHT
    form = {"kind": "link", "title": "The same page", "groups": ["books"]}
    assert reader(bob).post("/submit", form | {"url": RIGHT})["Location"] == link.get_absolute_url()
    reader(bob).post("/submit", form | {"url": WRONG})
    assert Post.objects.count() == 2, "the wrong URL can be posted again"


@pytest.mark.parametrize("late", [False, True], ids=["in five minutes", "after five minutes"])
def test_the_history_shows_the_old_address_unless_corrected_at_once(
    ada: User, link: Post, late: bool
) -> None:
    if late:
        grow(link, UNMARKED)
    correct(ada, link)
    page = reader().get(f"/p/{link.pk}/history").content.decode()
    assert (f'href="{WRONG}"' in page) is late
    link.refresh_from_db()
    assert (link.edited_at is not None) is late


def test_after_an_hour_the_address_stays_and_an_older_form_explains_why(
    ada: User, link: Post
) -> None:
    grow(link, CORRECTABLE)
    assert 'name="url"' not in reader(ada).get(f"/p/{link.pk}/edit").content.decode()
    refused = correct(ada, link, title="A better title")
    assert refused.status_code == 422
    assert "so the URL was left unchanged" in refused.content.decode()
    assert 'value="A better title"' in refused.content.decode()
    assert correct(ada, link, WRONG, title="A better title").status_code == 303
    link.refresh_from_db()
    assert (link.title, link.url) == ("A better title", WRONG)


def test_staff_cannot_change_the_address_of_another_persons_link(link: Post) -> None:
    assert correct(person("stella", is_staff=True), link).status_code == 422
    link.refresh_from_db()
    assert link.url == WRONG


def test_an_address_of_another_post_is_refused_with_a_link_to_it(
    ada: User, bob: User, link: Post
) -> None:
    other = post(bob, "Theirs", kind="link", url=RIGHT, body="")
    answer = correct(ada, link, title="A better title")
    page = answer.content.decode()
    assert answer.status_code == 409
    assert f'<a href="{other.get_absolute_url()}">Theirs</a>' in page
    assert 'value="A better title"' in page
    link.refresh_from_db()
    assert (link.title, link.url) == ("A page", WRONG)


@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "nowhere"])
def test_invalid_address_is_refused(ada: User, link: Post, url: str) -> None:
    assert correct(ada, link, url).status_code == 422
    link.refresh_from_db()
    assert link.url == WRONG


def test_a_preview_keeps_the_new_address_and_saves_nothing(ada: User, link: Post) -> None:
    page = correct(ada, link, preview="1").content.decode()
    assert f'value="{RIGHT}"' in page
    link.refresh_from_db()
    assert link.url == WRONG


def test_older_tab_does_not_restore_the_wrong_address(ada: User, link: Post) -> None:
    old = reader(ada).get(f"/p/{link.pk}/edit").content.decode()
    seen = old.partition('name="seen" value="')[2].partition('"')[0]
    correct(ada, link)
    answer = correct(ada, link, WRONG, title="From the older tab", seen=seen)
    assert answer.status_code == 409
    assert f"<bdi>{RIGHT}</bdi>" in answer.content.decode()
    link.refresh_from_db()
    assert link.url == RIGHT
