"""Admin lists with columns from Redis. One round trip loads the columns of a page."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest
from django.utils.translation import gettext as _

from voting.errors import StoreUnavailable

UNKNOWN = "—"
"""The text of a column if Redis doesn't know the object or is unavailable."""


class LookupList(ChangeList):
    """An admin list that looks up extra values, such as points, for a whole page at once."""

    look_up: Callable[[list[Any]], dict[int, Any]]
    """A function that takes the objects of a page and returns their extra values by primary key."""

    def get_results(self, request: HttpRequest) -> None:
        """Read the objects of a page, then the values of their extra columns, such as points."""
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
