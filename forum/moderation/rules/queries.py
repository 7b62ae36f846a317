"""Reads automatic rules for the pages about them."""

from django.db.models import QuerySet

from forum.models import Group, Rule
from forum.permissions import Powers


def rules_of(group: Group | None) -> QuerySet[Rule]:
    """Return the rules of a group, or of the site (None), enabled ones first. One query."""
    return Rule.objects.filter(group=group).order_by("-enabled", "name", "pk")


def groups_with_rules(powers: Powers) -> QuerySet[Group]:
    """Return the groups whose rules a person may want to see. One query.

    For people who read everything these are the groups that have rules; for others those that they
    moderate.
    """
    if not powers.reads_everything:
        return Group.objects.filter(pk__in=powers.group_ids).order_by("title")
    return Group.objects.filter(pk__in=Rule.objects.values("group")).order_by("title")
