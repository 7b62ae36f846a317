"""The OpenAPI document says what programs need to know, and the forms refuse what it rules out."""

from typing import Any

import pytest
from django.conf import settings as site
from django.test import Client

from forum.api import tokens
from forum.models import ApiToken, User
from tests.forum.comments import add_comment
from tests.forum.factories import groups, post, veteran

pytestmark = pytest.mark.django_db(transaction=True)
LINK = {"kind": "link", "title": "On bread", "link": "https://example.org/", "groups": ["books"]}
TEXT = {"kind": "text", "title": "On bread", "text": "Knead.", "groups": ["books"]}
FLAG = {"kind": "other", "words": "Rude."}
BAN = {"reason": "Spam", "days": 1}
REMOVAL = {"action": "remove", "reason": "Spam"}
BODIES = [
    ("posts", "NewPost", LINK, "title"),
    ("posts", "NewPost", LINK, "link"),
    ("posts", "NewPost", TEXT, "text"),
    ("posts", "NewPost", TEXT, "groups"),
    ("posts/{own}/edit", "EditedPost", {}, "title"),
    ("posts/{own}/edit", "EditedPost", {}, "text"),
    ("posts/{own}/edit", "EditedPost", {}, "groups"),
    ("posts/{post}/edit", "EditedPost", {"title": "On rye"}, "reason"),
    ("posts/{post}/comments", "NewComment", {}, "text"),
    ("comments/{comment}/edit", "EditedComment", {}, "text"),
    ("posts/{post}/flag", "NewFlag", FLAG, "words"),
    ("people/bob/ban", "NewBan", BAN, "days"),
    ("people/bob/ban", "NewBan", BAN, "reason"),
    ("posts/{post}/moderate", "Moderation", REMOVAL, "reason"),
]


@pytest.fixture
def document(client: Client) -> Any:
    return client.get("/api/v1/openapi.json").json()


@pytest.fixture
def root_token(root: User) -> str:
    return tokens.create(user=root, name="Script", scopes=ApiToken.Scope.values)


def test_document_describes_problems_once(document: Any) -> None:
    reference = {"schema": {"$ref": "#/components/schemas/Problem"}}
    responses = [
        response
        for methods in document["paths"].values()
        for operation in methods.values()
        for status, response in operation["responses"].items()
        if int(status) >= 400
    ]
    assert len(responses) > 300
    assert all(one["content"] == {"application/problem+json": reference} for one in responses)
    assert "detail" in document["components"]["schemas"]["Problem"]["properties"]


def test_document_says_who_may_use_an_operation_and_where_the_site_is(document: Any) -> None:
    paths = document["paths"]
    assert document["servers"] == [{"url": site.SITE_URL}]
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert paths["/api/v1/lists/{order}"]["get"]["security"] == [{}, {"token": ["read"]}]
    assert paths["/api/v1/posts/{post_id}/vote"]["post"]["security"] == [{"token": ["vote"]}]
    assert paths["/api/v1/posts/{post_id}/edit"]["post"]["security"] == [
        {"token": ["write"]},
        {"token": ["moderate"]},
    ]


def test_document_lists_the_values_of_each_kind(document: Any) -> None:
    schemas = document["components"]["schemas"]
    kinds = {name: schemas[name]["properties"]["kind"]["enum"] for name in ("NewPost", "Post")}
    assert kinds["NewPost"] == kinds["Post"] == ["link", "text", "question"]
    assert schemas["Post"]["properties"]["vote"]["anyOf"][0]["enum"] == [-1, 0, 1]
    assert "mention" in schemas["InboxItem"]["properties"]["kind"]["enum"]
    assert "lock" in schemas["Action"]["properties"]["kind"]["enum"]
    assert schemas["NewFlag"]["properties"]["kind"]["enum"][0] == "spam"


@pytest.mark.parametrize(("path", "name", "body", "field"), BODIES)
def test_values_at_the_limits_are_accepted_and_those_beyond_refused(
    path: str, name: str, body: dict[str, Any], field: str, document: Any, root_token: str
) -> None:
    groups("books", "maths", "tea", "trees")
    bob, own = veteran("bob"), post(User.objects.get(username="root"))
    written = post(bob)
    comment = add_comment(User.objects.get(username="root"), written)
    address = path.format(own=own.pk, post=written.pk, comment=comment.pk)

    def status(value: Any) -> int:
        answer = Client(headers={"Authorization": f"Bearer {root_token}"}).post(
            f"/api/v1/{address}", body | {field: value}, content_type="application/json"
        )
        return answer.status_code

    schema = document["components"]["schemas"][name]["properties"][field]
    within, beyond = edges(schema.get("anyOf", [schema])[0], field)
    assert [status(value) for value in beyond] == [422] * len(beyond)
    assert {status(value) for value in within[:1]} == {200}
    assert {status(value) for value in within[1:]} <= {200, 409}


def edges(schema: dict[str, Any], field: str) -> tuple[list[Any], list[Any]]:
    """Return the values at the limits of a schema, and those just beyond."""
    if schema["type"] == "integer":
        least, most = schema["minimum"], schema["maximum"]
        return [least, most], [least - 1, most + 1]
    if schema["type"] == "array":
        names = ["books", "maths", "tea", "trees"]
        return [names[:1], names[: schema["maxItems"]]], [[], names]
    begin = "https://example.org/" if field == "link" else ""
    least, most = schema.get("minLength", 0), schema["maxLength"]
    within = [begin.ljust(most, "b")] + ([begin.ljust(least, "b")] if least else [])
    beyond = [begin.ljust(most + 1, "b")] + ([begin.ljust(least - 1, "b")] if least else [])
    return within, beyond
