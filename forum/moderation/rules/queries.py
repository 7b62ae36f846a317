"""Reads automatic rules for the pages about them."""

from django.db.models import QuerySet

from forum.models import Group, Rule
from forum.models.powers import Powers


def rules_of(group: Group | None) -> QuerySet[Rule]:
    """Return the rules of `group`, or of the site if `group` is None.

    Enabled rules come first.
    """
    return Rule.objects.filter(group=group).order_by("-enabled", "name", "pk")


def groups_with_rules(powers: Powers) -> QuerySet[Group]:
    """Return the groups whose rules a person may see.

    Group moderators may see the rules of their own groups. Site moderators and auditors may see
    the rules of all groups.
    """
    found = Group.objects.filter(merged_into=None).order_by("title")
    return found if powers.reads_everything else found.filter(pk__in=powers.group_ids)
