"""Reads automatic rules for the pages about them."""

from django.db.models import QuerySet

from forum.models import Group, Rule
from forum.models.powers import Powers


def rules_of(group: Group | None) -> QuerySet[Rule]:
    """Return the rules of `group` (None means the site), enabled ones first. One query."""
    return Rule.objects.filter(group=group).order_by("-enabled", "name", "pk")


def groups_with_rules(powers: Powers) -> QuerySet[Group]:
    """Return the groups whose rules a person can open. One query.

    Group moderators can open those of their own groups, site moderators and auditors those of all.
    """
    found = Group.objects.filter(merged_into=None).order_by("title")
    return found if powers.reads_everything else found.filter(pk__in=powers.group_ids)
