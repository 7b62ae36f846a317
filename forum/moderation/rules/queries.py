"""Reads automatic rules for the pages about them."""

from django.db.models import QuerySet

from forum.models import Group, Rule
from forum.models.powers import Powers


def rules_of(group: Group | None) -> QuerySet[Rule]:
    """Return the rules of a group, or of the site (None), enabled ones first. One query."""
    return Rule.objects.filter(group=group).order_by("-enabled", "name", "pk")


def groups_with_rules(powers: Powers) -> QuerySet[Group]:
    """Return the groups whose rules a person may want to see. One query.

    For people who read everything these are all groups; for others those that they moderate.
    """
    found = Group.objects.filter(merged_into=None).order_by("title")
    return found if powers.reads_everything else found.filter(pk__in=powers.group_ids)
