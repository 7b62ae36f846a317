"""Opens pages of the site, and finds the posts that a page lists."""

import re

from django.test import Client

from forum.models import User
from tests.forum.factories import reader


def get_html(path: str, viewer: Client | User | None = None) -> str:
    """Return the HTML of a page for a browser, a person or a guest. The status must be 200."""
    window = viewer if isinstance(viewer, Client) else reader(viewer)
    response = window.get(path)
    assert response.status_code == 200, response
    return response.content.decode()


def titles(html: str) -> list[str]:
    """Return the titles of the posts in a list, from top to bottom."""
    return re.findall(r'dir="auto">([^<]+)</a>', html)


def post_ids(html: str) -> list[int]:
    """Return the ids of the posts in a list, from top to bottom."""
    return [int(number) for number in re.findall(r'<article class="row" id="post-(\d+)"', html)]
