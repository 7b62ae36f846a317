"""The forum as Django applications."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig
from django.core.checks import register
from django.utils.translation import gettext_lazy as _

from forum.config.checks import address_rules


class ForumConfig(AppConfig):
    """People, content and pages."""

    name = "forum"
    verbose_name = _("Forum")

    def ready(self) -> None:
        """Register our checks."""
        register(address_rules)


class ForumAdminConfig(AdminConfig):
    """Django admin, with our own site object."""

    default_site = "forum.web.admin_site.ForumAdminSite"
