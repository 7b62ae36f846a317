"""The admin site, with the forum's name and log-in.

This is not in `forum.admin`, because Django creates the site while it imports that package.
"""

from functools import wraps
from typing import Any

from allauth.account.decorators import secure_admin_login
from django.conf import settings
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.core.exceptions import BadRequest, ValidationError
from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum import __version__
from forum.identity.roles import acts_as_staff
from forum.web.methods import READING

MODEL_NAMES = {
    "admin.LogEntry": gettext_lazy("Staff log"),
    "auth.Group": gettext_lazy("Staff roles"),
    "mfa.Authenticator": gettext_lazy("Two-factor authentication"),
}
INVALID = (ArithmeticError, LookupError, ValueError, ValidationError, DataError)
APP_NAMES = {"mfa": gettext_lazy("Two-factor authentication")}


class ForumAdminSite(AdminSite):
    """The admin site.

    Staff use the same log-in and rate limits as everybody else. In production they also need
    two-factor authentication.
    """

    site_header = site_title = settings.SITE_NAME
    enable_nav_sidebar = False
    """Off, because the sidebar cut off the last columns of lists."""

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Wrap a view of the admin so that it answers 400 to an invalid URL.

        Without this, a URL with a number too large for the database would be logged as a bug.
        Errors in requests that send a form are still logged as bugs.
        """

        @wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            try:
                response: HttpResponseBase = view(request, *args, **kwargs)
            except INVALID as error:
                if request.method in READING:
                    raise BadRequest("no such address") from error
                raise
            return response

        return super().admin_view(checked, cacheable)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Add the version to the template context, for the footer of every admin page."""
        return super().each_context(request) | {"version": __version__}

    def has_permission(self, request: HttpRequest) -> bool:
        return acts_as_staff(request.user)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """List the forum's models first, and rename models of libraries.

        "Groups" are the forum's groups, so Django's groups are called "Staff roles".
        """
        apps = sorted(
            super().get_app_list(request, app_label), key=lambda app: app["app_label"] != "forum"
        )
        for app in apps:
            app["name"] = APP_NAMES.get(app["app_label"], app["name"])
            for model in app["models"]:
                model["name"] = MODEL_NAMES.get(model["model"]._meta.label, model["name"])
        return apps

    @method_decorator(secure_admin_login)
    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Send guests to log-in, and staff without two-factor authentication to its set-up.

        People who are not staff are refused.
        """
        if not acts_as_staff(request.user):
            messages.info(
                request, _("The admin requires two-factor authentication. Set it up first.")
            )
            return redirect("mfa_index")
        return super().login(request, extra_context)
