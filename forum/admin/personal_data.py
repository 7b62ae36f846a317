"""Admin actions for people who ask staff for a copy of their data, or to delete their account."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from forum.actions import account_deletions, data_exports
from forum.admin.chosen import each, form_page
from forum.admin.links import to_change
from forum.admin.read_only import ReadOnlyAdmin
from forum.identity import permissions
from forum.identity.viewers import member
from forum.models import Erasure, User
from forum.web.forms.account_deletion import DeletionForm


@admin.action(description=_("Make a copy of their data for them"), permissions=["change"])
def export_data(
    _people_admin: "admin.ModelAdmin[Any]", request: HttpRequest, people: QuerySet[User]
) -> None:
    """Make the worker export the data of the chosen people. Only they can download it."""
    by = member(request)

    def export(person: User) -> None:
        permissions.require_account_change(by, person)
        data_exports.ask(person, by=by)

    _report(request, each(request, people.order_by("username"), export))


@admin.action(description=_("Delete their accounts"), permissions=["change"])
def delete_accounts(
    people_admin: "admin.ModelAdmin[Any]", request: HttpRequest, people: QuerySet[User]
) -> HttpResponse | None:
    """Ask what happens to texts, then ask for the deletion of the chosen people's accounts."""
    chosen, label = people.order_by("username"), _("Delete their accounts")
    form = DeletionForm(request.POST if "texts" in request.POST else None)
    if not form.is_valid():
        return form_page(people_admin, request, chosen, form, "delete_accounts", label)
    by, keeps_texts = member(request), form.keeps_texts

    def delete(person: User) -> None:
        account_deletions.ask(person, keeps_texts=keeps_texts, by=by)

    _report(request, each(request, chosen, delete))
    return None


def _report(request: HttpRequest, done: list[str]) -> None:
    if done:
        names = {"names": gettext(", ").join(done)}
        messages.success(request, gettext("This action succeeded for: %(names)s.") % names)


@admin.register(Erasure)
class ErasureAdmin(ReadOnlyAdmin):
    """The admin list of accounts in deletion, and of deleted accounts, newest first."""

    list_display = ("asked_at", "whose", "keeps_texts", "by", "due_at", "done_at")
    list_display_links = None
    list_select_related = ("user", "by")
    list_filter = (("done_at", admin.EmptyFieldListFilter),)
    ordering = ("-asked_at",)

    @admin.display(description=_("person"))
    def whose(self, erasure: Erasure) -> str:
        return to_change("user", erasure.user_id, erasure.user.shown_name)
