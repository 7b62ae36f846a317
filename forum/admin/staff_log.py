"""The log of staff actions in the admin."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.http import HttpRequest, HttpResponse
from django.urls import NoReverseMatch
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from forum.admin.links import to_change
from forum.admin.read_only import ReadOnlyAdmin

ACTIONS = {ADDITION: _("added"), CHANGE: _("changed"), DELETION: _("deleted")}


class UsedFilter(admin.RelatedOnlyFieldListFilter):
    """A filter that offers only the people, or kinds of objects, that occur in the staff log."""

    include_empty_choice = False


@admin.register(LogEntry)
class StaffLogAdmin(ReadOnlyAdmin):
    """The admin list of staff actions, newest first."""

    list_display = ("action_time", "staff", "action", "content_type", "thing", "details")
    list_display_links = None
    list_filter = (
        "action_flag",
        ("user", UsedFilter),
        ("content_type", UsedFilter),
    )
    list_select_related = ("user", "content_type")
    search_fields = ("object_repr", "change_message", "user__username")
    date_hierarchy = "action_time"
    ordering = ("-pk",)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show the staff log under the same title as on the admin's front page."""
        return super().changelist_view(request, {"title": _("Staff log"), **(extra_context or {})})

    @admin.display(description=_("person"), ordering="user__username")
    def staff(self, entry: LogEntry) -> str:
        return to_change("user", entry.user_id, str(entry.user))

    @admin.display(description=_("action"), ordering="action_flag")
    def action(self, entry: LogEntry) -> str:
        return str(ACTIONS.get(entry.action_flag, ""))

    @admin.display(description=_("object"))
    def thing(self, entry: LogEntry) -> str:
        """Return a link to the logged object's admin page, or plain text if there is no page."""
        try:
            address = entry.get_admin_url()
        except NoReverseMatch:
            address = None
        name = entry.object_repr
        return format_html('<a href="{}">{}</a>', address, name) if address else name

    @admin.display(description=_("details"))
    def details(self, entry: LogEntry) -> str:
        return entry.get_change_message()
