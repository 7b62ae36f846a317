"""Browsers don't store pages of members, and logging out clears the browser's data."""

import pytest
from django.conf import settings

from forum.actions import unsubscribe_links
from forum.models import User
from forum.moderation.actions import removals, undo
from tests.forum.factories import emailed_path, person, person_with_email, post, reader

pytestmark = pytest.mark.django_db(transaction=True)

EVERYWHERE = ("/", "/new", "/g/books/", "/comments", "/about", "/u/ada/")
MEMBERS = (
    *("/inbox", "/preferences", "/submit", "/following", "/history", "/u/ada/saved"),
    *("/p/1", "/p/1/edit"),
    *("/accounts/email/", "/accounts/password/change/", "/accounts/2fa/", "/accounts/login/"),
)
STAFF = ("/admin/", "/admin/forum/post/")


def test_pages_of_members_are_not_stored(ada: User) -> None:
    post(ada)
    window = reader(ada)
    for path in (*EVERYWHERE, *MEMBERS, "/nowhere"):
        assert window.get(path)["Cache-Control"] == "no-store", path
    staff = reader(person("stella", is_staff=True, is_superuser=True))
    for path in STAFF:
        assert "no-store" in staff.get(path)["Cache-Control"], path


def test_pages_of_guests_may_be_cached(ada: User) -> None:
    written = post(ada)
    for path in (*EVERYWHERE, written.get_absolute_url()):
        assert "no-store" not in reader().get(path).headers.get("Cache-Control", ""), path


def test_pages_of_links_in_mails_are_not_stored() -> None:
    eve = person_with_email("eve")
    reader().post("/accounts/password/reset/", {"email": eve.email})
    window, link = reader(), emailed_path()
    form = window.get(link)
    token = unsubscribe_links.address(eve.pk, unsubscribe_links.Mail.DIGEST).removeprefix(
        settings.SITE_URL
    )
    for answer in (form, window.get(form["Location"]), window.get(token)):
        assert answer["Cache-Control"] == "no-store"
    assert window.get("/accounts/confirm-email/x:y/")["Cache-Control"] == "no-store"


def test_guest_reads_a_post_again_after_its_removal_was_undone(ada: User, stella: User) -> None:
    written, window = post(ada), reader()
    action = removals.remove(written, by=stella, reason="spam")
    for path, status in ((written.get_absolute_url(), 410), ("/nowhere", 404)):
        answer = window.get(path)
        assert (answer.status_code, answer["Cache-Control"]) == (status, "no-store")
    undo.undo(action, by=stella)
    assert window.get(written.get_absolute_url()).status_code == 200


def test_logging_out_clears_the_browsers_data(ada: User) -> None:
    window = reader(ada)
    assert "Clear-Site-Data" not in window.get("/accounts/logout/")
    answer = window.post("/accounts/logout/")
    assert answer["Clear-Site-Data"] == '"cache", "storage"'
    assert window.get("/inbox").status_code == 302
