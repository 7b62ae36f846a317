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
    """End all sessions of the chosen people. Only superusers end the sessions of staff."""

    def end_all(person: User) -> None:
        if not people_admin.has_change_permission(request, person):
            raise Forbidden
        sessions.end_all(person)
        staff_log.changed(member(request), [person], _("Ended all sessions."))

    if done := each(request, people.order_by("username"), end_all):
        names = {"names": _(", ").join(done)}
        people_admin.message_user(request, _("This action succeeded for: %(names)s.") % names)
