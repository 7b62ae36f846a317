"""The page on which an admin action on chosen objects asks for details, such as a reason."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.text import capfirst

MOST = 100
"""The most objects that one action changes."""


def form_page(
    model_admin: admin.ModelAdmin[Any],
    request: HttpRequest,
    chosen: QuerySet[Any],
    form: forms.Form,
    action: str,
    title: Any,
) -> HttpResponse:
    """Return the page that asks for an action's details. `title` is also the text of its button."""
    context = {
        **model_admin.admin_site.each_context(request),
        "title": capfirst(str(title)),
        "form": form,
        "things": chosen[:MOST],
        "checkbox": ACTION_CHECKBOX_NAME,
        "action": action,
        "button": title,
        "opts": model_admin.model._meta,
    }
    return TemplateResponse(request, "admin/reason.html", context)
