"""Addresses in the admin that make no sense get status 400 and not 500."""

from typing import Any

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import OperationalError, connection
from django.test import Client
from django_tasks_db.models import DBTaskResult

from forum.models import Post, User
from tests.forum.factories import person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)

HUGE = "9" * 24


@pytest.fixture
def window() -> Client:
    return reader(person("stella", is_staff=True, is_superuser=True))


@pytest.fixture
def knots(ada: User) -> Post:
    return post(ada, "Knots")


@pytest.mark.parametrize(
    "path",
    [
        f"forum/post/?created_at__year={HUGE}",
        "forum/comment/?id__range=1",
        "auth/group/?id__range=",
    ],
)
def test_invalid_address_is_a_bad_request(window: Client, path: str) -> None:
    assert window.get(f"/admin/{path}").status_code == 400


def test_number_too_large_for_a_column_finds_nothing_or_is_a_bad_request(window: Client) -> None:
    """SQLite refuses the number; PostgreSQL compares it and finds nobody."""
    assert window.get(f"/admin/forum/user/?id__in={HUGE}").status_code in {200, 400}


@pytest.mark.parametrize("query", ["id__in=garbage", "q=%00", f"p={HUGE}", "o=x"])
def test_list_ignores_unknown_parameters(window: Client, knots: Post, query: str) -> None:
    assert window.get(f"/admin/forum/post/?{query}").status_code in {200, 302}


def test_page_of_an_unknown_post_redirects(window: Client) -> None:
    assert window.get("/admin/forum/post/77/change/").status_code == 302


def test_view_on_site_redirects_to_the_post(window: Client, knots: Post) -> None:
    kind = ContentType.objects.get_for_model(Post).pk
    answer = window.get(f"/admin/r/{kind}/{knots.pk}/")
    assert answer["Location"].endswith(knots.get_absolute_url())


def test_view_on_site_of_an_impossible_number_is_a_bad_request(window: Client) -> None:
    kind = ContentType.objects.get_for_model(DBTaskResult).pk
    assert window.get(f"/admin/r/{kind}/x/").status_code == 400


def test_a_bug_in_a_form_stays_an_error(window: Client) -> None:
    sent = {"action": "delete_selected", "_selected_action": "garbage"}
    with pytest.raises(ValueError, match="garbage"):
        window.post("/admin/auth/group/", sent)


@pytest.mark.parametrize("query", ["", "?title__contains=x"])
def test_list_explains_that_sql_is_down(window: Client, query: str) -> None:
    def fail(ask: Any, sql: str, *more: Any) -> Any:
        if "forum_post" in sql:
            raise OperationalError("gone")
        return ask(sql, *more)

    with connection.execute_wrapper(fail):
        answer = window.get(f"/admin/forum/post/{query}", follow=True)
    assert answer.status_code == 503
