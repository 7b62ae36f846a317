"""The Django apps: the forum, and Django's admin with our own admin site."""

from importlib import import_module

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig
from django.core.checks import Tags, register
from django.utils.translation import gettext_lazy as _

from forum.config import checks


class ForumConfig(AppConfig):
    """The Django app with people, posts, comments, groups and pages."""

    name = "forum"
    verbose_name = _("Forum")

    def ready(self) -> None:
        """Register the system checks, and the receivers that write the security log."""
        import_module("forum.accounts.security_signals")
        register(checks.published_passwords, Tags.database, deploy=True)
        register(checks.proxy, Tags.security, deploy=True)


class ForumAdminConfig(AdminConfig):
    """Django's admin app, with `ForumAdminSite` as its default site."""

    default_site = "forum.web.admin_site.ForumAdminSite"
