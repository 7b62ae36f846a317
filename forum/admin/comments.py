"""Comments in the admin: staff can read, remove and restore them."""

from datetime import datetime

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from forum.admin.deletable import DeletableAdmin, DeletedFilter, is_on_site
from forum.admin.links import to_change, writer
from forum.admin.text_actions import DECISIONS
from forum.config.hidden_scores import is_hidden
from forum.models import Comment


@admin.register(Comment)
class CommentAdmin(DeletableAdmin):
    """Staff read, remove and restore comments. Only the author changes a comment's text."""

    actions = (*DeletableAdmin.actions, *DECISIONS)
    list_display = ("beginning", writer, "on", "points", "written", is_on_site)
    list_select_related = ("author", "post")
    list_filter = (DeletedFilter, "created_at")
    search_fields = ("body", "author__username", "post__title")
    ordering = ("-pk",)
    question = ngettext_lazy("Remove %(n)d comment?", "Remove %(n)d comments?", "n")
    removed = ngettext_lazy("%(n)d comment removed.", "%(n)d comments removed.", "n")
    restored = ngettext_lazy("%(n)d comment restored.", "%(n)d comments restored.", "n")
    warning = _(
        "Readers will see that moderators removed the comments, and why. Replies"
        " stay. You can restore the comments later."
    )
    fields = (
        *("body", "author", "post", "parent", "is_answer", "points"),
        *("created_at", "edited_at", "deleted_at"),
    )
    readonly_fields = fields

    def has_change_permission(self, request: HttpRequest, obj: Comment | None = None) -> bool:
        """Let staff use the actions in the list, but not edit a comment."""
        return obj is None and super().has_change_permission(request)

    @admin.display(description=_("text"))
    def beginning(self, comment: Comment) -> str:
        return str(comment)

    @admin.display(description=_("post"), ordering="post")
    def on(self, comment: Comment) -> str:
        return to_change("post", comment.post_id, comment.post.title)

    @admin.display(description=_("posted at"), ordering="pk")
    def written(self, comment: Comment) -> datetime:
        return comment.created_at

    @admin.display(description=_("points"))
    def points(self, comment: Comment) -> int | None:
        """Return a comment's points from SQL, because Redis would take many round trips.

        Returns None while the score is hidden.
        """
        return None if is_hidden(comment.posted_at) else comment.up - comment.down
