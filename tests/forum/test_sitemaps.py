"""Sitemaps list all public pages. Each part of a sitemap costs the same on a site of any size."""

from xml.etree import ElementTree as ET

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from forum.actions import posts as post_actions
from forum.models import Post, User
from forum.queries.sitemaps import PART
from tests.forum.comments import add_comment
from tests.forum.factories import groups, post

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
NAMES = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def locations(client: Client, path: str) -> list[str]:
    """Return the paths that a sitemap lists."""
    answer = client.get(path)
    assert answer["Content-Type"] == "application/xml; charset=utf-8"
    found = ET.fromstring(answer.content).iter(f"{NAMES}loc")
    return [(one.text or "").removeprefix(settings.SITE_URL) for one in found]


def test_index_lists_parts_and_parts_list_visible_posts(client: Client, ada: User) -> None:
    groups("books")
    first, deleted = post(ada, "First"), post(ada, "Deleted")
    post_actions.delete(deleted)
    Post.objects.filter(pk=first.pk).update(title="Erste & letzte")
    first.refresh_from_db()
    last = PART * 2 + 1
    Post.objects.create(pk=last, author=ada, kind="text", title="Last", created_at=first.created_at)
    part = -(-first.pk // PART)
    index = locations(client, "/sitemap.xml")
    assert index[0] == "/sitemap-lists.xml"
    assert index[-1] == "/sitemap-posts-3.xml"
    assert locations(client, f"/sitemap-posts-{part}.xml") == [first.get_absolute_url()]
    assert locations(client, "/sitemap-posts-3.xml") == [f"/p/{last}/last"]
    assert "/g/books/" in locations(client, "/sitemap-lists.xml")
    assert client.get("/sitemap-posts-4.xml").status_code == 404
    assert client.get("/sitemap-posts-0.xml").status_code == 404


def test_last_change_is_that_of_the_newest_comment(client: Client, ada: User) -> None:
    written = post(ada)
    Post.objects.filter(pk=written.pk).update(created_at="2020-01-01T00:00Z")
    comment = add_comment(ada, written)
    Post.objects.filter(pk=written.pk).update(commented_at=comment.created_at)
    with CaptureQueriesContext(connection) as queries:
        page = client.get(f"/sitemap-posts-{-(-written.pk // PART)}.xml").content.decode()
    assert f"<lastmod>{comment.created_at.isoformat()}</lastmod>" in page
    assert len(queries) == 2


def test_robots_txt_names_the_sitemap(client: Client) -> None:
    answer = client.get("/robots.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    text = answer.content.decode()
    assert f"Sitemap: {settings.SITE_URL}/sitemap.xml" in text
    assert "Disallow: /search" in text
