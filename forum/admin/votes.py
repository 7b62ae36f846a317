"""Votes in the admin, with search by person, post or comment."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from forum.actions import security_log
from forum.admin.links import to_change
from forum.admin.read_only import ReadOnlyAdmin
from forum.admin.voting_columns import UNKNOWN, LookupList
from forum.identity.network import network_hash
from forum.identity.viewers import member
from forum.models import ArchivedVote, Comment, LedgerEntry, Post, SecurityEvent, User
from forum.models.deleted_names import shown_name
from voting.types import Vote

AnyVote = ArchivedVote | LedgerEntry

COLUMNS = ("post", "comment", "person", "direction", "at")
SEARCH_FIELDS = ("=post_id", "=user_id")
LABELS = {Vote.UP: _("up"), Vote.DOWN: _("down"), Vote.NONE: _("none")}


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a vote's person, post and comment, for an admin list.

    A comment's name is the start of its text. A name is None if SQL doesn't have the object.
    """

    person: str | None
    post: str | None
    comment: str | None


def names(votes: Sequence[AnyVote]) -> dict[int, Names]:
    """Map each vote's id to the user's name, the post's title and the beginning of the comment."""
    users = User.objects.filter(pk__in={vote.user_id for vote in votes})
    posts = Post.objects.filter(pk__in={vote.post_id for vote in votes})
    comments = Comment.objects.filter(pk__in={vote.comment_id for vote in votes} - {0})
    people = {pk: shown_name(name) for pk, name in users.values_list("pk", "username")}
    titles = dict(posts.values_list("pk", "title"))
    texts = dict(comments.values_list("pk", Left("body", 80)))
    return {
        vote.pk: Names(
            people.get(vote.user_id), titles.get(vote.post_id), texts.get(vote.comment_id)
        )
        for vote in votes
    }


class VoteList(LookupList):
    """An admin list of votes, with the names of people, posts and comments."""

    look_up = staticmethod(names)


class VoteFilter(admin.SimpleListFilter):
    """Filters votes by their kind: up, down or withdrawn."""

    title = _("vote")
    parameter_name = "vote"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(str(vote.value), word) for vote, word in LABELS.items()]

    def queryset(self, request: HttpRequest, votes: QuerySet[Any]) -> QuerySet[Any]:
        chosen = {str(vote.value): vote for vote in LABELS}.get(self.value() or "")
        return votes if chosen is None else votes.filter(vote=chosen)


class VotesAdmin(ReadOnlyAdmin):
    """Base class of the admin lists of archived votes and of ledger entries.

    Only admins can open them, and each look is in the security log.
    """

    list_display_links = ("at",)
    list_filter = (VoteFilter,)
    search_help_text = _("Search for a user name, a post id or a person's id.")
    date_hierarchy = "at"
    ordering = ("-pk",)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_superuser

    def has_module_permission(self, request: HttpRequest) -> bool:
        return request.user.is_superuser

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a list of votes, and record that the admin looked at it."""
        response: HttpResponse = super().changelist_view(request, extra_context)
        self._record(request)
        return response

    def changeform_view(self, request: HttpRequest, *args: Any, **more: Any) -> HttpResponse:
        """Show a single vote, and record that the admin looked at it."""
        response: HttpResponse = super().changeform_view(request, *args, **more)
        self._record(request)
        return response

    def _record(self, request: HttpRequest) -> None:
        """Record a look in the security log, with the address, which says what was searched."""
        security_log.record(
            SecurityEvent.Kind.VOTES_SEEN,
            person_id=None,
            by_id=member(request).pk,
            network=network_hash(request),
            details={"address": request.get_full_path()},
        )

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return VoteList

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.list_display

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Find votes by post id, by user id, or by the voter's name."""
        found, repeats = super().get_search_results(request, queryset, search_term)
        if search_term:
            people = User.objects.filter(username__iexact=search_term.strip())
            found |= queryset.filter(user_id__in=people.values("pk"))
        return found, repeats

    @admin.display(description=_("post"), ordering="post_id")
    def post(self, vote: AnyVote) -> str:
        return _link("post", vote.post_id, _names_of(vote).post)

    @admin.display(description=_("comment"), ordering="comment_id")
    def comment(self, vote: AnyVote) -> str:
        return _link("comment", vote.comment_id, _names_of(vote).comment)

    @admin.display(description=_("person"), ordering="user_id")
    def person(self, vote: AnyVote) -> str:
        return _link("user", vote.user_id, _names_of(vote).person)

    @admin.display(description=_("vote"), ordering="vote")
    def direction(self, vote: AnyVote) -> str:
        return str(LABELS[Vote(vote.vote)])


def _names_of(vote: Any) -> Names:
    """Return the names to show for a vote."""
    if not hasattr(vote, "looked_up"):
        vote.looked_up = names([vote])[vote.pk]
    found: Names = vote.looked_up
    return found


def _link(model: str, number: int, name: str | None) -> str:
    """Return a link to an object's admin page, or only the id if the object was deleted."""
    if name is None:
        return f"#{number}" if number else UNKNOWN
    return to_change(model, number, name)


@admin.register(ArchivedVote)
class ArchivedVoteAdmin(VotesAdmin):
    """The admin list of archived votes: each person's current vote on each post and comment."""

    list_display = COLUMNS
    search_fields = SEARCH_FIELDS


@admin.register(LedgerEntry)
class LedgerEntryAdmin(VotesAdmin):
    """The admin list of ledger entries: every change of a vote, newest first."""

    list_display = (*COLUMNS, "kind", "shard", "entry")
    search_fields = (*SEARCH_FIELDS, "=entry")

    @admin.display(description=_("vote"), ordering="vote")
    def direction(self, vote: AnyVote) -> str:
        """Return the vote as a word, or the number of starting points."""
        points = vote.points if isinstance(vote, LedgerEntry) else None
        return super().direction(vote) if points is None else f"{points:+}"
