"""The page that asks for confirmation before selected posts or comments are deleted."""

from typing import Any

from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

NAMED = 20
"""Objects that are named; of more, only their number is shown."""


def is_sure(request: HttpRequest) -> bool:
    """Return whether the form comes from the confirmation page."""
    return "sure" in request.POST


def ask(
    model_admin: ModelAdmin[Any],
    request: HttpRequest,
    chosen: QuerySet[Any],
    *,
    action: str,
    title: str,
    warning: str,
) -> HttpResponse:
    """Show what `action` would delete, with a button to go on and a link back to the list."""
    context = {
        **model_admin.admin_site.each_context(request),
        "title": title,
        "warning": warning,
        "action": action,
        "things": chosen[:NAMED],
        "more": max(0, chosen.count() - NAMED),
        "chosen": request.POST.getlist(ACTION_CHECKBOX_NAME),
        "checkbox": ACTION_CHECKBOX_NAME,
        "across": request.POST.get("select_across", "0"),
        "opts": model_admin.model._meta,
    }
    return TemplateResponse(request, "admin/confirm_deletion.html", context)
