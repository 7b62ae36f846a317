"""The admin of emails that could not be sent."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.admin.links import to_change
from forum.admin.read_only import ReadOnlyAdmin
from forum.models import FailedMail, User


@admin.register(FailedMail)
class FailedMailAdmin(ReadOnlyAdmin):
    """The admin list of emails that failed in the last seven days, newest first."""

    list_display = ("failed_at", "person", "attempts", "reason")
    fields = (*list_display, "details")
    ordering = ("-failed_at",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[FailedMail]:
        queryset: QuerySet[FailedMail] = super().get_queryset(request)
        names = User.objects.filter(pk=OuterRef("subject_id")).values("username")
        return queryset.annotate(username=Subquery(names))

    @admin.display(description=gettext_lazy("person"))
    def person(self, item: Any) -> str:
        """Return a link to the recipient's admin page."""
        return to_change("user", item.subject_id, item.username)

    @admin.display(description=gettext_lazy("error"))
    def reason(self, item: FailedMail) -> str:
        return item.error or _("The worker is sending this email, or stopped while sending it.")
