"""Two-factor authentication in the admin: shows who uses it, but no secrets."""

from datetime import datetime
from typing import Any

from allauth.mfa.admin import AuthenticatorAdmin
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.actions import factor_removal, staff_log
from forum.admin.privileges import OfMembers
from forum.identity.viewers import member

admin.site.unregister(Authenticator)


@admin.register(Authenticator)
class SecondFactorAdmin(OfMembers, AuthenticatorAdmin):
    """Staff turn off two-factor authentication for people who lost their device or codes."""

    list_display = ("person", "kind", "added", "last_used")
    list_display_links = None
    list_filter = ()
    list_select_related = ("user",)
    search_fields = ("user__username",)
    ordering = ("-pk",)
    list_per_page = 50
    show_full_result_count = False
    fields = ("user", "type", "created_at", "last_used_at")

    @admin.display(description=gettext_lazy("person"), ordering="user__username")
    def person(self, factor: Authenticator) -> str:
        return str(factor.user)

    @admin.display(description=gettext_lazy("kind"), ordering="type")
    def kind(self, factor: Authenticator) -> str:
        return str(factor.get_type_display())

    @admin.display(description=gettext_lazy("created at"), ordering="created_at")
    def added(self, factor: Authenticator) -> datetime:
        at: datetime = factor.created_at
        return at

    @admin.display(description=gettext_lazy("last used"), ordering="last_used_at")
    def last_used(self, factor: Authenticator) -> datetime | None:
        at: datetime | None = factor.last_used_at
        return at

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Forbid filtering by the secret, because staff could then guess it letter by letter."""
        return lookup.partition("__")[0] != "data" and super().lookup_allowed(
            lookup, value, request
        )

    def delete_model(self, request: HttpRequest, obj: Authenticator) -> None:
        self.delete_queryset(request, Authenticator.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Authenticator]) -> None:
        """Delete the selected second factors, and email the people who used them."""
        people = factor_removal.remove(queryset)
        staff_log.changed(member(request), people, _("Removed second factors."))
