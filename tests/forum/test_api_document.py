"""The OpenAPI document describes all responses, and no generated request breaks the API."""

from itertools import product
from typing import Any

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from schemathesis import GenerationMode
from schemathesis.core.result import Ok

from forum.models import User
from tests.forum.comments import add_comment
from tests.forum.factories import person, post

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


def test_every_generated_request_gets_a_documented_response(ada: User) -> None:
    add_comment(person("bob"), post(ada, "Bread", kind="link", url="https://example.org/"))
    document = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())
    for found, mode in product(document.get_all_operations(), GenerationMode):
        assert isinstance(found, Ok)
        if mode is GenerationMode.NEGATIVE and not list(found.ok().iter_parameters()):
            continue  # without parameters, no request is wrong

        @limits(
            max_examples=30,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=found.ok().as_strategy(generation_mode=mode))
        def check(case: schemathesis.Case[Any]) -> None:
            case.call_and_validate()

        check()


def test_documentation_lists_every_operation_and_loads_nothing_from_other_sites(
    client: Client,
) -> None:
    document = client.get("/api/v1/openapi.json").json()
    page = client.get("/api/v1/docs").content.decode()
    for path in document["paths"]:
        assert f"<code>GET {path}</code>" in page
    assert 'src="http' not in page
    assert document["info"]["title"] == "Rostra"
