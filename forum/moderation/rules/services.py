"""Saves, enables and deletes automatic rules.

Before moderators enable a rule, they can try it on recent posts and comments (`trial`). When a
rule's conditions change, the rule is disabled until somebody enables it again.
"""

from django.db import transaction
from django.utils.translation import gettext as _

from forum.actions.rules import enabled
from forum.errors import Invalid
from forum.identity import permissions
from forum.models import Group, ModAction, Rule, User

MOST = 100
"""The most rules that a group can have, and the most rules that the site can have."""
CONDITIONS = (
    *("about", "younger_than_days", "karma_below", "domains", "words", "flags_at_least"),
    "effect",
)
"""The fields of a rule that decide when it applies and what it does."""


@transaction.atomic
def save(rule: Rule, *, by: User) -> None:
    """Save a new or changed rule. A new rule, or a rule with changed conditions, is disabled.

    Raises Forbidden if the person `by` may not change the rules, and Invalid if the group or site
    already has `MOST` rules.
    """
    permissions.require_changing_rules(by, rule.group)
    before = Rule.objects.filter(pk=rule.pk).first() if rule.pk else None
    if before is None:
        require_room(rule.group)
        rule.created_by = by
    same = before and all(getattr(before, name) == getattr(rule, name) for name in CONDITIONS)
    rule.enabled = bool(before and same and before.enabled)
    rule.save()
    transaction.on_commit(enabled.forget)


def require_room(group: Group | None) -> None:
    """Raise Invalid if `group` (None means the site) has `MOST` rules already."""
    if Rule.objects.filter(group=group).count() >= MOST:
        raise Invalid(_("There are too many rules. Delete some first."))


@transaction.atomic
def set_enabled(rule: Rule, on: bool, *, by: User) -> None:
    """Enable or disable a rule. Raises Forbidden if `by` may not change the rules."""
    permissions.require_changing_rules(by, rule.group)
    rule.enabled = on
    rule.save(update_fields=["enabled"])
    transaction.on_commit(enabled.forget)


@transaction.atomic
def delete(rule: Rule, *, by: User) -> None:
    """Delete a rule.

    Raises Forbidden if `by` may not change the rules. Raises Invalid if the moderation log names
    the rule.
    """
    permissions.require_changing_rules(by, rule.group)
    if ModAction.objects.filter(rule=rule).exists():
        raise Invalid(
            _("The moderation log names this rule, so it can't be deleted. Disable it instead.")
        )
    rule.delete()
    transaction.on_commit(enabled.forget)
