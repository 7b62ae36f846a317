"""The security log in the admin. Only admins can see it."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from forum.admin.links import to_change
from forum.admin.read_only import ReadOnlyAdmin
from forum.models import SecurityEvent, User


def _link(person: User | None) -> str:
    return to_change("user", person.pk, person.shown_name) if person else ""


@admin.register(SecurityEvent)
class SecurityLogAdmin(ReadOnlyAdmin):
    """The admin list of security events, newest first."""

    list_display = ("at", "kind", "whose", "staff", "network", "details")
    list_display_links = None
    list_filter = ("kind",)
    list_select_related = ("person", "by")
    search_fields = ("person__username", "by__username", "=network")
    date_hierarchy = "at"
    ordering = ("-pk",)

    @admin.display(description=_("person"), ordering="person__username")
    def whose(self, event: SecurityEvent) -> str:
        return _link(event.person)

    @admin.display(description=_("staff"), ordering="by__username")
    def staff(self, event: SecurityEvent) -> str:
        return _link(event.by)
