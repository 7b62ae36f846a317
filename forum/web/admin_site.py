"""The admin site: the site's own name and the site's own log-in.

It stands apart from `forum.admin`: Django makes it while that package is being imported.
"""

from typing import Any, cast

from allauth.account.decorators import secure_admin_login
from django.conf import settings
from django.contrib import messages
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.contenttypes.views import shortcut
from django.core.exceptions import BadRequest, ValidationError
from django.db import DataError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, path
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.permissions import acts_as_staff
from forum.web.admin_requests import AnsweringAdmin, ChoicesView

THINGS = {
    "admin.LogEntry": gettext_lazy("Staff log"),
    "auth.Group": gettext_lazy("Staff roles"),
    "mfa.Authenticator": gettext_lazy("Second factors"),
}
PARTS = {
    "mfa": gettext_lazy("Second factor"),
    "django_tasks_database": gettext_lazy("Background tasks"),
}


class ForumAdminSite(AdminSite):
    """Staff come in by the usual log-in with its limits; in production with a second factor."""

    site_header = site_title = settings.SITE_NAME
    enable_nav_sidebar = False
    """Lists need its place: their last columns were cut off."""

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Take in a model, whoever brings it, with answers to addresses made by hand."""
        given = admin_class or ModelAdmin
        answering = type(given.__name__, (AnsweringAdmin, given), {"__module__": given.__module__})
        super().register(model_or_iterable, answering, **options)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Return the admin's pages, with the site's own way to what a thing is on the site."""
        where = "r/<path:content_type_id>/<path:object_id>/"
        return [path(where, self.admin_view(on_site), name="view_on_site"), *super().get_urls()]

    def autocomplete_view(self, request: HttpRequest) -> HttpResponse:
        """Offer what can be chosen; 400 to a search that SQL can't be asked for."""
        try:
            return cast("HttpResponse", ChoicesView.as_view(admin_site=self)(request))
        except DataError as error:
            raise BadRequest("no such search") from error

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


def on_site(request: HttpRequest, content_type_id: str, object_id: str) -> HttpResponseBase:
    """Lead to a page of the site. Raises Http404, also for what can be the number of nothing."""
    try:
        return shortcut(request, content_type_id, object_id)
    except (ArithmeticError, DataError, ValidationError) as error:
        raise Http404("no such thing") from error
