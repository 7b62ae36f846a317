"""The filter and the column for deleted posts and comments."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from forum.models import Comment, Post


@admin.display(description=_("on the site"), boolean=True, ordering="deleted_at")
def is_on_site(thing: Post | Comment) -> bool:
    """Return whether a post or comment is not deleted: a column of their lists."""
    return thing.deleted_at is None


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
