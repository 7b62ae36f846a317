"""Admin lists with columns that come from Redis: one round trip for each page, not for each row."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest
from django.utils.translation import gettext as _

from voting.errors import StoreUnavailable

UNKNOWN = "—"
"""Shown in a column for an object that Redis doesn't know, and while Redis is unavailable."""


class LookupList(ChangeList):
    """An admin list that looks up extra values, such as points, for a whole page at once."""

    look_up: Callable[[list[Any]], dict[int, Any]]
    """A function that returns the extra values for the objects of a page, by primary key."""

    def get_results(self, request: HttpRequest) -> None:
        """Read the objects of a page, then look up the extra values of all of them."""
        super().get_results(request)
        objects = list(self.result_list)
        try:
            found = type(self).look_up(objects)
        except StoreUnavailable:
            found = {}
            messages.warning(
                request,
                _("Voting is temporarily unavailable."),
            )
        for each in objects:
            each.looked_up = found.get(each.pk)
        self.result_list = objects
