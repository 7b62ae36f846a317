"""The archive of votes, to read and never to change."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from forum.models import ArchivedVote, LedgerEntry


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Staff with the right to view may look; nobody may change what was accepted."""

    ordering = ("-pk",)
    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(ArchivedVote)
class ArchivedVoteAdmin(ReadOnlyAdmin):
    """Every vote as it stands."""

    list_display = ("post_id", "comment_id", "user_id", "vote", "at")
    list_filter = ("vote",)
    search_fields = ("=post_id", "=user_id")
    date_hierarchy = "at"


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnlyAdmin):
    """Every change of a vote, in the order the ledger took it."""

    list_display = ("post_id", "comment_id", "user_id", "vote", "at", "shard", "entry")
    list_filter = ("vote",)
    search_fields = ("=post_id", "=user_id", "=entry")
    date_hierarchy = "at"
