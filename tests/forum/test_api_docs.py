"""The calls in docs/api.md get the answers that are written below them."""

import json
import re
from datetime import datetime
from typing import Any

import pytest
from django.core.management.color import no_style
from django.db import connection
from django.test import Client

from forum.api import tokens
from forum.config import rate_limits
from forum.models import ApiToken, User
from forum.operations.supervision.bootstrap import BASE
from tests.forum.comments import add_comment
from tests.forum.factories import groups, post

pytestmark = pytest.mark.django_db(transaction=True)
DOC = BASE / "docs" / "api.md"
CALL = re.compile(r"```http\n([A-Z]+) (\S+)(.*?)```\s+```json\n(.*?)```", re.DOTALL)
"""A call: method, address, headers and body; and its answer."""
REST = "..."
"""The field that stands for further fields, which a page of the docs has shown before."""


@pytest.fixture
def known(ada: User, bob: User, cleo: User, stella: User, settings: Any) -> dict[str, str]:
    """Create the site of the documentation. Return the tokens by the names of their variables."""
    _number_from_one()
    groups("books")
    question = post(bob, "Which flour?", kind="question", body="For *rye* bread.")
    bread = post(ada, "On bread", kind="link", url="https://example.org/bread", body="")
    add_comment(cleo, question, "Whole grain.")
    add_comment(bob, bread, "Well *baked*.")
    add_comment(cleo, bread, "Buy pills!")
    settings.LIMITS, settings.LIMITS_NEW = rate_limits.everybody(), rate_limits.newcomers()
    scopes = [ApiToken.Scope.READ, ApiToken.Scope.VOTE, ApiToken.Scope.WRITE]
    return {
        "TOKEN": tokens.create(user=ada, name="My program", scopes=scopes),
        "MODERATOR": tokens.create(user=stella, name="Tool", scopes=["moderate"]),
    }


def test_each_call_of_the_documentation_gets_the_answer_below_it(known: dict[str, str]) -> None:
    calls = CALL.findall(DOC.read_text())
    assert len(calls) >= 15
    for method, address, rest, written in calls:
        answer, expected = send(method, address, rest, known), json.loads(written)
        got = answer.json()
        assert answer.status_code == expected.get("status", 200), answer.content
        assert differences(expected, got) == [], f"{method} {address}: {json.dumps(got)}"


def test_documentation_has_a_call_for_each_group_of_operations(client: Client) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    tags = {
        (method.upper(), re.sub(r"\{\w+\}", "[^/]+", path)): operation["tags"][0]
        for path, methods in paths.items()
        for method, operation in methods.items()
    }
    documented = {
        tag
        for method, address, _rest, _written in CALL.findall(DOC.read_text())
        for (known_method, pattern), tag in tags.items()
        if method == known_method and re.fullmatch(pattern, address.partition("?")[0])
    }
    assert documented == set(tags.values())


def send(method: str, address: str, rest: str, known: dict[str, str]) -> Any:
    """Send a call as it is documented, with the token that it names."""
    headers, _blank, body = rest.strip("\n").partition("\n\n")
    if not headers.startswith("Authorization"):
        headers, body = "", rest
    for name, token in known.items():
        headers = headers.replace(f"${name}", token)
    named = dict(line.split(": ") for line in headers.splitlines())
    return Client(headers=named).generic(
        method, address, body.strip(), content_type="application/json"
    )


def differences(expected: Any, got: Any, place: str = "") -> list[str]:
    """Return where an answer differs from the documented one. Times may differ.

    A documented list may be shorter than the real one.
    """
    if isinstance(expected, dict) and isinstance(got, dict):
        open_ended = expected.keys() - {REST} <= got.keys() and REST in expected
        if not (open_ended or expected.keys() == got.keys()):
            return [f"{place}: {sorted(expected.keys() ^ got.keys())}"]
        pairs = [(name, value, got[name]) for name, value in expected.items() if name != REST]
    elif isinstance(expected, list) and isinstance(got, list):
        if len(expected) > len(got) or bool(got) > bool(expected):
            return [f"{place}: {len(got)} items"]
        pairs = [
            (str(number), *pair) for number, pair in enumerate(zip(expected, got, strict=False))
        ]
    else:
        return (
            [] if expected == got or (_is_time(expected) and _is_time(got)) else [f"{place}: {got}"]
        )
    return [
        fault for name, one, other in pairs for fault in differences(one, other, f"{place}/{name}")
    ]


def _is_time(value: Any) -> bool:
    try:
        return bool(datetime.fromisoformat(value))
    except (TypeError, ValueError):
        return False


def _number_from_one() -> None:
    """Give the next post, comment and action the id 1, although other tests had some."""
    sequences = connection.introspection.sequence_list()
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_by_name_sql(no_style(), sequences):
            cursor.execute(statement)
