"""Groups: titles and descriptions."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from forum.admin.measured import UNKNOWN, MeasuredList
from forum.bonds import following
from forum.models import Group
from forum.store import voting


class GroupList(MeasuredList):
    """Groups with their sizes in Redis."""

    @staticmethod
    def measure(groups: list[Group]) -> dict[int, int]:
        """Return how many posts the page's groups have. One round trip."""
        sizes = voting().group_sizes([group.slug for group in groups])
        return {group.pk: sizes.get(group.slug, 0) for group in groups}


@admin.register(Group)
class GroupAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """The short name is part of addresses and of Redis, so it never changes."""

    list_display = ("slug", "title", "size", "created_at")
    search_fields = ("slug", "title", "description")
    fields = ("slug", "title", "description", "created_at")
    readonly_fields = ("created_at",)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return GroupList

    def get_readonly_fields(
        self, request: HttpRequest, obj: Group | None = None
    ) -> tuple[str, ...]:
        return ("created_at", "slug") if obj else ("created_at",)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """Only a group that no post was ever in can go."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and obj is not None and not obj.posts.exists()

    def delete_model(self, request: HttpRequest, obj: Group) -> None:
        """Nobody goes on to follow or hide what is gone."""
        following.delete_group(obj)

    @admin.display(description=_("posts"))
    def size(self, group: Group) -> str:
        size: int | None = getattr(group, "measured", None)
        return UNKNOWN if size is None else str(size)
