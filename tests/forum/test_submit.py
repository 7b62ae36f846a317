"""People submit posts: what the site accepts, and the messages for errors. No text is lost."""

import re
from datetime import timedelta
from functools import partial
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape
from redis import Redis

from forum.models import Post, SiteText, User
from forum.queries.owner_texts import written
from forum.store.service import get_voting_service
from tests.forum.concurrency import run_at_once
from tests.forum.factories import groups, make_older, person, post, reader
from tests.forum.outages import redis_down
from voting.types import Order, Target, Vote
from voting.types.limits import Window

pytestmark = pytest.mark.django_db(transaction=True)

LINK = {"kind": "link", "title": "A link", "url": "https://example.org/a", "groups": ["books"]}
GROUP = re.compile(r'name="groups" value="([^"]*)"')
TEXT = {"kind": "text", "title": "A text", "body": "Said *so*.", "groups": ["books"]}


@pytest.fixture
def ada() -> User:
    groups("books", "maths", "web", "cooking")
    return person("ada")


def send(window: Client, form: dict[str, Any], **changed: Any) -> Any:
    return window.post("/submit", form | changed)


def test_new_link_is_first_on_new_with_its_authors_vote(ada: User, window: Client) -> None:
    response = send(window, LINK, groups=["books", "maths"])
    published = Post.objects.get()
    assert response.status_code == 303
    assert response["Location"] == published.get_absolute_url()
    (row,) = get_voting_service().listings.page(Order.NEW, 1, viewer=ada.pk).rows
    assert (row.id, row.up, row.vote, set(row.groups)) == (
        published.pk, 1, Vote.UP, {"books", "maths"},
    )  # fmt: skip


def test_a_text_is_kept_as_written_and_shown_as_markdown(window: Client) -> None:
    send(window, TEXT, body="\r\n  \r\nOne\r\ntwo *three*  \r\n\r\n")
    published = Post.objects.get()
    assert published.body == "One\ntwo *three*"
    assert "<em>three</em>" in published.body_html


def test_a_question_needs_no_text(window: Client) -> None:
    send(window, TEXT, kind="question", body="")
    assert Post.objects.get().kind == "question"


def test_address_without_a_scheme_is_completed(window: Client) -> None:
    send(window, LINK, url="example.org/a")
    assert Post.objects.get().url == "https://example.org/a"


def test_white_space_in_a_title_is_folded(window: Client) -> None:
    send(window, TEXT, title="  one\t two \u2003three ")
    assert Post.objects.get().title == "one two three"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"title": "ab"}, "The title must have at least 3 characters."),
        ({"title": "\u200b\u200b\u200b\u200b"}, "The title must have at least 3 characters."),
        ({"title": "\u2800\u3164\u115f\uffa0"}, "The title must have at least 3 characters."),
        ({"title": "a" * 201}, "Too long: 201 characters (maximum 200)."),
        ({"title": "a\x07bcd"}, "The title can't contain control characters."),
        ({"title": "abc\u202egnp.exe"}, "The title can't contain control characters."),
        ({"url": ""}, "Please enter the link's URL."),
        ({"url": "javascript:alert(1)"}, "Only http and https URLs can be posted."),
        ({"kind": "text", "url": "", "body": ""}, "Please write some text."),
        ({"kind": "text", "url": "", "body": "\u200b"}, "Please write some text."),
        ({"kind": "text", "url": "", "body": "&nbsp;"}, "This text has no visible characters."),
        ({"kind": "poll"}, "poll is not one of the available choices"),
        ({"body": "a" * 40_001}, "Too long: 40001 characters (maximum 40000)."),
        ({"body": "a\x00b"}, "Null characters are not allowed."),
        ({"groups": []}, "Choose one to three groups."),
        ({"groups": ["books", "maths", "web", "cooking"]}, "Choose at most three groups"),
        ({"groups": ["boks"]}, "There is no group “boks”. Did you mean books?"),
        ({"groups": ["\x00"]}, "There is no group"),
    ],
)
def test_refused_form_keeps_its_text_and_shows_the_reason(
    window: Client, changed: dict[str, Any], reason: str
) -> None:
    response = send(window, LINK | {"body": "My words"} | changed)
    page = response.content.decode()
    assert response.status_code == 422
    assert escape(reason) in page
    assert "My words" in page or "body" in changed
    assert 'value="A link"' in page or "title" in changed
    assert not Post.objects.exists()


