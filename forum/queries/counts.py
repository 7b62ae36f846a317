"""Computes the counts on profiles in SQL: posts, comments, karma, followers and so on."""

from collections.abc import Collection
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from forum.models import Comment, PersonFollow, Post, User
from voting.types.people import PersonCounts


def sql_counts(user_ids: Collection[int]) -> dict[int, PersonCounts]:
    """Return all profile counts of these people from SQL. One query."""
    follows, fans = (_how_many(PersonFollow.objects.all(), who) for who in ("follower", "person"))
    return _counts(user_ids, follows, fans)


def done_and_received(user_ids: Collection[int]) -> dict[int, PersonCounts]:
    """Return people's numbers of posts, comments and given likes, and their karma, from SQL.

    Leaves out follows and followers, which Redis counts itself. One query.
    """
    return _counts(user_ids)


def _counts(user_ids: Collection[int], *more: Coalesce) -> dict[int, PersonCounts]:
    found = User.objects.filter(pk__in=user_ids).values_list(
        "pk",
        _how_many(Post.objects.visible(), "author"),
        _how_many(Comment.objects.visible(), "author"),
        "likes_given",
        "karma",
        *more,
    )
    return {user_id: PersonCounts(*counted) for user_id, *counted in found}


def _how_many(rows: QuerySet[Any], whose: str) -> Coalesce:
    """Return the SQL expression that counts how many `rows` belong to each `User`."""
    own = rows.filter(**{whose: OuterRef("pk")}).order_by().values(whose)
    return Coalesce(Subquery(own.values(n=Count("pk")), output_field=IntegerField()), 0)
