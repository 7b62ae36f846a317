"""Links from one page of the admin to another, and the columns that hold them."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from forum.models import Comment, Post


def to_change(model: str, number: int | str, name: str) -> str:
    """Return a link to the admin page of one object; `model` is its name in small letters."""
    return format_html(
        '<a href="{}">{}</a>', reverse(f"admin:forum_{model}_change", args=[number]), name
    )


def to_list(model: str, name: str, **chosen: Any) -> str:
    """Return a link to an admin list that shows the `chosen` objects only."""
    address = f"{reverse(f'admin:forum_{model}_changelist')}?{urlencode(chosen)}"
    return format_html('<a href="{}">{}</a>', address, name)


@admin.display(description=_("author"), ordering="author__username")
def writer(thing: Post | Comment) -> str:
    """Return a link to the person who wrote a post or comment: a column of their lists."""
    return to_change("user", thing.author_id, thing.author.username)
