"""Notify authors of what staff change in their posts, without naming the moderator."""

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import override

from forum.content import staff_log
from forum.inbox import notifications
from forum.models import Group, Post, User
from forum.text.sentences import join_sentences


def editor(post: Post, by: User | None) -> User | None:
    """Return the member of staff who changes a post; None if its author or the site does."""
    return by if by is not None and by.pk != post.author_id else None


def notify(
    post: Post,
    by: User | None,
    *,
    reworded: bool,
    groups: Iterable[Group] | None = None,
) -> None:
    """Log that staff changed the text of a post or moved it to `groups`, and notify its author.

    Call it in the transaction of the change. No query if the author made the change.
    """
    staff = editor(post, by)
    if staff is None:
        return
    with override(post.author.mail_language):
        text = join_sentences(*_sentences(reworded, groups))
    notifications.moderator_message(post.author, text, staff, post)
    staff_log.changed(staff, [post], _("Edited.") if reworded else _("Moved to other groups."))


def _sentences(reworded: bool, groups: Iterable[Group] | None) -> list[str]:
    sentences = []
    if reworded:
        sentences.append(
            _("A moderator edited your post. See its edit history for the earlier version.")
        )
    if groups is not None:
        names = {"groups": _(", ").join(group.title for group in groups)}
        sentences.append(_("A moderator moved your post. It is now in %(groups)s.") % names)
    return sentences
