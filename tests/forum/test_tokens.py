"""Which CSRF tokens the site accepts, and what happens to a form with an expired token."""

import re

import pytest
from django.test import Client

from forum.models import Comment, Post, User
from tests.forum.comments import add_comment
from tests.forum.factories import PASSWORD, groups, person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]*)"')


def token_of(window: Client, path: str) -> str:
    found = TOKEN.search(window.get(path).content.decode())
    assert found
    return found[1]


def log_in(window: Client) -> None:
    form = {"csrfmiddlewaretoken": token_of(window, "/accounts/login/"), "password": PASSWORD}
    assert window.post("/accounts/login/", {"login": "bob", **form}).status_code == 302


def old_token(window: Client, path: str) -> str:
    """Return a CSRF token that is outdated because the person has logged out and in again."""
    old = token_of(window, path)
    window.post("/accounts/logout/", {"csrfmiddlewaretoken": token_of(window, "/")})
    log_in(window)
    return old


@pytest.fixture
def window() -> Client:
    """Bob's browser, with CSRF checks turned on. Django's test client turns them off by default."""
    person("bob")
    client = reader(enforce_csrf_checks=True)
    log_in(client)
    return client


@pytest.mark.parametrize("page", ["/", "/submit", "/preferences"])
def test_vote_needs_the_token_of_any_page_of_the_site(window: Client, page: str) -> None:
    path = f"/p/{post(person('ada')).pk}/vote"
    right = token_of(window, page)
    wrong = right[:-1] + ("a" if right[-1] == "b" else "b")
    for given, status in ((right, 303), (wrong, 403), ("", 403)):
        answer = window.post(path, {"vote": "up", "csrfmiddlewaretoken": given})
        assert answer.status_code == status


def test_every_page_has_another_token_for_the_same_cookie(window: Client) -> None:
    cookie = window.cookies["csrftoken"].value
    assert len({token_of(window, "/") for _ in range(5)}) == 5
    assert window.cookies["csrftoken"].value == cookie


def test_member_who_lost_the_cookie_gets_another(window: Client) -> None:
    written, lost = post(person("ada")), window.cookies["csrftoken"].value
    del window.cookies["csrftoken"]
    given = token_of(window, "/")
    assert window.cookies["csrftoken"].value != lost
    form = {"vote": "up", "csrfmiddlewaretoken": given}
    assert window.post(f"/p/{written.pk}/vote", form).status_code == 303


def test_post_from_an_expired_page_is_kept(window: Client) -> None:
    groups("books", "maths")
    form = {"kind": "text", "title": "My title", "body": "My *words*.", "groups": ["maths"]}
    answer = window.post("/submit", form | {"csrfmiddlewaretoken": old_token(window, "/submit")})
    assert (answer.status_code, answer["Location"]) == (303, "/submit")
    html = window.get("/submit").content.decode()
    assert "Please submit it again" in html
    assert 'value="My title"' in html
    assert "My *words*." in html
    assert 'value="maths" checked>' in html
    assert not Post.objects.exists()
    fresh = TOKEN.search(html)
    assert fresh
    assert window.post("/submit", form | {"csrfmiddlewaretoken": fresh[1]}).status_code == 303
    assert Post.objects.get().title == "My title"


def test_reply_from_an_expired_page_is_kept_as_a_reply(window: Client) -> None:
    comment = add_comment(person("ada"), post(person("eve")))
    where = f"/p/{comment.post_id}/comment"
    form = {"parent": comment.pk, "body": "I <b> agree."}
    answer = window.post(where, form | {"csrfmiddlewaretoken": old_token(window, where)})
    html = window.get(answer["Location"]).content.decode()
    assert "I &lt;b&gt; agree.</textarea>" in html
    assert f'<input type="hidden" name="parent" value="{comment.pk}">' in html
    assert Comment.objects.count() == 1


def test_edit_and_profile_from_expired_pages_are_kept(window: Client) -> None:
    own = post(User.objects.get(username="bob"))
    for where, name in ((f"/p/{own.pk}/edit", "body"), ("/u/bob/about", "about")):
        old = old_token(window, where)
        answer = window.post(where, {name: "Better words.", "csrfmiddlewaretoken": old})
        assert (answer.status_code, answer["Location"]) == (303, where)
        assert "Better words.</textarea>" in window.get(where).content.decode()


def test_forms_from_another_site_are_neither_saved_nor_shown(window: Client) -> None:
    old = old_token(window, "/submit")
    form = {"kind": "text", "title": "Buy this", "body": "Now!", "csrfmiddlewaretoken": old}
    answer = window.post("/submit", form, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403
    assert "Now!" not in answer.content.decode()
    assert "Buy this" not in window.get("/submit").content.decode()


def test_guest_on_an_expired_page_can_copy_their_text(window: Client) -> None:
    old = old_token(window, "/submit")
    window.post("/accounts/logout/", {"csrfmiddlewaretoken": token_of(window, "/")})
    form = {"kind": "text", "title": "My title", "body": "My <b> words."}
    answer = window.post("/submit", form | {"csrfmiddlewaretoken": old})
    assert answer.status_code == 403
    assert "My title\n\nMy &lt;b&gt; words.</textarea>" in answer.content.decode()
    written = post(person("ada"))
    answer = window.post(f"/p/{written.pk}/comment", {"body": "Yes.", "csrfmiddlewaretoken": old})
    assert answer.status_code == 403
    assert f'href="/p/{written.pk}">Go to the post</a>' in answer.content.decode()


@pytest.mark.parametrize("page", ["login", "signup"])
@pytest.mark.parametrize(
    ("next_url", "led"),
    [("/p/1%23comments", "/p/1#comments"), ("https://evil.example/", "/"), ("//evil.example", "/")],
)
def test_person_who_logged_in_in_another_tab_reaches_the_page_they_wanted(
    page: str, next_url: str, led: str
) -> None:
    person("bob")
    window = reader(enforce_csrf_checks=True)
    second = f"/accounts/{page}/?next={next_url}"
    form = {"login": "bob", "password": PASSWORD, "csrfmiddlewaretoken": token_of(window, second)}
    log_in(window)
    answer = window.post(second, form)
    assert answer.status_code == 303
    assert window.get(answer["Location"])["Location"] == led


def test_guest_on_an_expired_log_in_page_reads_to_reload_it(window: Client) -> None:
    old = old_token(window, "/submit")
    window.post("/accounts/logout/", {"csrfmiddlewaretoken": token_of(window, "/")})
    form = {"login": "bob", "password": PASSWORD, "csrfmiddlewaretoken": old}
    answer = window.post("/accounts/login/", form)
    assert answer.status_code == 403
    assert "Reload the page and try again." in answer.content.decode()
