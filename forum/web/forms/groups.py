"""The field for a post's groups: checkboxes, and a text box for short names."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from forum.models import Group
from forum.queries.group_choices import offered, open_topics
from forum.queries.groups import close_names, directory

MOST = 3
"""The most groups that a post can be in."""
SEPARATOR = re.compile(r"[\s,\uff0c\u3001]+")
"""Separators between typed names: white space and commas, including Chinese and Japanese ones."""
LONGEST = 5_000
"""How many characters of the submitted group names are read. The site's form never sends more."""
SLUG = re.compile(r"[a-z0-9.-]+")
"""Matches names that can be looked up in SQL. For some other characters, PostgreSQL raises an
error.
"""


class GroupsField(forms.Field):
    """A field for one to three groups, chosen with checkboxes or by typing their short names."""

    widget = forms.SelectMultiple

    def to_python(self, value: Any) -> list[str]:
        return list(dict.fromkeys(map(directory.current, names(value or []))))

    def clean(self, value: Any) -> list[Group]:
        """Return the groups in the order of the submitted names."""
        slugs = self.to_python(value)
        if not slugs:
            raise ValidationError(_("Choose one to three groups."), "count")
        if len(slugs) > MOST:
            message = _("Choose at most three groups (you chose %(count)s).")
            raise ValidationError(message, "count", {"count": len(slugs)})
        known = [name for name in slugs if SLUG.fullmatch(name)]
        found = {group.slug: group for group in Group.objects.filter(slug__in=known)}
        unknown = tuple(name for name in slugs if name not in found)
        if unknown:
            raise ValidationError([_explain(name) for name in unknown])
        return [found[name] for name in slugs]

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether the chosen groups differ from the initial groups. The order doesn't
        matter.
        """
        return set(names(initial or [])) != set(self.to_python(data))


class GroupChoices:
    """The data that a template needs to show checkboxes for a form's "groups" field."""

    def __init__(self, form: forms.Form) -> None:
        bound = form["groups"]
        self.errors = bound.errors
        chosen = GroupsField().to_python(bound.value())
        self.topics = [(topic, topic.slug in chosen) for topic in offered(chosen)]
        known = {topic.slug for topic, _ticked in self.topics}
        self.typed = ", ".join(name for name in chosen if name not in known)
        self.incomplete = bool(self.typed) or len(self.topics) < len(open_topics())


def names(values: Sequence[str]) -> list[str]:
    """Split submitted values into short names of groups, in lower case and without duplicates."""
    words = SEPARATOR.split(" ".join(map(str, values))[:LONGEST].lower())
    return list(dict.fromkeys(word for word in words if word))


def refuse_closed(groups: Sequence[Group], current: Sequence[str] = ()) -> None:
    """Raise ValidationError if any group accepts no new posts. Groups in `current` are always
    allowed.
    """
    closed = [group.title for group in groups if group.closed and group.slug not in current]
    if closed:
        message = ngettext(
            "%(groups)s is closed to new posts. Choose another group.",
            "%(groups)s are closed to new posts. Choose other groups.",
            len(closed),
        )
        raise ValidationError(message, "closed", {"groups": _(", ").join(closed)})


def _explain(name: str) -> str:
    close = close_names((name,), directory.topics())
    if not close:
        return _("There is no group “%(name)s”.") % {"name": name}
    return _("There is no group “%(name)s”. Did you mean %(close)s?") % {
        "name": name,
        "close": close[0].slug,
    }
