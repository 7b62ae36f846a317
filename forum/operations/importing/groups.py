"""The groups that written posts go into."""

from collections.abc import Sequence

from forum.models import Group


def ensure(groups: Sequence[Group]) -> dict[str, Group]:
    """Return the groups by slug; missing ones are made, those there are stay as they are.

    Two queries.
    """
    Group.objects.bulk_create(groups, ignore_conflicts=True)
    return Group.objects.in_bulk([group.slug for group in groups], field_name="slug")
