"""Choosing between what is on the site and what was deleted."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _


class DeletedFilter(admin.SimpleListFilter):
    """Posts or comments that are on the site, or deleted."""

    title = _("state")
    parameter_name = "deleted"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("no", _("On the site")), ("yes", _("Deleted"))]

    def queryset(self, request: HttpRequest, things: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in {"yes", "no"}:
            return things
        return things.filter(deleted_at__isnull=self.value() == "no")
