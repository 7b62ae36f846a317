"""The powers of moderators, admins and auditors."""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Powers:
    """The rights that a person has as a moderator, as an admin or as an auditor.

    In production, people without two-factor authentication have no powers.
    """

    is_admin: bool = False
    is_site_moderator: bool = False
    """Whether the person moderates the whole site. Also true for admins."""
    is_auditor: bool = False
    group_ids: frozenset[int] = frozenset()
    """The groups that the person moderates."""
    needs_second_factor: bool = False
    """Whether the person has no powers because two-factor authentication isn't set up."""

    @property
    def moderates(self) -> bool:
        """Return whether the person moderates the site or any group."""
        return self.is_site_moderator or bool(self.group_ids)

    @property
    def reads_everything(self) -> bool:
        """Return whether the person may read all that the site's moderators see."""
        return self.is_site_moderator or self.is_auditor

    @property
    def reads_queue(self) -> bool:
        """Return whether the person may open the moderation queue."""
        return self.reads_everything or bool(self.group_ids)

    def moderates_in(self, group_id: int | None) -> bool:
        """Return whether the person moderates a group, or the site if `group_id` is None."""
        return self.is_site_moderator or group_id in self.group_ids

    def moderates_some(self, group_ids: Collection[int]) -> bool:
        """Return whether the person moderates one of these groups, or the whole site."""
        return self.is_site_moderator or not self.group_ids.isdisjoint(group_ids)

    def moderates_all(self, group_ids: Collection[int]) -> bool:
        """Return whether the person moderates each of these groups, or the whole site."""
        return self.is_site_moderator or (bool(group_ids) and self.group_ids.issuperset(group_ids))

    def is_involved(self, person_id: int, author_id: int | None) -> bool:
        """Return whether a decision is about the person's own account, post or comment.

        Always False for admins, who may decide about their own account, posts and comments.
        """
        return person_id == author_id and not self.is_admin


NO_POWERS = Powers()
