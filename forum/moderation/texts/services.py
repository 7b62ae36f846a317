"""The actions that moderators can choose on the page for moderating a post or comment."""

from collections.abc import Callable

from forum.actions.queue_items import is_waiting
from forum.actions.visibility import Content
from forum.identity.roles import groups_of
from forum.models import ModAction, Post, User, Withheld
from forum.models.powers import Powers
from forum.moderation.actions import bulk, corrections, decisions, removals, threads, undo

Kind = ModAction.Kind


def available(text: Content, powers: Powers, viewer_id: int) -> list[str]:
    """Return the names of the actions that a moderator can do on a post or comment now."""
    is_own = powers.is_involved(viewer_id, text.author_id)
    if text.withheld in {Withheld.HELD, Withheld.HIDDEN}:
        hidden = text.withheld == Withheld.HIDDEN and powers.is_site_moderator
        restore = ["restore_flagged"] if hidden else []
        return ["remove"] if is_own else ["approve", *restore, "remove"]
    if text.withheld == Withheld.REMOVED:
        return ["undo"]
    if text.deleted_at:
        return ["restore"]
    names = ["dismiss"] if is_waiting(text) and not is_own else []
    if not isinstance(text, Post):
        return [*names, "remove"]
    group_ids = groups_of(text)
    names.append("remove" if powers.moderates_all(group_ids) else "take_out")
    names.append("unlock" if text.locked else "lock")
    names.append("release_replies" if text.holds_replies else "hold_replies")
    return names


def act(
    text: Content, name: str, *, by: User, reason: str, is_private: bool = False
) -> ModAction | None:
    """Do the action called `name` on a post or comment. Return the new action, if any.

    Raises the same errors as the chosen action.
    """
    if name == "remove":
        return removals.remove(text, by=by, reason=reason, is_private=is_private)
    if name in THREADS and isinstance(text, Post):
        return threads.set_thread(text, THREADS[name], by=by, reason=reason)
    if name == "take_out" and isinstance(text, Post):
        return corrections.take_out(text, by=by, reason=reason)
    return DECISIONS[name](text, by, reason)


THREADS = {
    "lock": Kind.LOCK,
    "unlock": Kind.UNLOCK,
    "hold_replies": Kind.HOLD_REPLIES,
    "release_replies": Kind.RELEASE_REPLIES,
}
DECISIONS: dict[str, Callable[[Content, User, str], ModAction | None]] = {
    "approve": lambda text, by, reason: decisions.approve(text, by=by, reason=reason),
    "dismiss": lambda text, by, reason: decisions.dismiss(text, by=by, reason=reason),
    "restore_flagged": lambda text, by, reason: bulk.restore_flagged(text, by=by, reason=reason),
    "restore": lambda text, by, reason: removals.restore(text, by=by, reason=reason),
    "undo": lambda text, by, _reason: undo.bring_back(text, by=by),
}
