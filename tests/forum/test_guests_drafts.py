"""A text that a guest sent waits in their drafts after log-in, and its form says so."""

from typing import Any

import pytest
from django.test import Client

from forum.models import Comment, Draft, Post, User
from tests.forum.comments import add_comment
from tests.forum.factories import PASSWORD, groups, post, reader

pytestmark = pytest.mark.django_db
TEXT = {"kind": "text", "title": "A text", "body": "Said *so*.", "groups": ["books"]}
NOT_SENT = "Not sent yet. Check it and press “Send”."
NOT_PUBLISHED = "Not published yet. Check it and press “Publish”."
IN_DRAFTS = "Texts that you haven't sent yet"


def log_in(window: Client, entrance: str) -> Any:
    """Log in as bob on the page at the URL `entrance`; return the page that follows."""
    sent = {"login": "bob", "password": PASSWORD}
    return window.post(entrance, sent, follow=True)


def text_of(answer: Any) -> str:
    return str(answer.content.decode())


def test_guest_who_logs_in_finds_the_form_filled_in_from_a_draft(ada: User, bob: User) -> None:
    asked = post(ada, kind="question")
    answer = add_comment(ada, asked)
    where = f"/p/{asked.pk}/comment"
    for form, parent in ((where, None), (f"{where}?on=question", None), (where, answer)):
        window = reader()
        replied = {"parent": parent.pk} if parent else {}
        sent = window.post(form, {"body": "I agree."} | replied)
        page = text_of(log_in(window, sent["Location"]))
        draft = Draft.objects.get(author=bob)
        assert (draft.post, draft.parent, draft.on_question) == (asked, parent, "on=" in form)
        assert "I agree.</textarea>" in page
        assert NOT_SENT in page
        assert IN_DRAFTS not in page
        hidden = f"{draft.key} {draft.version}"
        assert f'name="draft" value="{hidden}"' in page
        assert window.post(form, {"body": "So do I.", "draft": hidden} | replied).status_code == 303
        assert not Draft.objects.exists()
        assert "I agree." not in text_of(window.get(form))


def test_guests_post_is_filled_in_after_log_in_and_says_that_it_is_not_published(bob: User) -> None:
    groups("books")
    window = reader()
    page = text_of(log_in(window, window.post("/submit", TEXT)["Location"]))
    assert "Said *so*.</textarea>" in page
    assert 'value="books" checked' in page.replace("\n", " ")
    assert NOT_PUBLISHED in page


def test_guest_who_makes_a_detour_is_led_to_the_drafts(ada: User, bob: User) -> None:
    window, where = reader(), f"/p/{post(ada).pk}/comment"
    window.post(where, {"body": "I agree."})
    page = text_of(log_in(window, "/accounts/login/"))
    assert f'{IN_DRAFTS} are in <a href="/u/bob/drafts">your drafts</a>.' in page
    assert "I agree." in text_of(window.get("/u/bob/drafts"))
    assert IN_DRAFTS not in text_of(log_in(reader(), "/accounts/login/"))


def test_guest_who_signs_up_finds_the_text_in_their_drafts(ada: User) -> None:
    window, where = reader(), f"/p/{post(ada).pk}/comment"
    window.post(where, {"body": "I agree."})
    account = {"username": "carol", "password1": PASSWORD}
    page = text_of(window.post("/accounts/signup/", account, follow=True))
    assert '<a href="/u/carol/drafts">your drafts</a>' in page
    assert Draft.objects.get().body == "I agree."


@pytest.mark.parametrize("parent", ["x", "0", "99999"])
def test_guest_who_replies_to_no_comment_can_log_in(ada: User, bob: User, parent: str) -> None:
    window, where = reader(), f"/p/{post(ada).pk}/comment"
    window.post(where, {"body": "I agree.", "parent": parent})
    assert log_in(window, "/accounts/login/").status_code == 200
    assert not Draft.objects.exists()


def test_guests_text_for_a_post_that_is_deleted_meanwhile_can_be_copied(
    ada: User, bob: User
) -> None:
    window, about = reader(), post(ada)
    window.post(f"/p/{about.pk}/comment", {"body": "I agree."})
    Post.objects.filter(pk=about.pk).update(deleted_at=about.created_at)
    log_in(window, "/accounts/login/")
    assert "I agree.</textarea>" in text_of(window.get("/u/bob/drafts"))


def test_form_that_expired_says_that_it_is_not_sent(ada: User, bob: User) -> None:
    about = post(ada, kind="question")
    window = reader(bob, enforce_csrf_checks=True)
    window.get(f"/p/{about.pk}/comment")
    old = {"csrfmiddlewaretoken": "x" * 32}
    again = window.post(f"/p/{about.pk}/comment", {"body": "I agree."} | old)
    for path in (again["Location"], about.get_absolute_url()):
        page = text_of(window.get(path))
        assert "I agree.</textarea>" in page
        assert page.count(NOT_SENT) == 1
    assert not Draft.objects.exists(), "a request without a valid token changes no data"
    assert not Comment.objects.exists()


def test_form_for_something_new_says_nothing(ada: User, bob: User) -> None:
    window = reader(bob)
    assert NOT_SENT not in text_of(window.get(f"/p/{post(ada).pk}/comment"))
    assert NOT_PUBLISHED not in text_of(window.get("/submit"))


def test_header_of_the_form_keeps_the_text_of_a_guest_who_logs_in_or_signs_up(
    ada: User, bob: User
) -> None:
    window, where = reader(), f"/p/{post(ada).pk}/comment"
    page = text_of(window.get(where))
    assert '<form class="stack comment-form" id="writing"' in page
    for entrance in ("account_login", "account_signup"):
        assert f'<button form="writing" name="enter" value="{entrance}" formnovalidate>' in page
        sent = window.post(where, {"body": "I agree.", "enter": entrance})
        assert sent["Location"] == f"/accounts/{entrance[8:]}/?next={where}"
    assert "I agree.</textarea>" in text_of(
        log_in(window, sent["Location"].replace("signup", "login"))
    )
    assert 'name="enter"' not in text_of(window.get(where))


@pytest.mark.parametrize("body", ["", " \n"])
def test_guest_who_typed_nothing_can_log_in_and_is_told_so_when_sending(
    ada: User, body: str
) -> None:
    window, where = reader(), f"/p/{post(ada).pk}/comment"
    entered = window.post(where, {"body": body, "enter": "account_login"})
    assert "Your text was saved" not in text_of(window.get(entered["Location"]))
    refused = window.post(where, {"body": body})
    assert refused.status_code == 422
    assert "This field is required." in text_of(refused)
    for name in ("save_draft", "preview"):
        assert window.post(where, {"body": body, name: "1"}).status_code == 302
