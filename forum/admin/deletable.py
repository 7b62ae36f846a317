"""Common parts of the admin pages for posts and comments: filtering, removing and restoring."""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _

from forum.admin.chosen import each
from forum.identity.viewers import member
from forum.models import Comment, Post
from forum.models.managers import DeletableQuerySet
from forum.moderation.actions import removals, undo
from forum.web.forms.reasons import ReasonForm

NAMED = 20
"""The most objects that the confirmation page lists by name.

For more objects, the page also shows how many more there are.
"""


@admin.display(description=_("visible"), boolean=True, ordering="deleted_at")
def is_on_site(thing: Post | Comment) -> bool:
    """Return whether readers can see a post or comment."""
    return thing.deleted_at is None


class DeletedFilter(admin.SimpleListFilter):
    """Filters posts or comments by whether readers can see them."""

    title = _("state")
    parameter_name = "deleted"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("no", _("Visible")), ("yes", _("Not visible"))]

    def queryset(self, request: HttpRequest, things: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in {"yes", "no"}:
            return things
        return things.filter(deleted_at__isnull=self.value() == "no")


class DeletableAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Admin actions that remove posts or comments with a reason, and restore them.

    Removed posts and comments stay in SQL, because votes, replies and links refer to them.
    """

    list_select_related: ClassVar[tuple[str, ...]]
    question: Any
    """The question on the confirmation page, such as "Remove 2 posts?"."""
    removed: Any
    restored: Any
    warning: Any
    """The text on the confirmation page that explains the effects of removing."""

    list_per_page = 50
    show_full_result_count = False
    actions: tuple[Any, ...] = ("remove_chosen", "restore_chosen")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False, because people write posts and comments only on the site."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.action(description=_("Remove selected %(verbose_name_plural)s"), permissions=["change"])
    def remove_chosen(
        self, request: HttpRequest, chosen: DeletableQuerySet[Any]
    ) -> HttpResponse | None:
        """Ask for a reason, then remove the chosen posts or comments that readers can see."""
        visible = chosen.visible()
        form = ReasonForm(request.POST if "sure" in request.POST else None)
        if not form.is_valid() and visible.exists():
            return self._confirmation(request, visible, form)
        found = list(visible.select_related(*self.list_select_related)) if form.is_valid() else []
        for thing in found:
            removals.remove(thing, by=member(request), reason=form.cleaned_data["reason"])
        messages.success(request, self.removed % {"n": len(found)})
        return None

    @admin.action(description=_("Restore selected %(verbose_name_plural)s"), permissions=["change"])
    def restore_chosen(self, request: HttpRequest, chosen: DeletableQuerySet[Any]) -> None:
        """Restore the chosen posts or comments. Only admins restore what authors deleted."""
        found = chosen.deleted().select_related(*self.list_select_related)
        by = member(request)
        if done := len(each(request, found, lambda thing: undo.bring_back(thing, by=by))):
            messages.success(request, self.restored % {"n": done})

    def _confirmation(
        self, request: HttpRequest, visible: DeletableQuerySet[Any], form: ReasonForm
    ) -> HttpResponse:
        number = visible.count()
        context = {
            **self.admin_site.each_context(request),
            "title": self.question % {"n": number},
            "warning": self.warning,
            "action": "remove_chosen",
            "things": visible[:NAMED],
            "form": form,
            "more": max(0, number - NAMED),
            "chosen": request.POST.getlist(ACTION_CHECKBOX_NAME),
            "checkbox": ACTION_CHECKBOX_NAME,
            "across": request.POST.get("select_across", "0"),
            "opts": self.model._meta,
        }
        return TemplateResponse(request, "admin/confirm_removal.html", context)
