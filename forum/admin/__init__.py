"""Django admin: one module for each kind of record."""

from forum.admin import (
    comments,
    failed_mails,
    groups,
    mod_actions,
    people,
    personal_data,
    posts,
    privileges,
    queue,
    second_factors,
    security_log,
    staff_log,
    vote_values,
    votes,
)
from forum.admin.owner_texts import admin as owner_texts
from forum.moderation.policy import admin as policy
from forum.moderation.rules import admin as rules

__all__ = [
    "comments",
    "failed_mails",
    "groups",
    "mod_actions",
    "owner_texts",
    "people",
    "personal_data",
    "policy",
    "posts",
    "privileges",
    "queue",
    "rules",
    "second_factors",
    "security_log",
    "staff_log",
    "vote_values",
    "votes",
]
