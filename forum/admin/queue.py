"""The moderation queue and its flags in the admin, as read-only lists.

The lists link to the site's own pages, where moderators decide.
"""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from forum.admin.read_only import ReadOnlyAdmin
from forum.identity.viewers import powers
from forum.models import Flag, QueueItem


def about(item: QueueItem) -> str:
    """Return a short description of a queue item's post, comment or person."""
    if item.comment:
        return f"{item.comment.author.shown_name}: {item.comment.body[:80]}"
    return item.post.title if item.post else str(item.person)


class DecidedFilter(admin.SimpleListFilter):
    """Filters queue items by whether moderators have decided about them."""

    title = _("state")
    parameter_name = "decided"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("no", _("Open")), ("yes", _("Decided"))]

    def queryset(self, request: HttpRequest, items: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in {"yes", "no"}:
            return items
        return items.filter(decided_at__isnull=self.value() == "no")


class QueueAdmin(ReadOnlyAdmin):
    """A read-only admin list for people who may read everything in the moderation queue."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return powers(request).reads_everything


@admin.register(QueueItem)
class QueueItemAdmin(QueueAdmin):
    """The admin list of queue items, newest first."""

    list_display = ("subject", "kind", "weight", "created_at", "decided_at", "decided_by", "result")
    list_display_links = None
    list_filter = ("kind", DecidedFilter)
    list_select_related = ("post", "comment__author", "person", "decided_by", "decision")
    ordering = ("-pk",)
    fields = list_display

    @admin.display(description=_("about"))
    def subject(self, item: QueueItem) -> str:
        """Return a link to the item's page on the site, where moderators decide."""
        return format_html(
            '<a href="{}">{}</a>', reverse("queue_item", args=[item.pk]), about(item)
        )

    @admin.display(description=_("decision"))
    def result(self, item: QueueItem) -> str:
        return str(item.decision or "")


@admin.register(Flag)
class FlagAdmin(QueueAdmin):
    """The admin list of flags, newest first."""

    list_display = (
        *("subject", "user", "kind", "words", "weight", "to_admins", "outcome", "created_at"),
    )
    list_display_links = None
    list_filter = ("kind", "outcome", "to_admins")
    list_select_related = ("user", "item__post", "item__comment__author", "item__person")
    search_fields = ("user__username", "words")
    ordering = ("-pk",)
    fields = list_display

    @admin.display(description=_("about"))
    def subject(self, flag: Flag) -> str:
        return format_html(
            '<a href="{}">{}</a>', reverse("queue_item", args=[flag.item_id]), about(flag.item)
        )
