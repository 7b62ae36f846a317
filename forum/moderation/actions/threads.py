"""Locks threads, and makes their new replies wait for approval."""

from django.db import transaction

from forum.actions.action_log import record
from forum.actions.notices import notify
from forum.actions.visibility import Content
from forum.errors import Gone
from forum.identity import roles
from forum.models import ModAction, Post, User
from forum.moderation.actions import scope
from forum.store import outbox
from forum.store.post_sync import PostSync

Kind = ModAction.Kind
FIELDS = {
    Kind.LOCK: ("locked", True),
    Kind.UNLOCK: ("locked", False),
    Kind.HOLD_REPLIES: ("holds_replies", True),
    Kind.RELEASE_REPLIES: ("holds_replies", False),
}
"""For each kind of action, the field of the post that the action sets, and the new value."""


@transaction.atomic
def set_thread(text: Content, kind: ModAction.Kind, *, by: User, reason: str) -> ModAction | None:
    """Lock or unlock a thread, or set whether its new replies wait for a moderator's approval.

    `text` is the thread's post or one of its comments, and `kind` says which of these to do (see
    `FIELDS`). Returns None if nothing would change. Raises Forbidden if `by` doesn't moderate the
    post, and Gone if the post isn't visible.
    """
    post = scope.post_of(text)
    roles.require_moderator(by, post)
    current = Post.objects.locked(post.pk)
    if current.deleted_at:
        raise Gone(current)
    name, value = FIELDS[kind]
    if getattr(current, name) == value:
        return None
    _set(current, name, value)
    setattr(post, name, value)
    group = roles.acting_group(by, post)
    action = record(kind, post, by=by, group=group, reason=reason)
    notify(action)
    return action


def undo_thread(action: ModAction) -> None:
    """Undo an action that locked or unlocked a thread, or set whether its replies need approval.

    Afterwards, the newest such action that hasn't been undone applies. If there is none, the thread
    is unlocked, or its replies appear without approval.
    """
    post = Post.objects.locked(scope.text_of(action).pk)
    name, _value = FIELDS[ModAction.Kind(action.kind)]
    kinds = [kind for kind, (field, _) in FIELDS.items() if field == name]
    others = ModAction.objects.filter(post=post, kind__in=kinds, undone_at=None)
    newest = others.exclude(pk=action.pk).order_by("-pk").first()
    _set(post, name, FIELDS[ModAction.Kind(newest.kind)][1] if newest else False)


def _set(post: Post, name: str, value: bool) -> None:
    setattr(post, name, value)
    post.version += 1
    post.save(update_fields=[name, "version"])
    outbox.add(PostSync(post.pk))
