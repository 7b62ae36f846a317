"""Programs can read every error: JSON in the reader's language, for scripts of other sites too."""

import json
from collections.abc import Callable
from typing import Any, get_args

import pytest
from django.test import Client

from forum.api import tokens
from forum.api.bodies import ModeratorAction
from forum.models import ApiToken, Comment, Post, User
from forum.moderation.texts import services as moderating
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post
from tests.forum.outages import failing_sql
from voting.types.limits import Window

pytestmark = pytest.mark.django_db(transaction=True)
Send = Callable[..., Any]
POST = {"kind": "text", "title": "On bread", "text": "Knead.", "groups": ["books"]}


@pytest.fixture
def send(ada: User) -> Send:
    """Return a function that sends Ada's request to the API and returns the response."""
    groups("books")
    token = tokens.create(user=ada, name="Script", scopes=ApiToken.Scope.values)

    def request(path: str, body: Any = None, method: str = "POST", **headers: str) -> Any:
        data = body if isinstance(body, str | bytes) else json.dumps(body)
        client = Client(headers={"Authorization": f"Bearer {token}"} | headers)
        return client.generic(method, f"/api/v1/{path}", data, content_type="application/json")

    return request


def problem(answer: Any, status: int) -> str:
    """Check that a response is an error that programs can read, and return its sentence."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert not answer.cookies
    body = answer.json()
    assert body["status"] == status
    return str(body["detail"])


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/nowhere",
        "/api/v1/",
        "/api/",
        "/api",
        "/api/v2/posts",
        "/api/v1/groups/",
        "/api/v1/posts/x/y",
        "/s/x.json",
        "/s/999999.json",
        "/api/v1/docs/",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_unknown_addresses_answer_in_json(path: str, method: str) -> None:
    answer = Client(enforce_csrf_checks=True).generic(method, path)
    assert answer.status_code in {404, 405}
    assert problem(answer, answer.status_code)
    if answer.status_code == 404:
        assert answer.json()["title"] == "Not found"


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/api/v1/groups", "GET, HEAD"),
        ("/api/v1/posts", "POST"),
        ("/api/v1/posts/1/vote", "POST"),
        ("/api/v1/openapi.json", "GET, HEAD"),
        ("/hottest.json", "GET, HEAD"),
        ("/s/1.json", "GET, HEAD"),
    ],
)
@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "BREW", "other"])
def test_wrong_methods_are_refused_with_the_right_ones(
    path: str, allowed: str, method: str
) -> None:
    wrong = {"GET, HEAD": "POST", "POST": "GET"}[allowed] if method == "other" else method
    answer = Client(enforce_csrf_checks=True).generic(wrong, path)
    assert allowed in problem(answer, 405)
    assert answer["Allow"] == allowed


def test_documentation_stays_a_page() -> None:
    answer = Client().get("/api/v1/docs")
    assert answer["Content-Type"].startswith("text/html")
    assert "Access-Control-Allow-Origin" not in answer


def test_head_answers_like_get_without_a_body(ada: User) -> None:
    written = post(ada)
    paths = ("api/v1/groups", f"api/v1/posts/{written.pk}", "api/v1/posts/999999", "hottest.json")
    for path in (*paths, "api/v1/openapi.json"):
        asked, head = Client().get(f"/{path}"), Client().head(f"/{path}")
        assert (head.status_code, head.content) == (asked.status_code, b""), path
        assert head["Content-Type"] == asked["Content-Type"]
        assert head.get("ETag") == asked.get("ETag")
    assert Client().head("/api/v1/posts").status_code == 405


def test_missing_and_wrong_tokens_say_how_to_send_one(send: Send) -> None:
    for header in ({}, {"Authorization": "Basic YTpi"}, {"Authorization": "Bearer wrong"}):
        answer = Client(headers=header).get("/api/v1/inbox")
        assert problem(answer, 401)
        assert answer.json()["title"] == "Token needed"
        assert answer["WWW-Authenticate"].startswith("Bearer ")


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer "])
def test_scheme_of_a_token_may_be_written_differently(ada: User, scheme: str) -> None:
    token = tokens.create(user=ada, name="Script", scopes=["read"])
    answer = Client(headers={"Authorization": f"{scheme} {token}"}).get("/api/v1/inbox")
    assert answer.status_code == 200


def test_wrong_tokens_count_for_the_limit_and_then_are_not_looked_up(
    ada: User, settings: Any
) -> None:
    settings.LIMITS = settings.LIMITS | {"api": (Window(2, 60),)}
    token = tokens.create(user=ada, name="Script", scopes=["read"])
    for number in range(4):
        answer = Client(headers={"Authorization": f"Bearer {number}"}).get("/api/v1/groups")
        assert problem(answer, 401 if number < 2 else 429)
    assert 0 < int(answer["Retry-After"]) <= 60
    with failing_sql("apitoken"):
        answer = Client(headers={"Authorization": f"Bearer {token}"}).get("/api/v1/groups")
    assert problem(answer, 429)


@pytest.mark.parametrize("text", ["bad \\ud800", "\\udfff", "ok \\ud83d then \\ud83d", "a\\u0000b"])
def test_text_that_cannot_be_stored_is_refused(send: Send, ada: User, text: str) -> None:
    written = post(person("bob"))
    comment, own = add_comment(person("cleo"), written), add_comment(ada, written)
    mine = post(ada)
    bodies: dict[str, list[dict[str, Any]]] = {
        "posts": [POST | {name: "X"} for name in ("title", "text")] + [POST | {"groups": ["X"]}],
        f"posts/{mine.pk}/edit": [{"title": "X"}, {"text": "X"}, {"reason": "X"}],
        f"posts/{written.pk}/comments": [{"text": "X"}],
        f"comments/{own.pk}/edit": [{"text": "X"}],
        f"comments/{comment.pk}/flag": [{"kind": "X"}, {"kind": "spam", "words": "X"}],
        f"posts/{written.pk}/moderate": [{"action": "X"}, {"action": "remove", "reason": "X"}],
        "people/bob/ban": [{"group": "X", "reason": "a"}, {"reason": "X"}],
        f"posts/{written.pk}/vote": [{"vote": "X"}, {"vote": "up", "X": 1}],
    }
    for path, examples in bodies.items():
        for body in examples:
            sent = json.dumps(body).replace("X", text)
            name = next((key for key, value in body.items() if "X" in str(value)), "")
            assert name in problem(send(path, sent), 422), (path, body)
    assert not Post.objects.filter(title__contains="bad").exists()


@pytest.mark.parametrize(
    "path",
    ["search?q=a%00", "people/a%00", "modlog?group=%00", "lists/new?after=%00b", "groups/%00"],
)
def test_nul_in_an_address_is_refused(path: str) -> None:
    assert problem(Client().get(f"/api/v1/{path}"), 422)


@pytest.mark.parametrize(
    "day", ["2026-02-30", "2026-13-01", "0000-00-00", "0001-01-01", "today", "20261124", "1"]
)
def test_impossible_dates_are_refused(day: str) -> None:
    assert "2026-11-24" in problem(Client().get(f"/api/v1/days/{day}"), 422)
    assert "day: " in problem(Client().get(f"/api/v1/leaders?day={day}&week=true"), 422)


def test_forms_and_broken_json_are_refused(send: Send, ada: User) -> None:
    written = post(ada)
    token = tokens.create(user=ada, name="Another", scopes=["write"])
    client = Client(headers={"Authorization": f"Bearer {token}"})
    address = f"/api/v1/posts/{written.pk}/comments"
    assert "JSON" in problem(client.post(address, {"text": "Hello"}), 415)
    kind = "application/x-www-form-urlencoded"
    assert "JSON" in problem(client.post(address, "text=Hello", content_type=kind), 415)
    broken = client.post(address, b"--\r\n", content_type="multipart/form-data")
    assert "JSON" in problem(broken, 415)
    assert "valid JSON" in problem(send(f"posts/{written.pk}/comments", '{"text": '), 400)
    assert "valid JSON" in problem(send(f"posts/{written.pk}/comments", b'{"text": "\xff"}'), 400)
    assert not Comment.objects.exists()


def test_too_long_bodies_answer_in_json(send: Send, ada: User) -> None:
    assert problem(send("posts", POST | {"text": "a" * 3_000_000}), 413)


@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        ("posts/{post}/edit", {"titel": "Bread"}, "titel"),
        ("posts", POST | {"url": "https://example.org"}, "url"),
        ("posts", POST | {"link": "https://example.org"}, "link"),
        ("posts", POST | {"kind": "link", "link": "nonsense"}, "link"),
        ("posts", POST | {"text": ""}, "text"),
        ("posts", POST | {"groups": ["boks"]}, "groups"),
        ("posts", POST | {"title": 5}, "title"),
        ("posts", POST | {"groups": "books"}, "groups"),
        ("posts", {"kind": "text", "title": "Bread", "groups": ["books"]}, "text"),
        ("posts/{post}/edit", {"link": "https://example.org"}, "link"),
        ("posts/{post}/comments", {"text": "Hi", "parent": 0}, "parent"),
        ("posts/{post}/comments", {"text": "Hi", "parnt": 1}, "parnt"),
        ("posts/{post}/comments", {"text": " "}, "text"),
        ("posts/{post}/comments", {"text": "Hi", "on_question": True}, "on_question"),
        ("posts/{post}/vote", {"vote": "up", "votes": 1}, "votes"),
        ("posts/{post}/save", {"on": "perhaps"}, "on"),
        ("posts/{post}/save", {}, "on"),
        ("posts/{post}/save", [], "body"),
        ("inbox/read", {"item": 10**30}, "item"),
        ("people/ada/ban", {"group": "nowhere", "reason": "spam"}, "group"),
    ],
)
def test_wrong_and_unknown_fields_are_named_as_the_program_named_them(
    send: Send, ada: User, path: str, body: Any, name: str
) -> None:
    User.objects.filter(pk=ada.pk).update(is_staff=True, is_superuser=True)
    written = post(ada)
    answer = send(path.format(post=written.pk), body)
    assert f"{name}: " in problem(answer, 422)
    assert answer.json()["title"] == "Wrong value"
    assert Post.objects.get().title == "A title"
    chinese = send(path.format(post=written.pk), body, **{"Accept-Language": "zh-CN"})
    assert not problem(chinese, 422).partition(": ")[2].isascii()
    assert not chinese.json()["title"].isascii()


def test_ids_in_bodies_that_lead_nowhere_are_named(send: Send, ada: User) -> None:
    question, other = post(ada, "Which?", kind="question"), post(ada)
    elsewhere = add_comment(ada, other)
    for pk in (elsewhere.pk, 999_999):
        answer = send(f"posts/{question.pk}/comments", {"text": "Hi", "parent": pk})
        assert problem(answer, 404) == "parent: This post has no such comment."
        answer = send(f"posts/{question.pk}/accept", {"comment": pk})
        assert problem(answer, 404) == "comment: This question has no such answer."
    assert Comment.objects.get() == elsewhere


@pytest.mark.parametrize("path", ["lists/new", "groups/books/lists/new", "days/2026-11-24"])
def test_wrong_place_in_a_list_is_refused_on_each_page(path: str) -> None:
    groups("books")
    for number in (1, 2):
        assert "after: " in problem(Client().get(f"/api/v1/{path}?p={number}&after=x"), 422)


def test_leaders_of_an_unknown_group_are_not_found() -> None:
    assert problem(Client().get("/api/v1/leaders?group=nowhere"), 404)


@pytest.mark.parametrize(
    "path",
    [
        "lists/best",
        "lists/hot?p=x",
        "lists/hot?p=0",
        "search",
        "search?q=",
        "days/x",
        "comments?before=x",
        "lists/top?t=year",
        "leaders?week=maybe",
        "nowhere",
        "inbox",
    ],
)
def test_errors_are_in_the_readers_language_throughout(path: str) -> None:
    answer = Client(headers={"Accept-Language": "zh-CN"}).get(f"/api/v1/{path}")
    sentence = problem(answer, answer.status_code)
    assert not sentence.partition(": ")[2].isascii() or not sentence.isascii()
    for word in ("valid", "should", "input", "Input", "field", "This"):
        assert word not in sentence


def test_unknown_kinds_of_flags_and_actions_get_the_list_of_kinds(send: Send) -> None:
    written = post(person("bob"))
    sentence = problem(send(f"posts/{written.pk}/flag", {"kind": "boring"}), 422)
    assert "kind: Choose one of these: spam, off_topic, unkind" in sentence
    sentence = problem(send(f"posts/{written.pk}/moderate", {"action": "destroy"}), 422)
    assert "action: Choose one of these: approve, dismiss" in sentence
    names = {name for name, action in moderating.CHOICES.items() if action.do}
    assert set(get_args(ModeratorAction)) == names


def test_what_is_done_already_is_not_done_again(send: Send, ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(is_staff=True, is_superuser=True)
    written = post(person("bob"))
    comment = add_comment(person("cleo"), written)
    for path in (f"comments/{comment.pk}/moderate", f"posts/{written.pk}/moderate"):
        assert send(path, {"action": "remove", "reason": "spam"}).status_code == 200
        again = send(path, {"action": "remove", "reason": "spam"})
        assert "already removed" in problem(again, 409)
        sentence = problem(send(path, {"action": "lock", "reason": "spam"}), 409)
        assert "Possible actions: undo" in sentence


def test_database_down_is_an_error_in_json(ada: User) -> None:
    written = post(ada)
    with failing_sql(""):
        assert problem(Client().get(f"/api/v1/posts/{written.pk}"), 503)
        assert problem(Client().get(f"/s/{written.pk}.json"), 503)


def test_scripts_of_other_sites_may_send_tokens_json_and_conditions(ada: User) -> None:
    written = post(ada)
    for path in ("lists/hot", f"posts/{written.pk}/comments", "nowhere"):
        answer = Client().options(
            f"/api/v1/{path}",
            headers={
                "Origin": "https://other.example",
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization,content-type,if-match",
            },
        )
        assert answer.status_code == 204
        assert answer["Access-Control-Allow-Origin"] == "*"
        allowed = answer["Access-Control-Allow-Headers"].lower()
        for name in ("authorization", "content-type", "if-match", "if-none-match"):
            assert name in allowed
        assert "POST" in answer["Access-Control-Allow-Methods"]
    answer = Client(headers={"Origin": "https://other.example"}).get("/api/v1/lists/hot")
    for name in ("ETag", "Retry-After", "Link"):
        assert name in answer["Access-Control-Expose-Headers"]
    for again in (answer, Client().get("/hottest.json"), Client().get("/api/v1/openapi.json")):
        assert again["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in again
