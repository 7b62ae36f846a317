"""Corrections of other people's posts: taking a post out of groups, and undoing an edit.

Moderators edit posts on the same page as authors. `forum.actions.posts` logs such edits.
"""

from django.db import transaction
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from forum.actions import edit_conflicts, group_changes, moderator_edits
from forum.actions import posts as post_actions
from forum.errors import Invalid
from forum.identity import roles
from forum.models import Group, ModAction, Post, User
from forum.models.powers import Powers


def take_out(post: Post, *, by: User, reason: str) -> ModAction | None:
    """Take a post out of the groups that `by` moderates. The post stays in its other groups.

    If the post is in no other group, it returns to the groups that its author left. Returns the log
    entry, or None if `by` wrote the post. Raises Forbidden if `by` moderates none of the groups.
    Raises Invalid if the post would be left without a group.
    """
    powers = roles.powers_of(by)
    roles.require_moderating(powers, roles.groups_of(post))
    rest = [group for group in post.groups.all() if group.pk not in powers.group_ids]
    rest = rest or group_changes.left_groups(post)
    if not rest:
        raise Invalid(_why_last(powers, post))
    return post_actions.regroup(post, rest, by=by, reason=reason)


def _why_last(powers: Powers, post: Post) -> str:
    if powers.moderates_all(roles.governing_ids(post)):
        return _("You can't take a post out of all its groups. Remove the post instead.")
    return _(
        "You can't take a post out of all its groups. Flag it for the site's moderators instead."
    )


@transaction.atomic
def undo_edit(action: ModAction) -> None:
    """Restore the title, text, URL and groups that a post had before an edit.

    Raises Invalid if somebody has edited the post since then, or if the earlier text is no longer
    stored.
    """
    post = Post.objects.prefetch_related("groups").get(pk=action.post_id or 0)
    before = action.details
    if moderator_edits.has_lost_text(action):
        raise Invalid(_("The text before this action is no longer stored."))
    words = {name: before.get(name, getattr(post, name)) for name in moderator_edits.WORDS}
    if edit_conflicts.fingerprint(post) != before["after"]:
        raise Invalid(
            _(
                "Someone edited the post after this action, so the action can't be undone. Edit"
                " the post instead."
            )
        )
    post_actions.change(
        post,
        title=words["title"],
        body=words["body"],
        url=words["url"] if words["url"] != post.url else None,
        groups=list(Group.objects.filter(pk__in=before["groups"])),
    )
    group_changes.restore(post, before.get("group_changes", ()))
    edited_at = before["edited_at"]
    post.edited_at = parse_datetime(edited_at) if edited_at else None
    post.save(update_fields=["edited_at"])
