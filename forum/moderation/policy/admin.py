"""Admin page for the site's policy."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from forum.identity.viewers import member
from forum.models import SitePolicy
from forum.moderation.policy import services


@admin.register(SitePolicy)
class SitePolicyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Lets superusers edit the policy. It is a single row, so the list redirects to the form."""

    fieldsets = (
        (
            _("Moderation"),
            {
                "fields": (
                    *("names_moderators", "reasons", "queue_weight", "hide_weight"),
                    *("hide_min_days", "hide_min_karma", "hide_author_karma", "holds_new_domains"),
                )
            },
        ),
        (
            _("Sign-up"),
            {"fields": ("sign_up", "question", "sign_ups_a_network", "sign_ups_a_mail_domain")},
        ),
        (
            _("Invitations"),
            {"fields": ("invite_min_days", "invite_min_karma", "invitations_a_month")},
        ),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return member(request).is_superuser

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return member(request).is_superuser

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Redirect to the form of the single row, creating the row the first time."""
        if not self.has_view_or_change_permission(request):
            return super().changelist_view(request, extra_context)
        SitePolicy.objects.get_or_create(pk=SitePolicy.ONLY)
        return redirect(reverse("admin:forum_sitepolicy_change", args=[SitePolicy.ONLY]))

    def save_model(self, request: HttpRequest, obj: SitePolicy, form: Any, change: bool) -> None:
        """Save the policy."""
        services.save(obj)
