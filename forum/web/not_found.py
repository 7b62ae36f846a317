"""Errors that become a 404 page with suggestions."""

from django.http import Http404


class NoSuchPage(Http404):
    """The page number is past the end of a listing.

    `pages` is the number of pages, and `last_url` is the URL of the last page.
    """

    def __init__(self, pages: int, last_url: str) -> None:
        super().__init__(f"the last page is {pages}")
        self.pages = pages
        self.last_url = last_url


class NoSuchPerson(Http404):
    """Nobody has this user name."""


class NoSuchGroup(Http404):
    """A group in the URL doesn't exist, or an expression such as `a+b` is invalid.

    `names` contains the names of unknown groups. If an expression is invalid, `reason` says why.
    """

    def __init__(self, *names: str, reason: str = "") -> None:
        super().__init__(reason or ", ".join(names))
        self.names = names
        self.reason = reason
