"""The admin site: the site's own name and the site's own log-in.

It stands apart from `forum.admin`: Django makes it while that package is being imported.
"""

from typing import Any

from allauth.account.decorators import secure_admin_login
from django.conf import settings
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.permissions import acts_as_staff

THINGS = {
    "auth.Group": gettext_lazy("Groups of staff"),
    "mfa.Authenticator": gettext_lazy("Second factors"),
}
PARTS = {
    "mfa": gettext_lazy("Second factor"),
    "django_tasks_database": gettext_lazy("Work in the background"),
}


class ForumAdminSite(AdminSite):
    """Staff come in by the usual log-in with its limits; in production with a second factor."""

    site_header = site_title = settings.SITE_NAME

    def has_permission(self, request: HttpRequest) -> bool:
        """Say whether the reader may see the admin."""
        return acts_as_staff(request.user)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Show the forum first; call what libraries bring by the site's words, and what staff may
        do not by the name of the forum's groups.
        """
        apps = sorted(
            super().get_app_list(request, app_label), key=lambda app: app["app_label"] != "forum"
        )
        for app in apps:
            app["name"] = PARTS.get(app["app_label"], app["name"])
            for model in app["models"]:
                model["name"] = THINGS.get(model["model"]._meta.label, model["name"])
        return apps

    @method_decorator(secure_admin_login)
    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Lead to log-in, or to the second factor that staff lack; refuse everybody else."""
        if not acts_as_staff(request.user):
            messages.info(request, _("Staff need a second factor here. Set one up first."))
            return redirect("mfa_activate_totp")
        return super().login(request, extra_context)
