"""The forum as Django applications."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig
from django.utils.translation import gettext_lazy as _


class ForumConfig(AppConfig):
    """People, content and pages."""

    name = "forum"
    verbose_name = _("Forum")


class ForumAdminConfig(AdminConfig):
    """Django admin, with our own site object."""

    default_site = "forum.admin_site.ForumAdminSite"
