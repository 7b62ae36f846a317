"""Sends preview images to chat apps and search engines."""

from functools import lru_cache

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers, patch_cache_control

from forum.models import Post
from forum.previews.card import PreviewCard
from forum.previews.drawing import draw
from forum.previews.services import find_image
from forum.web.methods import require_safe

YEAR, DAY, MINUTE = 31_536_000, 86_400, 60
SOON = 5
"""Seconds after which to ask again for an image that the worker has yet to draw."""


@require_safe
def post_image(_request: HttpRequest, post_id: int, digest: str) -> HttpResponse:
    """Send a post's image. Until it is drawn, answer 404 with `Retry-After`.

    Chat apps keep the first image that they get, so another image would be worse than none. The
    URL contains a hash of the content, so caches may keep the image for a year. Raises Http404 if
    there is no such post, or if readers can't see it.
    """
    try:
        found = find_image(post_id, digest)
    except Post.DoesNotExist as error:
        raise Http404("no such post") from error
    if found.is_exact:
        return _png(found.png, max_age=YEAR, immutable=True)
    if found.png:
        return _png(found.png, max_age=MINUTE)
    missing = HttpResponse(status=404)
    add_never_cache_headers(missing)
    if found.is_expected:
        missing["Retry-After"] = str(SOON)
    return missing


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
