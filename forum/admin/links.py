"""Links from one admin page to another, and the list columns that show such links."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from forum.models import Comment, Post


def to_change(model: str, number: int | str, name: str) -> str:
    """Return a link to an object's admin page. `model` is the lower-case name of the model."""
    return format_html(
        '<a href="{}">{}</a>', reverse(f"admin:forum_{model}_change", args=[number]), name
    )


def to_list(model: str, name: str, **chosen: Any) -> str:
    """Return a link to an admin list, filtered by the conditions in `chosen`."""
    address = f"{reverse(f'admin:forum_{model}_changelist')}?{urlencode(chosen)}"
    return format_html('<a href="{}">{}</a>', address, name)


@admin.display(description=_("author"), ordering="author__username")
def writer(thing: Post | Comment) -> str:
    """Return a link to the admin page about the author of a post or comment."""
    return to_change("user", thing.author_id, thing.author.shown_name)
