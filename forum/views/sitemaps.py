"""The pages for search engines: robots.txt and the sitemaps."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from forum.queries import sitemaps
from forum.web.methods import require_safe

XML = "application/xml; charset=utf-8"


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Return robots.txt: the pages that search engines should leave out, and the sitemap's URL."""
    context = {"sitemap": settings.SITE_URL + reverse("sitemap")}
    return render(request, "robots.txt", context, content_type="text/plain; charset=utf-8")


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List all sitemaps."""
    parts = range(1, sitemaps.count_of_parts() + 1)
    paths = [
        reverse("sitemap_lists"),
        *(reverse("sitemap_posts", args=[part]) for part in parts),
    ]
    context = {"site": settings.SITE_URL, "paths": paths}
    return render(request, "sitemap_index.xml", context, content_type=XML)


@require_safe
def lists(request: HttpRequest) -> HttpResponse:
    """Show the part of the sitemap that contains the site's lists and groups."""
    context = {"site": settings.SITE_URL, "addresses": list(sitemaps.lists())}
    return render(request, "sitemap.xml", context, content_type=XML)


@require_safe
def posts(request: HttpRequest, part: int) -> HttpResponse:
    """List the addresses of one part of the posts.

    Raises Http404 if there is no such part.
    """
    if not 1 <= part <= sitemaps.count_of_parts():
        raise Http404("no such part")
    context = {"site": settings.SITE_URL, "addresses": list(sitemaps.posts(part))}
    return render(request, "sitemap.xml", context, content_type=XML)
