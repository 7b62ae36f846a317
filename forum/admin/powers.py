"""What leads to powers, for superusers alone: groups of staff, and e-mail addresses, as whoever has
one sets the password anew.
"""

from typing import Any

from allauth.account.admin import EmailAddressAdmin
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest

from forum.visiting.viewers import member

admin.site.unregister((EmailAddress, Group))


class WithoutStaff(admin.ModelAdmin):  # type: ignore[type-arg]
    """What belongs to a `user`: of staff, only superusers see it."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return everybody's; those of staff for superusers alone, as with staff themselves."""
        found: QuerySet[Any] = super().get_queryset(request)
        return found if member(request).is_superuser else found.filter(user__is_staff=False)


@admin.register(EmailAddress)
class AddressAdmin(WithoutStaff, EmailAddressAdmin):
    """Moderators mend the addresses of people, and give nobody's to somebody else."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return member(request).is_superuser

    def get_readonly_fields(self, request: HttpRequest, obj: EmailAddress | None = None) -> Any:
        fixed = super().get_readonly_fields(request, obj)
        return fixed if member(request).is_superuser else (*fixed, "user")


@admin.register(Group)
class StaffGroupAdmin(GroupAdmin):
    """What a group of staff may do, only superusers say."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return member(request).is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return member(request).is_superuser

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return member(request).is_superuser
