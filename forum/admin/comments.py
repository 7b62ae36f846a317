"""Comments: what they say, on what, and taking them off the site."""

from datetime import datetime

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from forum.admin.states import DeletedFilter, is_on_site
from forum.content import commenting
from forum.models import Comment
from forum.visiting.viewers import member

NAMED = 20
"""Comments that are named before they are deleted; of others it is said how many there are."""


@admin.register(Comment)
class CommentAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Words stay their author's: staff delete comments, by `forum.content.commenting`, so that
    Redis hears of it; they change none.
    """

    list_display = ("beginning", "author", "post", "points", "written", is_on_site)
    list_select_related = ("author", "post")
    list_filter = (DeletedFilter, "created_at")
    search_fields = ("body", "author__username", "post__title")
    ordering = ("-pk",)
    list_per_page = 50
    show_full_result_count = False
    actions = ("delete_comments",)
    fields = (
        *("body", "author", "post", "parent", "points"),
        *("created_at", "edited_at", "deleted_at"),
    )
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Comments are written on the site."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Comment | None = None) -> bool:
        """The list has its action; a comment itself is there to be read."""
        return obj is None and super().has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Comment | None = None) -> bool:
        """Comments are never erased: replies and votes point at them."""
        return False

    @admin.display(description=_("text"))
    def beginning(self, comment: Comment) -> str:
        return str(comment)

    @admin.display(description=_("written at"), ordering="pk")
    def written(self, comment: Comment) -> datetime:
        return comment.created_at

    @admin.display(description=_("points"))
    def points(self, comment: Comment) -> int:
        """The archive's copy: what Redis holds would take a round trip for each post."""
        return comment.up - comment.down

    @admin.action(description=_("Delete the chosen comments"), permissions=["change"])
    def delete_comments(
        self, request: HttpRequest, comments: QuerySet[Comment]
    ) -> HttpResponse | None:
        """Ask first, as nobody can bring a comment back."""
        shown = comments.filter(deleted_at=None)
        if "sure" not in request.POST and shown.exists():
            return self._ask(request, shown)
        found = list(shown.select_related("author", "post"))
        for comment in found:
            commenting.delete(comment, by=member(request))
        said = ngettext("%(n)d comment is deleted.", "%(n)d comments are deleted.", len(found))
        messages.success(request, said % {"n": len(found)})
        return None

    def _ask(self, request: HttpRequest, comments: QuerySet[Comment]) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": _("Delete the chosen comments"),
            "comments": comments[:NAMED],
            "total": comments.count(),
            "chosen": request.POST.getlist(ACTION_CHECKBOX_NAME),
            "checkbox": ACTION_CHECKBOX_NAME,
            "across": request.POST.get("select_across", "0"),
            "opts": self.model._meta,
        }
        return TemplateResponse(request, "admin/delete_comments.html", context)
