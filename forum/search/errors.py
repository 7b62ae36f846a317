"""Errors of searches."""

from django.utils.translation import gettext as _

from forum.errors import DomainError


class SearchTooSlow(DomainError):
    """SQL took too long to find the matches of a search."""

    def __init__(self) -> None:
        super().__init__(
            _("This search takes too long. Please add a longer word, or a group or an author.")
        )
