"""Staff roles and email addresses in the admin.

Only superusers manage roles, because roles give permissions. Only superusers manage the email
addresses of staff, auditors and moderators of groups, because whoever reads a person's email can
reset that person's password.
"""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.admin import EmailAddressAdmin
from allauth.account.models import EmailAddress
from allauth.socialaccount import admin as _registered  # noqa: F401 - registers what is removed below
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest

from forum.identity.roles import WITH_POWERS
from forum.identity.viewers import member
from forum.models import User

admin.site.unregister((EmailAddress, Group, SocialAccount, SocialApp, SocialToken))


class OfMembers(admin.ModelAdmin):  # type: ignore[type-arg]
    """Base class of admin pages for records of people.

    Only superusers see the records of staff, auditors and moderators of groups.
    """

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the records that the viewer may see."""
        found: QuerySet[Any] = super().get_queryset(request)
        if member(request).is_superuser:
            return found
        return found.exclude(user__in=User.objects.filter(WITH_POWERS).values("pk"))


@admin.register(EmailAddress)
class AddressAdmin(OfMembers, EmailAddressAdmin):
    """The admin of email addresses. Only superusers can add addresses or change their owners."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return member(request).is_superuser

    def get_readonly_fields(self, request: HttpRequest, obj: EmailAddress | None = None) -> Any:
        fixed = super().get_readonly_fields(request, obj)
        return fixed if member(request).is_superuser else (*fixed, "user")

    def save_model(self, request: HttpRequest, obj: EmailAddress, form: Any, change: bool) -> None:
        """Save an email address. If it replaced a confirmed address, notify the old address."""
        before = EmailAddress.objects.filter(pk=obj.pk).first()
        super().save_model(request, obj, form, change)
        if before and before.verified and (before.user, before.email) != (obj.user, obj.email):
            get_adapter(request).notify_removed(before.user, before.email)

    def delete_model(self, request: HttpRequest, obj: EmailAddress) -> None:
        self.delete_queryset(request, EmailAddress.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[EmailAddress]) -> None:
        """Delete email addresses, and notify each confirmed address."""
        confirmed = list(queryset.filter(verified=True).select_related("user"))
        super().delete_queryset(request, queryset)
        for address in confirmed:
            get_adapter(request).notify_removed(address.user, address.email)


@admin.register(Group)
class StaffGroupAdmin(GroupAdmin):
    """The admin of staff roles, which only superusers change."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return member(request).is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return member(request).is_superuser

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return member(request).is_superuser
