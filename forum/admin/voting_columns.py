"""Lists whose columns come from voting: one round trip a page, not one a row."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest
from django.utils.translation import gettext as _

from voting.errors import StoreUnavailable

UNKNOWN = "—"
"""What a column shows of an object that voting doesn't know, or while voting is unavailable."""


class MeasuredList(ChangeList):
    """Once a page of objects is read, `measure` tells of all of them at once."""

    measure: Callable[[list[Any]], dict[int, Any]]
    """Takes the page's objects; returns what voting says, by primary key."""

    def get_results(self, request: HttpRequest) -> None:
        """Read the page, then ask voting. One round trip."""
        super().get_results(request)
        things = list(self.result_list)
        try:
            found = type(self).measure(things)
        except StoreUnavailable:
            found = {}
            messages.warning(
                request,
                _("Voting is temporarily unavailable."),
            )
        for thing in things:
            thing.measured = found.get(thing.pk)
        self.result_list = things
