"""Addresses that lead nowhere, with what would help the person who came."""

from django.http import Http404


class NoSuchPage(Http404):
    """A page past the end of a listing that has `pages` pages; `last_url` leads to the last."""

    def __init__(self, pages: int, last_url: str) -> None:
        super().__init__(f"the last page is {pages}")
        self.pages = pages
        self.last_url = last_url


class NoSuchPerson(Http404):
    """A name that nobody has."""


class NoSuchGroup(Http404):
    """A group that does not exist. `wanted` are the unknown names, none where it is a combination
    of groups that can't be read: `reason` then says why.
    """

    def __init__(self, *wanted: str, reason: str = "") -> None:
        super().__init__(reason or ", ".join(wanted))
        self.wanted = wanted
        self.reason = reason
