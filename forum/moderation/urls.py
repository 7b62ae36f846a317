"""All URLs of moderation. Each part of the feature has a `urls.py` of its own."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
