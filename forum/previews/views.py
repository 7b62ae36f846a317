"""Sends preview images to chat apps and search engines."""

from functools import lru_cache

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control

from forum.models import Post
from forum.previews.card import PreviewCard
from forum.previews.drawing import draw
from forum.previews.services import find_image
from forum.web.methods import require_safe

YEAR, DAY, MINUTE = 31_536_000, 86_400, 60


@require_safe
def post_image(_request: HttpRequest, post_id: int, digest: str) -> HttpResponse:
    """Send a post's image. Until it is drawn, send the post's older image or the site's image.

    The URL contains a hash of the content, so caches may keep the image for a year. Raises
    Http404 if there is no such post, or if readers can't see it.
    """
    try:
        found = find_image(post_id, digest)
    except Post.DoesNotExist as error:
        raise Http404("no such post") from error
    if found is None:
        return _png(_draw_site(settings.SITE_NAME), max_age=MINUTE)
    if found.digest != digest:
        return _png(bytes(found.png), max_age=MINUTE)
    return _png(bytes(found.png), max_age=YEAR, immutable=True)


@require_safe
def site_image(_request: HttpRequest) -> HttpResponse:
    """Send an image with the site's name, for pages that aren't about a post."""
    return _png(_draw_site(settings.SITE_NAME), max_age=DAY)


@lru_cache(maxsize=1)
def _draw_site(name: str) -> bytes:
    return draw(PreviewCard.of(name, (), 0))


def _png(content: bytes, **caching: int | bool) -> HttpResponse:
    response = HttpResponse(content, content_type="image/png")
    patch_cache_control(response, public=True, **caching)
    return response
