"""All URLs of moderation. Each part of the feature has a `urls.py` of its own."""

from django.urls import include, path

urlpatterns = [
    path("", include("forum.moderation.texts.urls")),
]
