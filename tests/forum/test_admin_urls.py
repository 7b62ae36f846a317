"""Admin URLs with nonsense parameters get status 400 and not 500."""

import pytest
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from forum.models import Post
from tests.forum.outages import failing_sql

pytestmark = pytest.mark.django_db

HUGE = "9" * 24


@pytest.mark.parametrize(
    "path",
    [
        f"forum/post/?created_at__year={HUGE}",
        "forum/comment/?id__range=1",
        "auth/group/?id__range=",
    ],
)
def test_invalid_address_is_a_bad_request(admin: Client, path: str) -> None:
    assert admin.get(f"/admin/{path}").status_code == 400


def test_number_too_large_for_a_column_finds_nothing_or_is_a_bad_request(admin: Client) -> None:
    """SQLite rejects the number (400). PostgreSQL accepts the number and finds nobody (200)."""
    assert admin.get(f"/admin/forum/user/?id__in={HUGE}").status_code in {200, 400}


@pytest.mark.parametrize("query", ["id__in=garbage", "q=%00", f"p={HUGE}", "o=x"])
def test_list_ignores_unknown_parameters(admin: Client, knots: Post, query: str) -> None:
    assert admin.get(f"/admin/forum/post/?{query}").status_code in {200, 302}


def test_page_of_an_unknown_post_redirects(admin: Client) -> None:
    assert admin.get("/admin/forum/post/77/change/").status_code == 302


def test_view_on_site_redirects_to_the_post(admin: Client, knots: Post) -> None:
    kind = ContentType.objects.get_for_model(Post).pk
    answer = admin.get(f"/admin/r/{kind}/{knots.pk}/")
    assert answer["Location"].endswith(knots.get_absolute_url())


def test_a_bug_in_a_form_stays_an_error(admin: Client) -> None:
    sent = {"action": "delete_selected", "_selected_action": "garbage"}
    with pytest.raises(ValueError, match="garbage"):
        admin.post("/admin/auth/group/", sent)


@pytest.mark.parametrize("query", ["", "?title__contains=x"])
def test_list_explains_that_sql_is_down(admin: Client, query: str) -> None:
    with failing_sql('SELECT COUNT(*) AS "__count" FROM "forum_post"'):
        answer = admin.get(f"/admin/forum/post/{query}", follow=True)
    assert answer.status_code == 503
