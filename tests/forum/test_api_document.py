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
from schemathesis.config import SchemathesisConfig
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import positive_data_acceptance

from forum.api import tokens
from forum.models import ApiToken, User
from tests.forum.comments import add_comment
from tests.forum.factories import person, post

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


def test_every_generated_request_gets_a_documented_response(ada: User) -> None:
    add_comment(person("bob"), post(ada, "Bread", kind="link", url="https://example.org/"))
    token = tokens.create(user=ada, name="Test", scopes=ApiToken.Scope.values)
    headers = {"Authorization": f"Bearer {token}"}
    # Like the pages, the API ignores parameters that it doesn't know.
    config = SchemathesisConfig.from_dict({"generation": {"allow-extra-parameters": False}})
    document = schemathesis.openapi.from_wsgi(
        "/api/v1/openapi.json", get_wsgi_application(), config=config
    )
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
            case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])

        check()


def test_documentation_lists_every_operation_and_loads_nothing_from_other_sites(
    client: Client,
) -> None:
    document = client.get("/api/v1/openapi.json").json()
    page = client.get("/api/v1/docs").content.decode()
    for path, methods in document["paths"].items():
        for method in methods:
            assert f"<code>{method.upper()} {path}</code>" in page
    assert 'src="http' not in page
    assert document["info"]["title"] == "Rostra"
