"""The moderation log in the admin. Staff read all entries, and undo actions as on the site."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from forum.actions.names import full_name
from forum.admin.links import to_change
from forum.admin.queue import QueueAdmin
from forum.errors import DomainError
from forum.identity.viewers import member
from forum.models import ModAction
from forum.moderation.actions import undo
from forum.web.problems import problem_of


@admin.register(ModAction)
class ModActionAdmin(QueueAdmin):
    """The admin list of moderation actions, newest first. Staff can only undo actions."""

    list_display = ("created_at", "who", "kind", "about", "concerned", "why", "undone_at")
    list_display_links = None
    list_filter = ("kind", "is_private", "group", ("undone_at", admin.EmptyFieldListFilter))
    list_select_related = ("by", "rule", "group", "person", "post", "comment")
    search_fields = ("person__username", "by__username")
    ordering = ("-pk",)
    actions = ("undo_chosen",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ModAction]:
        """Return the actions, except those that are part of a bulk action."""
        return super().get_queryset(request).filter(parent=None)

    @admin.action(description=gettext_lazy("Undo selected actions"))
    def undo_chosen(self, request: HttpRequest, chosen: QuerySet[ModAction]) -> None:
        """Undo the chosen actions, newest first. Messages name the actions that can't be undone."""
        done = 0
        for action in chosen.order_by("-pk"):
            try:
                undo.undo(action, by=member(request))
                done += 1
            except DomainError as error:
                self._explain(request, action, error)
        sentence = ngettext("%(n)d action undone.", "%(n)d actions undone.", done)
        self.message_user(request, sentence % {"n": done}, messages.SUCCESS)

    def _explain(self, request: HttpRequest, action: ModAction, error: DomainError) -> None:
        problem = problem_of(request, error)
        if problem is None:
            raise error
        self.message_user(request, f"{action}: {problem.sentence}", messages.ERROR)

    @admin.display(description=gettext_lazy("moderator"))
    def who(self, action: ModAction) -> str:
        return full_name(action)

    @admin.display(description=gettext_lazy("reason"))
    def why(self, action: ModAction) -> str:
        return action.translated_reason

    @admin.display(description=gettext_lazy("object"))
    def about(self, action: ModAction) -> str:
        """Return a link to an action's page. The link's text says what the action was about.

        This is the title of a post, "a comment on" such a title, or "a person".
        """
        name = action.post.title if action.post else _("a person")
        if action.comment:
            name = _("a comment on “%(title)s”") % {"title": name}
        return format_html('<a href="{}">{}</a>', reverse("mod_action", args=[action.pk]), name)

    @admin.display(description=gettext_lazy("person"), ordering="person__username")
    def concerned(self, action: ModAction) -> Any:
        person = action.person
        return to_change("user", person.pk, person.shown_name) if person else ""
