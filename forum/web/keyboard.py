"""Keyboard shortcuts. `static/keys.js` has what each key does; the page about them is made here."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Shortcut(NamedTuple):
    """Keys that are pressed one after the other, and what they do."""

    keys: tuple[str, ...]
    effect: str | Promise


SHORTCUTS: tuple[tuple[str | Promise, tuple[Shortcut, ...]], ...] = (
    (
        _("Moving"),
        (
            Shortcut(("j",), _("Next post, comment or notification")),
            Shortcut(("k",), _("Previous post, comment or notification")),
            Shortcut(("p",), _("Parent of a comment")),
            Shortcut(("]",), _("Next comment on the same level")),
            Shortcut(("[",), _("Previous comment on the same level")),
            Shortcut(("n",), _("Next new comment")),
        ),
    ),
    (
        _("Acting"),
        (
            Shortcut(("a",), _("Vote up, or take the vote back")),
            Shortcut(("z",), _("Vote down, or take the vote back")),
            Shortcut(("Enter",), _("Open the post, comment or notification")),
            Shortcut(("c",), _("Comments")),
            Shortcut(("r",), _("Reply")),
            Shortcut(("e",), _("Edit what you wrote")),
            Shortcut(("x",), _("Fold or unfold a comment")),
            Shortcut(("s",), _("Save, or remove from your saved posts")),
            Shortcut(("h",), _("Hide a post")),
            Shortcut(("f",), _("Follow a group or person, or watch a thread")),
        ),
    ),
    (
        _("Going"),
        (
            Shortcut(("g", "h"), _("Front page")),
            Shortcut(("g", "n"), _("New posts")),
            Shortcut(("g", "i"), _("Inbox")),
            Shortcut(("/",), _("Search")),
            Shortcut(("?",), _("These shortcuts")),
        ),
    ),
    (_("Writing"), (Shortcut(("Ctrl+Enter",), _("Send")),)),
)
"""The shortcuts by heading."""
