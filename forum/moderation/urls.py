"""All URLs of moderation. Each part of the feature has a `urls.py` of its own."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("forum.moderation.bulk.urls")),
    path("", include("forum.moderation.conversations.urls")),
    path("", include("forum.moderation.flags.urls")),
    path("", include("forum.moderation.joining.urls")),
    path("", include("forum.moderation.log.urls")),
    path("", include("forum.moderation.merging.urls")),
    path("", include("forum.moderation.people.urls")),
    path("", include("forum.moderation.queue.urls")),
    path("", include("forum.moderation.roles.urls")),
    path("", include("forum.moderation.rules.urls")),
    path("", include("forum.moderation.texts.urls")),
]
