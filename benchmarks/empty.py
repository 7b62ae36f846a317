"""A Django site with one empty view: the minimum cost of any page."""

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"])


def nothing(_request: HttpRequest) -> HttpResponse:
    """Return an empty page with a Content-Length header, which Rostra's pages have, too."""
    return HttpResponse(headers={"Content-Length": "0"})


urlpatterns = [path("", nothing)]
application = get_wsgi_application()
