"""404 errors with suggestions for the person."""

from django.http import Http404


class NoSuchPage(Http404):
    """A page past the end of a listing with `pages` pages; `last_url` is the last one."""

    def __init__(self, pages: int, last_url: str) -> None:
        super().__init__(f"the last page is {pages}")
        self.pages = pages
        self.last_url = last_url


class NoSuchPerson(Http404):
    """A user name that nobody has."""


class NoSuchGroup(Http404):
    """A group that doesn't exist: `wanted` are the unknown names. If the address is no valid mix,
    there are none and `reason` says why.
    """

    def __init__(self, *wanted: str, reason: str = "") -> None:
        super().__init__(reason or ", ".join(wanted))
        self.wanted = wanted
        self.reason = reason
