"""Comments in the admin: reading, deleting and restoring them."""

from datetime import datetime

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from forum.admin import delete_confirmation
from forum.admin.deleted_filter import DeletedFilter, is_on_site
from forum.admin.links import to_change, writer
from forum.content import comment_service
from forum.identity.viewers import member
from forum.models import Comment
from forum.models.managers import CommentQuerySet


@admin.register(Comment)
class CommentAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Staff delete and restore comments through `forum.content.comment_service`, which syncs
    them to Redis. Only the author changes a comment's text.
    """

    list_display = ("beginning", writer, "on", "points", "written", is_on_site)
    list_select_related = ("author", "post")
    list_filter = (DeletedFilter, "created_at")
    search_fields = ("body", "author__username", "post__title")
    ordering = ("-pk",)
    list_per_page = 50
    show_full_result_count = False
    actions = ("delete_comments", "undelete_comments")
    fields = (
        *("body", "author", "post", "parent", "is_answer", "points"),
        *("created_at", "edited_at", "deleted_at"),
    )
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Comments are written on the site."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Comment | None = None) -> bool:
        """The list has actions; a comment's own page is read-only."""
        return obj is None and super().has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Comment | None = None) -> bool:
        """Comments are never erased: replies and votes refer to them."""
        return False

    @admin.display(description=_("text"))
    def beginning(self, comment: Comment) -> str:
        return str(comment)

    @admin.display(description=_("post"), ordering="post")
    def on(self, comment: Comment) -> str:
        return to_change("post", comment.post_id, comment.post.title)

    @admin.display(description=_("written at"), ordering="pk")
    def written(self, comment: Comment) -> datetime:
        return comment.created_at

    @admin.display(description=_("points"))
    def points(self, comment: Comment) -> int:
        """Return the points in SQL: those in Redis would take a round trip for each post."""
        return comment.up - comment.down

    @admin.action(description=_("Delete selected comments"), permissions=["change"])
    def delete_comments(
        self, request: HttpRequest, comments: CommentQuerySet[Comment]
    ) -> HttpResponse | None:
        """Ask first, then delete the comments that are not deleted yet."""
        shown = comments.visible()
        if not delete_confirmation.is_sure(request) and shown.exists():
            return self._ask(request, shown)
        found = list(shown.select_related("author", "post"))
        for comment in found:
            comment_service.delete(comment, by=member(request))
        said = ngettext("%(n)d comment deleted.", "%(n)d comments deleted.", len(found))
        messages.success(request, said % {"n": len(found)})
        return None

    def _ask(self, request: HttpRequest, shown: CommentQuerySet[Comment]) -> HttpResponse:
        warning = _(
            "The text and the author's name will disappear from the threads; replies stay."
            " You can restore the comments later."
        )
        number = shown.count()
        title = ngettext("Delete %(n)d comment?", "Delete %(n)d comments?", number)
        return delete_confirmation.ask(
            *(self, request, shown),
            action="delete_comments",
            title=title % {"n": number},
            warning=str(warning),
        )

    @admin.action(description=_("Restore selected comments"), permissions=["change"])
    def undelete_comments(self, request: HttpRequest, comments: CommentQuerySet[Comment]) -> None:
        found = list(comments.deleted().select_related("author", "post"))
        for comment in found:
            comment_service.undelete(comment, by=member(request))
        said = ngettext("%(n)d comment restored.", "%(n)d comments restored.", len(found))
        messages.success(request, said % {"n": len(found)})
