"""Addresses of the admin that somebody wrote by hand: what can't be asked for is no fault of ours.

SQLite and PostgreSQL refuse other things, so some of these find a list on one of them.
"""

from typing import Any

import pytest
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection
from django.test import Client
from django_tasks_db.models import DBTaskResult

from forum.models import Post, User
from tests.forum.cast import person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)

HUGE = "9" * 24
EVERYWHERE = ("id__in={}", "id__range={}", "id__range=", "id__gte={}", "q={}", "p={}", "o={}")


@pytest.fixture
def window() -> Client:
    return reader(person("stella", is_staff=True, is_superuser=True))


@pytest.fixture
def knots(ada: User) -> Post:
    return post(ada, "Knots")


@pytest.mark.parametrize(
    "query",
    [
        *(f"created_at__year={year}" for year in ("0", "-1", "99999999", HUGE)),
        f"created_at__year=2024&created_at__month={HUGE}",
        *("edited_at__year__gt=99999999", "edited_at__iso_year=0"),
        *("title__range=x", "title__range=1,2,3"),
        "title__regex=[",
    ],
)
def test_a_list_that_can_not_be_asked_for_leads_to_the_one_without_a_filter(
    window: Client, knots: Post, query: str
) -> None:
    answer = window.get(f"/admin/forum/post/?{query}", follow=True)
    assert answer.redirect_chain == [("/admin/forum/post/?e=1", 302)]
    assert answer.status_code == 200
    assert knots.title in answer.content.decode()


@pytest.mark.parametrize("value", [HUGE, f"-{HUGE}", "garbage", "%00", "a%00b", "1.2.3", "\u0663"])
@pytest.mark.parametrize(
    "path",
    [
        *("forum/post", "forum/comment", "forum/user", "forum/group", "forum/ledgerentry"),
        *("forum/archivedvote", "auth/group", "account/emailaddress", "mfa/authenticator"),
        "django_tasks_database/dbtaskresult",
    ],
)
def test_no_list_breaks_whatever_its_address_asks_for(
    window: Client, path: str, value: str
) -> None:
    for query in EVERYWHERE:
        asked = f"/admin/{path}/?{query.format(value)}"
        assert window.get(asked).status_code in {200, 302}, asked


@pytest.mark.parametrize("number", [HUGE, f"-{HUGE}", "garbage", "%00", "1.5"])
@pytest.mark.parametrize("page", ["change", "history", "delete", "password"])
@pytest.mark.parametrize("path", ["forum/post", "forum/user", "account/emailaddress"])
def test_a_page_of_nothing_says_that_there_is_no_such_thing(
    window: Client, path: str, page: str, number: str
) -> None:
    answer = window.get(f"/admin/{path}/{number}/{page}/")
    assert answer.status_code in {302, 403, 404}


def test_an_address_that_names_no_field_to_find_a_thing_by_shows_it_by_its_number(
    window: Client, knots: Post
) -> None:
    assert window.get(f"/admin/forum/post/{knots.pk}/change/?_to_field=").status_code == 200
    assert window.get(f"/admin/forum/post/{knots.pk}/delete/?_to_field=").status_code == 403


@pytest.mark.parametrize(
    "number", ["0", HUGE, "x", "%00", "a%00b", "00000000-0000-4000-8000-000000000000"]
)
@pytest.mark.parametrize("model", [DBTaskResult, Post, Session])
def test_the_way_to_the_site_of_what_is_not_there_is_not_found(
    window: Client, model: Any, number: str
) -> None:
    kind = ContentType.objects.get_for_model(model).pk
    assert window.get(f"/admin/r/{kind}/{number}/").status_code == 404


def test_the_way_to_the_site_leads_to_a_post(window: Client, knots: Post) -> None:
    kind = ContentType.objects.get_for_model(Post).pk
    answer = window.get(f"/admin/r/{kind}/{knots.pk}/")
    assert answer["Location"].endswith(knots.get_absolute_url())


@pytest.mark.parametrize("term", ["%00", "garbage", HUGE])
def test_a_search_for_what_to_choose_does_not_break(window: Client, term: str) -> None:
    which = "app_label=forum&model_name=post&field_name=author"
    answer = window.get(f"/admin/autocomplete/?{which}&term={term}")
    assert answer.status_code in {200, 400}


@pytest.mark.parametrize(
    "which",
    [
        "app_label=auth&model_name=group&field_name=user",
        "app_label=auth&model_name=permission&field_name=group",
        "app_label=forum&model_name=group&field_name=posts",
        "app_label=forum&model_name=post&field_name=comments",
    ],
)
def test_who_asks_what_to_choose_for_a_field_that_is_none_is_refused(
    window: Client, which: str
) -> None:
    answer = window.get(f"/admin/autocomplete/?{which}")
    assert answer.status_code == 403
    assert "This is not yours to do." in answer.content.decode()


def test_who_asks_what_to_choose_for_a_field_reads_it(window: Client, knots: Post) -> None:
    which = "app_label=forum&model_name=post&field_name=groups"
    answer = window.get(f"/admin/autocomplete/?{which}&term=boo")
    assert [one["text"] for one in answer.json()["results"]] == ["books"]


@pytest.mark.parametrize(
    ("page", "field"),
    [
        ("forum/post/{post}/change", "groups"),
        ("forum/user/{person}/change", "groups"),
        ("forum/user/{person}/change", "user_permissions"),
        ("auth/group/add", "permissions"),
    ],
)
def test_a_choice_of_what_can_not_be_is_a_wrong_one_and_nothing_is_lost(
    window: Client, ada: User, knots: Post, page: str, field: str
) -> None:
    path = page.format(post=knots.pk, person=ada.pk)
    answer = window.post(f"/admin/{path}/", {"title": "Bends", "name": "Bends", field: [HUGE]})
    assert answer.status_code == 200
    assert f"{HUGE} is not one of the available choices." in answer.content.decode()


@pytest.mark.parametrize("path", ["auth/group", "account/emailaddress"])
def test_a_form_made_by_hand_is_refused_by_the_lists_of_libraries_too(
    window: Client, path: str
) -> None:
    sent = {"action": "delete_selected", "_selected_action": "garbage"}
    assert window.post(f"/admin/{path}/", sent).status_code == 400


@pytest.mark.parametrize("query", ["", "?e=1", "?title__regex=x"])
def test_while_sql_is_away_a_list_says_so_with_a_filter_or_without(
    window: Client, query: str
) -> None:
    def away(ask: Any, sql: str, *more: Any) -> Any:
        if "forum_post" in sql:
            raise OperationalError("gone")
        return ask(sql, *more)

    with connection.execute_wrapper(away):
        answer = window.get(f"/admin/forum/post/{query}", follow=True)
    assert answer.status_code == 503