def test_reasons_are_bound_to_their_fields_for_screen_readers(window: Client) -> None:
    page = send(window, LINK, url="").content.decode()
    assert 'aria-describedby="id_url_error"' in page
    assert '<ul class="errors" id="id_url_error">' in page


def test_groups_can_be_typed_with_commas(window: Client) -> None:
    send(window, TEXT, groups=["books", "Maths, web"])
    assert set(Post.objects.get().groups.values_list("slug", flat=True)) == {
        "books",
        "maths",
        "web",
    }


def test_huge_list_of_groups_is_refused_and_not_sent_back(window: Client) -> None:
    book = " ".join(f"word-{number}" for number in range(100_000))
    response = send(window, TEXT, groups=[book])
    assert response.status_code == 422
    page = response.content.decode()
    assert "Choose at most three groups" in page
    assert "Said *so*." in page
    assert len(page) < 40_000


def test_with_hundreds_of_groups_the_largest_have_checkboxes(window: Client) -> None:
    groups(*(f"topic-{number}" for number in range(200)))
    post(person("bob"), slugs="topic-199")
    page = window.get("/submit?group=topic-150").content.decode()
    assert page.count('type="checkbox" name="groups"') == 61
    assert 'value="topic-199">' in page
    assert 'value="topic-150" checked>' in page
    assert "Short names of other groups" in page


def test_chosen_groups_keep_their_places_after_an_error_and_in_a_preview(window: Client) -> None:
    groups("books", "cooking", "maths", "science")
    chosen = {"kind": "text", "title": "Tea", "groups": ["science", "books"]}
    fresh = GROUP.findall(window.get("/submit").content.decode())
    for sent in (chosen, chosen | {"preview": "1"}):
        page = window.post("/submit", sent).content.decode()
        assert GROUP.findall(page) == fresh
        assert page.count(" checked> Science") == 1


def test_form_and_sign_up_lead_to_the_rules_if_there_are_any(window: Client) -> None:
    link = 'Please keep to the <a href="/rules">rules</a>.'
    pages = [(window, "/submit"), (reader(), "/accounts/signup/")]
    assert not any(link in who.get(path).content.decode() for who, path in pages)
    SiteText.objects.create(page="rules", body="Be kind.", body_html="<p>Be kind.</p>")
    written.forget()
    assert all(link in who.get(path).content.decode() for who, path in pages)


@pytest.mark.parametrize(
    ("text", "url", "body"),
    [
        ("https://example.org/knots", "https://example.org/knots", ""),
        ("Look: https://example.org/knots", "https://example.org/knots", "Look:"),
        ("Only words", "", "Only words"),
        ("", "", ""),
    ],
)
def test_page_that_a_phone_shares_fills_in_the_form(
    window: Client, text: str, url: str, body: str
) -> None:
    shared = window.get("/submit", {"title": "Knots", "body": text, "url": ""})
    form = shared.context["form"]
    assert (form["title"].value(), form["url"].value(), form["body"].value()) == (
        "Knots",
        url,
        body,
    )


def test_bookmark_opens_the_form_with_the_page_s_title_and_url(window: Client) -> None:
    page = window.get("/submit").content.decode()
    (bookmark,) = re.findall('readonly value="(javascript:[^"]+)"', page)
    script = unescape(bookmark)
    assert script.startswith("javascript:location.href='http://localhost:8000/submit?url='+")
    assert "encodeURIComponent(document.title)" in script
    assert f'<a href="{bookmark}">Post to Rostra</a>' in page


def test_form_is_filled_in_from_the_query(window: Client) -> None:
    page = window.get("/submit?title=Hello&url=https://example.org/&group=maths").content.decode()
    assert 'value="Hello"' in page
    assert 'value="https://example.org/"' in page
    assert 'value="maths" checked>' in page


def test_a_preview_shows_the_text_and_keeps_the_form_and_publishes_nothing(window: Client) -> None:
    response = send(window, TEXT, preview="1", title="")
    page = response.content.decode()
    assert response.status_code == 200
    assert "<p>Said <em>so</em>.</p>" in page
    assert "<h3" not in page, "there is no title yet"
    assert "Said *so*." in page
    assert not Post.objects.exists()


