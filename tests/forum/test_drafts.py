"""If a guest's text or an expired form can't be saved, the form shows the text again."""

import re
from time import time
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client

from forum.config import rate_limits
from forum.models import Post, User
from forum.web import drafts
from tests.forum.comments import add_comment
from tests.forum.factories import groups, post, reader
from tests.forum.outages import failing_sql
from voting.types.limits import Window

pytestmark = pytest.mark.django_db
TEXT = {"kind": "text", "title": "A text", "body": "Said *so*.", "groups": ["books"]}
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]*)"')


def expired_token(window: Client, path: str) -> dict[str, str]:
    """Open a page, then change the CSRF cookie. Return form data with the now invalid token."""
    found = TOKEN.search(window.get(path).content.decode())
    assert found
    window.cookies["csrftoken"] = "x" * 32
    return {"csrfmiddlewaretoken": found[1]}


def test_a_throttled_draft_of_a_guest_is_given_back(settings: Any) -> None:
    settings.LIMITS = rate_limits.everybody() | {"draft": (Window(1, 600),)}
    assert reader().post("/submit", TEXT).status_code == 302
    refused = reader().post("/submit", TEXT | {"body": "Half a <b> day's work."})
    assert refused.status_code == 429
    assert "A text\n\nHalf a &lt;b&gt; day&#x27;s work.</textarea>" in refused.content.decode()


def test_a_bio_is_given_back_while_sql_is_down(bob: User) -> None:
    with failing_sql('UPDATE "forum_user"'):
        answer = reader(bob).post("/u/bob/about", {"about": "I tie knots."})
    assert answer.status_code == 503
    assert "I tie knots.</textarea>" in answer.content.decode()


def test_a_guests_text_is_given_back_while_sql_is_down() -> None:
    with failing_sql('INSERT INTO "django_session"'):
        answer = reader(raise_request_exception=False).post("/submit", TEXT)
    assert answer.status_code == 503
    assert "Said *so*.</textarea>" in answer.content.decode()


def test_a_message_of_staff_is_given_back_while_sql_is_down(admin: Client, bob: User) -> None:
    form = {"action": "send_message", "_selected_action": bob.pk, "text": "Be kind."}
    with failing_sql("INSERT"):
        answer = admin.post("/admin/forum/user/", form)
    assert answer.status_code == 503
    assert "Be kind.</textarea>" in answer.content.decode()


def test_a_comment_from_an_expired_page_is_given_back_while_sql_is_down(
    ada: User, bob: User
) -> None:
    window = reader(bob, enforce_csrf_checks=True, raise_request_exception=False)
    where = f"/p/{post(ada).pk}/comment"
    old = expired_token(window, where)
    with failing_sql('UPDATE "django_session"'):
        answer = window.post(where, {"body": "I agree.", **old})
    assert answer.status_code == 503
    assert "The database isn&#x27;t responding" in answer.content.decode()
    assert "I agree.</textarea>" in answer.content.decode()


@pytest.mark.parametrize(
    ("page", "form"),
    [
        ("user/", {"action": "send_message", "text": "Be kind, please."}),
        ("group/add/", {"title": "Knots", "description": "Be kind, please."}),
    ],
)
def test_staff_can_copy_their_text_from_an_expired_page(
    stella: User, page: str, form: dict[str, str]
) -> None:
    window = reader(stella, enforce_csrf_checks=True)
    answer = window.post(f"/admin/forum/{page}", {**form, **expired_token(window, "/submit")})
    assert answer.status_code == 403
    assert "Be kind, please.</textarea>" in answer.content.decode()


def test_draft_is_kept_during_prefetch_and_reload_until_it_is_sent(ada: User) -> None:
    groups("books")
    window = reader()
    window.post("/submit", TEXT)
    window.force_login(ada)
    window.head("/submit")
    window.get("/submit", headers={"Sec-Purpose": "prefetch"})
    for _look in range(2):
        assert "Said *so*.</textarea>" in window.get("/submit").content.decode()
    refused = window.post("/submit", TEXT | {"groups": []})
    assert refused.status_code == 422
    assert "Said *so*.</textarea>" in window.get("/submit").content.decode()
    assert window.post("/submit", TEXT | {"body": "Said better."}).status_code == 303
    assert "Said" not in window.get("/submit").content.decode()


def test_a_guests_draft_becomes_a_saved_draft(ada: User) -> None:
    window = reader()
    window.post("/submit", TEXT)
    window.force_login(ada)
    window.post("/submit", TEXT | {"save_draft": "1"})
    page = window.get("/submit").content.decode()
    assert "You have a draft from just now." in page
    assert "Said *so*.</textarea>" not in page


def test_a_drafted_comment_is_in_the_posts_comment_box_too(ada: User, bob: User) -> None:
    about, window = post(ada), reader()
    where = f"/p/{about.pk}/comment"
    window.post(where, {"body": "Half a thought"})
    assert "Half a thought" not in window.get(about.get_absolute_url()).content.decode()
    window.force_login(bob)
    for path in (where, about.get_absolute_url(), f"{about.get_absolute_url()}?sort=new"):
        assert "Half a thought</textarea>" in window.get(path).content.decode()
    assert window.post(where, {"body": "A whole one"}).status_code == 303
    for path in (where, about.get_absolute_url()):
        assert "Half a thought" not in window.get(path).content.decode()


def test_a_draft_is_dropped_after_an_hour(bob: User) -> None:
    window = reader(bob, enforce_csrf_checks=True)
    window.post("/submit", {**TEXT, **expired_token(window, "/submit")})
    with patch("forum.web.drafts.time", return_value=time() + drafts.LIFE - 60):
        assert "Said *so*." in window.get("/submit").content.decode()
    with patch("forum.web.drafts.time", return_value=time() + drafts.LIFE):
        assert "Said *so*." not in window.get("/submit").content.decode()
    assert not window.session[drafts.SESSION_KEY], "the draft is dropped"


def test_a_drafted_reply_is_in_the_box_below_its_parent(ada: User, bob: User) -> None:
    about, window = post(ada), reader()
    comment = add_comment(ada, about)
    window.post(f"/p/{about.pk}/comment", {"body": "Half a thought", "parent": comment.pk})
    window.force_login(bob)
    assert "Half a thought</textarea>" in window.get(comment.get_absolute_url()).content.decode()
    assert "Half a thought" not in window.get(about.get_absolute_url()).content.decode()


def test_drafts_from_two_tabs_are_both_kept(ada: User, bob: User) -> None:
    about, window = post(ada), reader()
    reply = f"/p/{about.pk}/comment"
    window.post("/submit", TEXT)
    window.post(reply, {"body": "I agree."})
    window.force_login(bob)
    assert window.post(reply, {"body": "I agree."}).status_code == 303
    assert "Said *so*.</textarea>" in window.get("/submit").content.decode()
    assert window.post("/submit", TEXT).status_code == 303
    assert Post.objects.filter(title="A text").exists()


def test_only_the_latest_drafts_are_kept(ada: User, bob: User) -> None:
    window, forms = reader(), [f"/p/{post(ada).pk}/comment" for _ in range(drafts.MOST + 1)]
    for form in (*forms[:2], forms[0], *forms[2:]):
        window.post(form, {"body": "My first thought"})
    window.post(forms[-1], {"body": "My second thought"})
    window.force_login(bob)
    pages = [window.get(form).content.decode() for form in forms]
    assert ["My first thought" in page for page in pages] == [True, False, True, False]
    assert "My second thought" in pages[-1]
