"""Groups in the admin: their names, and whether they accept new posts."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _

from forum.actions import following
from forum.admin.group_merging import services
from forum.admin.group_merging.admin import merge_page
from forum.admin.group_merging.services import SlugTaken
from forum.admin.voting_columns import UNKNOWN, LookupList
from forum.identity.viewers import member
from forum.models import Group
from forum.queries.groups import directory
from forum.store.service import get_voting_service


class GroupList(LookupList):
    """The admin list of groups. It shows how many posts each group has in Redis."""

    @staticmethod
    def look_up(groups: list[Group]) -> dict[int, int]:
        """Return the number of posts of each group on the page."""
        sizes = get_voting_service().groups.sizes([group.slug for group in groups])
        return {group.pk: sizes.get(group.slug, 0) for group in groups}


@admin.register(Group)
class GroupAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Staff rename and merge groups by `group_merging`, which syncs posts to Redis."""

    change_form_template = "admin/group_change_form.html"
    list_display = ("slug", "title", "size", "closed", "merging", "created_at")
    list_select_related = ("merged_into",)
    list_filter = ("closed",)
    search_fields = ("slug", "title", "description")
    fields = ("slug", "title", "description", "hue", "closed", "moderators_appoint", "created_at")
    readonly_fields = ("created_at",)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return GroupList

    def get_urls(self) -> list[URLPattern]:
        """Return the URLs of the groups' admin, including the page that merges groups."""
        merge = self.admin_site.admin_view(self.merge_view)
        page = path("<path:object_id>/merge/", merge, name="forum_group_merge")
        return [page, *super().get_urls()]

    def merge_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the page that merges a group into another group.

        Raises Http404 if the group doesn't exist, and PermissionDenied if the viewer may not change
        the group.
        """
        group = self.get_object(request, unquote(object_id))
        if group is None:
            raise Http404("no such group")
        if not self.has_change_permission(request, group):
            raise PermissionDenied
        return merge_page(request, group)

    def save_model(self, request: HttpRequest, obj: Group, form: Any, change: bool) -> None:
        """Save a group. Rename the group if its short name changed."""
        slug = obj.slug
        if change:
            obj.slug = form.initial["slug"]
            changed = ["title", "description", "hue", "closed", "moderators_appoint"]
            obj.save(update_fields=changed)
            self._rename(request, obj, slug)
        else:
            super().save_model(request, obj, form, change)
        transaction.on_commit(directory.forget)

    def get_readonly_fields(self, request: HttpRequest, obj: Group | None = None) -> Any:
        """Return the read-only fields. Only admins can change `moderators_appoint`."""
        fixed = super().get_readonly_fields(request, obj)
        return fixed if member(request).is_superuser else (*fixed, "moderators_appoint")

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """Return whether a group may be deleted: only if it has no posts, visible or deleted."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and obj is not None and not obj.posts.exists()

    def delete_model(self, request: HttpRequest, obj: Group) -> None:
        """Delete a group. People no longer follow or hide the group."""
        following.delete_group(obj)

    def _rename(self, request: HttpRequest, group: Group, slug: str) -> None:
        """Rename a group. Show an error if another group took the name in the meantime."""
        try:
            services.rename(group, slug)
        except SlugTaken:
            messages.error(request, _("Another group has this short name."))

    @admin.display(description=_("target of the merge"))
    def merging(self, group: Group) -> str:
        return group.merged_into.title if group.merged_into else ""

    @admin.display(description=_("posts"))
    def size(self, group: Group) -> str:
        size: int | None = getattr(group, "looked_up", None)
        return UNKNOWN if size is None else str(size)
