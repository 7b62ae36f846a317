"""An admin action that logs people out everywhere."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.actions import staff_log
from forum.admin.chosen import each
from forum.errors import Forbidden
from forum.identity import sessions
from forum.identity.viewers import member
from forum.models import User


@admin.action(description=gettext_lazy("End all sessions"), permissions=["change"])
def end_sessions(
    people_admin: "admin.ModelAdmin[Any]", request: HttpRequest, people: QuerySet[User]
) -> None:
    """End all sessions of the chosen people. Only admins end the sessions of admins."""
    by = member(request)

    def end_all(person: User) -> None:
        if person.is_superuser and not by.is_superuser:
            raise Forbidden(_("Only admins can end the sessions of admins."))
        sessions.end_all(person, request)
        staff_log.changed(by, [person], _("Ended all sessions."))

    if done := each(request, people.order_by("username"), end_all):
        names = {"names": _(", ").join(done)}
        people_admin.message_user(request, _("This action succeeded for: %(names)s.") % names)
