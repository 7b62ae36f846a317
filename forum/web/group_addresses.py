"""Finds the groups that a URL names: one group, or combined groups such as `books+science`."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from forum.queries.groups import Topic, directory
from forum.web.not_found import NoSuchGroup
from voting.errors import InvalidMix
from voting.service import parse_mix
from voting.types import Mix, Operator


@dataclass(frozen=True, slots=True)
class GroupAddress:
    """The groups that a URL names: one group, or combined groups such as `books+science`."""

    parsed: str | Mix
    """The group's short name, or the mix."""
    expr: str
    """The part of the URL that names the groups, with their current names."""
    topics: tuple[Topic, ...]
    operator: str
    """The sign between the names of a mix; "" for a single group."""
    renamed: bool
    """Whether the URL has an old name of a group."""

    @property
    def title(self) -> str:
        """The titles of the groups, joined by the operator: `Books + Science`, for example."""
        return f" {self.operator} ".join(topic.title for topic in self.topics)


def find(expr: str) -> GroupAddress:
    """Return the groups in a URL.

    Raises NoSuchGroup if a group doesn't exist, or if an expression such as `a+b` is invalid.
    """
    try:
        parsed = parse_mix(expr.lower())
    except InvalidMix as error:
        raise NoSuchGroup(reason=why_not(expr.lower())) from error
    slugs, operator = _parts(parsed)
    current = tuple(map(directory.current, slugs))
    return GroupAddress(
        parsed,
        operator.join(current),
        find_all(current),
        operator,
        renamed=slugs != current,
    )


def find_all(slugs: tuple[str, ...]) -> tuple[Topic, ...]:
    """Return the groups with these short names. Raises NoSuchGroup if a group doesn't exist."""
    found = {slug: directory.find(slug) for slug in slugs}
    unknown = [slug for slug, topic in found.items() if topic is None]
    if unknown:
        raise NoSuchGroup(*unknown)
    return tuple(topic for topic in found.values() if topic)


def why_not(expr: str) -> str:
    """Return the sentence that says why an expression such as `books+` is invalid."""
    signs = [sign for sign in Operator if sign in expr]
    first, *others = expr.split(signs[0])
    if len(signs) == 1 and "" in {first, *others}:
        return _(
            "A group name is missing. Each +, & or ~ must"
            " be between two group names, as in books+science."
        )
    if signs == [Operator.WITHOUT] and first in others:
        return _("The groups before and after ~ must be different.")
    return _("Use only one kind of sign (+, & or ~) and at most four groups.")


def _parts(parsed: str | Mix) -> tuple[tuple[str, ...], str]:
    """Return the short names in an expression such as `a+b`, and its operator.

    The operator is "" if the expression names only one group.
    """
    return (parsed.groups, parsed.operator) if isinstance(parsed, Mix) else ((parsed,), "")