def test_preview_shows_the_title_as_on_the_page(window: Client) -> None:
    page = send(window, TEXT, preview="1", title="  Knots \n <b>& more</b> ").content.decode()
    assert "<h3><bdi>Knots &lt;b&gt;&amp; more&lt;/b&gt;</bdi></h3>" in page


def test_previews_are_throttled_while_redis_is_down(window: Client, settings: Any) -> None:
    settings.LIMITS = settings.LIMITS_NEW = settings.LIMITS | {"preview": (Window(1, 3_600),)}
    assert send(window, TEXT, preview="1").status_code == 200
    refused = send(window, TEXT, preview="1")
    assert refused.status_code == 429
    assert "Said *so*." in refused.content.decode()
    with redis_down(settings):
        assert [send(window, TEXT, preview="1").status_code for _ in range(2)] == [200, 429]


def test_duplicate_within_a_month_redirects_and_counts_as_an_up_vote(
    ada: User, window: Client
) -> None:
    known = post(person("bob"), kind="link", url="https://www.example.org/a/", body="")
    response = window.post("/submit", LINK, follow=True)
    assert response.redirect_chain == [(known.get_absolute_url(), 303)]
    assert "Someone has already posted this link, so we counted your post as an up vote." in (
        response.content.decode()
    )
    assert get_voting_service().posts.rows([known.pk], viewer=ada.pk)[0].vote is Vote.UP
    assert Post.objects.count() == 1


@pytest.mark.parametrize("title", ["A title", "另一個標題: (here), it's & so; =!"])
def test_text_of_a_duplicate_is_in_the_comment_box_of_its_post(window: Client, title: str) -> None:
    known = post(person("bob"), title, kind="link", url="https://example.org/a", body="")
    form = LINK | {"title": "My title", "body": "My <b> *words*."}
    page = window.post("/submit", form, follow=True).content.decode()
    assert "Your text is in the comment box" in page
    assert "My title\n\nMy &lt;b&gt; *words*.</textarea>" in page
    window.post(f"/p/{known.pk}/comment", {"body": "My words."})
    assert "My title" not in window.get(known.get_absolute_url()).content.decode()


def test_duplicate_without_text_leaves_the_comment_box_empty(window: Client) -> None:
    post(person("bob"), "A link", kind="link", url=LINK["url"], body="")
    page = window.post("/submit", LINK, follow=True).content.decode()
    assert "Your text" not in page
    assert "</textarea>" in page
    assert "A link</textarea>" not in page


def test_title_of_a_duplicate_is_shown_and_not_in_the_comment_box(window: Client) -> None:
    post(person("bob"), "A link", kind="link", url=LINK["url"], body="")
    for title in ("<b> & mine", "題" * 200):
        page = window.post("/submit", LINK | {"title": title}, follow=True).content.decode()
        assert "Someone has already posted this link" in page
        assert f"Your title was “{escape(title)}”." in page
        assert "in the comment box" not in page
        assert f"{escape(title)}</textarea>" not in page


def test_repeated_duplicate_counts_once(window: Client) -> None:
    known = post(person("bob"), kind="link", url=LINK["url"], body="")
    send(window, LINK)
    response = window.post("/submit", LINK, follow=True)
    assert "You had already voted on that post" in response.content.decode()
    assert get_voting_service().posts.rows([known.pk])[0].up == 2


def test_own_duplicate_is_reported(ada: User, window: Client) -> None:
    known = post(ada, kind="link", url=LINK["url"], body="")
    response = window.post("/submit", LINK, follow=True)
    assert response.redirect_chain == [(known.get_absolute_url(), 303)]
    assert "You have already posted this link. Here is your post." in response.content.decode()


def test_duplicate_keeps_an_earlier_down_vote(ada: User, window: Client) -> None:
    known = post(person("bob"), kind="link", url=LINK["url"], body="")
    get_voting_service().votes.cast(ada.pk, Target(known.pk), Vote.DOWN)
    send(window, LINK)
    assert get_voting_service().posts.rows([known.pk], viewer=ada.pk)[0].vote is Vote.DOWN


