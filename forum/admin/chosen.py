"""Helpers for admin actions: a page that asks for details, and a loop over the chosen objects."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.text import capfirst
from django.utils.translation import gettext

from forum.errors import AlreadyDecided, Forbidden, Gone, Invalid
from forum.text.sentences import join_sentences

MOST = 100
"""The most objects that one action changes."""


def form_page(
    model_admin: "admin.ModelAdmin[Any]",
    request: HttpRequest,
    chosen: QuerySet[Any],
    form: forms.Form,
    action: str,
    title: Any,
) -> HttpResponse:
    """Return the page that asks staff for the details of an admin action.

    `title` is the title of the page and the text of its button.
    """
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


def each(request: HttpRequest, chosen: QuerySet[Any], act: Callable[[Any], object]) -> list[str]:
    """Call `act` for each chosen object. Return the names of the objects for which this succeeded.

    If `act` fails for some objects, a warning on the next page names them and gives the reason.
    """
    done: list[str] = []
    refused: dict[str, list[str]] = defaultdict(list)
    for thing in chosen[:MOST]:
        try:
            act(thing)
        except (AlreadyDecided, Forbidden, Gone, Invalid) as error:
            refused[str(error)].append(str(thing))
        else:
            done.append(str(thing))
    for reason, names in refused.items():
        sentence = gettext("This action failed for: %(names)s.")
        sentence %= {"names": gettext(", ").join(names)}
        messages.warning(request, join_sentences(sentence, reason).strip())
    return done
