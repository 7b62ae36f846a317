"""The page that documents the API, made from its OpenAPI document."""

from collections import defaultdict
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString

from forum.api.application import api
from forum.text import markup
from forum.web.methods import require_safe


@require_safe
def documentation(request: HttpRequest) -> HttpResponse:
    """List all operations with their parameters. Loads nothing from other sites."""
    return render(request, "api_docs.html", _contents())


@cache
def _contents() -> dict[str, Any]:
    """Return the data that the template of the API's documentation page shows.

    The data never changes while the site runs.
    """
    document = api.get_openapi_schema()
    tags = defaultdict[str, list[dict[str, Any]]](list)
    for path, methods in document["paths"].items():
        for method, found in methods.items():
            html = _html(found["description"])
            shown = {"path": path, "method": method.upper(), "html": html}
            tags[found["tags"][0]].append(found | shown | {"body": _body(document, found)})
    return {"introduction": _html(document["info"]["description"]), "tags": dict(tags)}


def _body(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an operation's JSON body, by name; {} if it has no body."""
    if "requestBody" not in operation:
        return {}
    reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    name = reference.rpartition("/")[2]
    return dict(document["components"]["schemas"][name]["properties"])


def _html(markdown_text: str) -> SafeString:
    return SafeString(markup.render(markdown_text))