def test_duplicate_of_a_closed_post_only_redirects(window: Client, redis: Redis) -> None:
    known = post(person("bob"), kind="link", url=LINK["url"], body="")
    make_older(redis, known, days=8)
    response = window.post("/submit", LINK, follow=True)
    assert response.redirect_chain == [(known.get_absolute_url(), 303)]
    assert "Voting on that post has closed." in response.content.decode()
    assert get_voting_service().posts.rows([known.pk])[0].up == 1


def test_concurrent_duplicates_make_one_post_and_votes(ada: User) -> None:
    windows = [reader(person(name)) for name in ("bob", "carl", "dora", "emil", "fay")]
    run_at_once(*(partial(send, window, LINK) for window in windows))
    (only,) = Post.objects.all()
    assert get_voting_service().posts.rows([only.pk])[0].up == len(windows)


def test_duplicate_of_a_post_missing_from_redis_counts_as_a_vote(
    ada: User, window: Client, settings: Any
) -> None:
    with redis_down(settings):
        known = post(person("bob"), kind="link", url=LINK["url"], body="")
    page = window.post("/submit", LINK, follow=True).content.decode()
    assert "so we counted your post as an up vote." in page
    assert get_voting_service().posts.rows([known.pk], viewer=ada.pk)[0].vote is Vote.UP


def test_an_address_posted_long_ago_may_be_posted_again(window: Client) -> None:
    post(person("bob"), kind="link", url=LINK["url"], body="")
    Post.objects.update(created_at=timezone.now() - timedelta(days=31))
    send(window, LINK)
    assert Post.objects.count() == 2


def test_the_address_of_a_deleted_post_may_be_posted_again(window: Client) -> None:
    post(person("bob"), kind="link", url=LINK["url"], body="")
    Post.objects.update(deleted_at=timezone.now())
    send(window, LINK)
    assert Post.objects.visible().count() == 1


def test_without_redis_a_duplicate_redirects_without_a_vote(window: Client, settings: Any) -> None:
    known = post(person("bob"), kind="link", url=LINK["url"], body="")
    with redis_down(settings):
        response = window.post("/submit", LINK, follow=True)
    assert response.redirect_chain == [(known.get_absolute_url(), 303)]
    assert "no vote was counted" in response.content.decode()
    assert get_voting_service().posts.rows([known.pk])[0].up == 1


def test_guest_is_asked_to_log_in_and_keeps_the_form() -> None:
    response = reader().get("/submit?title=Hello")
    assert response.status_code == 302
    assert response["Location"] == "/accounts/login/?next=/submit%3Ftitle%3DHello"
    assert "Only members can post." in reader().get(response["Location"]).content.decode()


def test_long_chinese_text_in_the_query_is_kept_during_log_in(ada: User) -> None:
    window, text = reader(), "三百个汉字也不算长" * 34
    address = f"/submit?{urlencode({'title': '标题在此', 'url': LINK['url'], 'body': text})}"
    response = window.get(f"{address}&group=maths")
    assert response["Location"] == "/accounts/login/?next=/submit"
    window.force_login(ada)
    page = window.get("/submit").content.decode()
    assert text in page
    assert 'value="标题在此"' in page
    assert re.search(r'value="link"[^>]* checked', page), "as without log-in"
    assert f'value="{LINK["url"]}"' in page
    assert 'value="maths" checked>' in page


@pytest.mark.parametrize("kind", ["text", "question"])
@pytest.mark.parametrize("url", ["https://example.org/a", "no address at all"])
def test_url_of_a_text_or_question_is_dropped_with_a_message(
    window: Client, kind: str, url: str
) -> None:
    response = window.post("/submit", TEXT | {"kind": kind, "url": url}, follow=True)
    assert Post.objects.get().url == ""
    assert f"so “{url}” was left out." in response.content.decode()


def test_text_is_kept_if_the_session_ended(ada: User) -> None:
    window = reader()
    response = send(window, TEXT)
    assert response["Location"] == "/accounts/login/?next=/submit"
    assert "Your text was saved." in window.get(response["Location"]).content.decode()
    window.force_login(ada)
    elsewhere = window.get(f"/p/{post(ada).pk}/comment").content.decode()
    assert "Said" not in elsewhere, "the draft belongs to another form"
    page = window.get("/submit").content.decode()
    assert "Said *so*." in page
    assert 'value="A text"' in page
    assert 'value="books" checked>' in page
    assert send(window, TEXT).status_code == 303
    assert "Said" not in window.get("/submit").content.decode()
