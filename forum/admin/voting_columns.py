"""Admin lists with columns from voting: one round trip a page, not one a row."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest
from django.utils.translation import gettext as _

from voting.errors import StoreUnavailable

UNKNOWN = "—"
"""What a column shows of an object that voting doesn't know, or while voting is unavailable."""


class LookupList(ChangeList):
    """Looks up extra values, such as points, for all objects of a page at once."""

    look_up: Callable[[list[Any]], dict[int, Any]]
    """Returns the extra values of the page's objects, by primary key."""

    def get_results(self, request: HttpRequest) -> None:
        """Read the page, then look up the values of all its objects."""
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
