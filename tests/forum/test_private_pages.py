"""Browsers don't store pages of members, and logging out clears the browser's data."""

import pytest

from forum.models import User
from tests.forum.factories import person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)

EVERYWHERE = ("/", "/new", "/g/books/", "/p/1", "/comments", "/about", "/u/ada/", "/nowhere")
MEMBERS = (
    *("/inbox", "/preferences", "/submit", "/following", "/history", "/u/ada/saved", "/p/1/edit"),
    *("/accounts/email/", "/accounts/password/change/", "/accounts/2fa/", "/accounts/login/"),
)
STAFF = ("/admin/", "/admin/forum/post/")


def test_pages_of_members_are_not_stored(ada: User) -> None:
    post(ada)
    window = reader(ada)
    for path in (*EVERYWHERE, *MEMBERS):
        assert window.get(path)["Cache-Control"] == "no-store", path
    staff = reader(person("stella", is_staff=True, is_superuser=True))
    for path in STAFF:
        assert "no-store" in staff.get(path)["Cache-Control"], path


def test_pages_of_guests_may_be_cached(ada: User) -> None:
    post(ada)
    for path in EVERYWHERE:
        assert "no-store" not in reader().get(path).headers.get("Cache-Control", ""), path


def test_logging_out_clears_the_browsers_data(ada: User) -> None:
    window = reader(ada)
    assert "Clear-Site-Data" not in window.get("/accounts/logout/")
    answer = window.post("/accounts/logout/")
    assert answer["Clear-Site-Data"] == '"cache", "storage"'
    assert window.get("/inbox").status_code == 302
