"""The page that documents the API, made from its OpenAPI document."""

from collections import defaultdict
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from forum.api.application import api
from forum.web.methods import require_safe


@require_safe
def documentation(request: HttpRequest) -> HttpResponse:
    """List all operations with their parameters. Loads nothing from other sites."""
    document = api.get_openapi_schema()
    tags = defaultdict[str, list[dict[str, Any]]](list)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            tags[operation["tags"][0]].append({"path": path, "method": method.upper(), **operation})
    context = {"info": document["info"], "tags": dict(tags)}
    return render(request, "api_docs.html", context)
