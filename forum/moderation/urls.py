"""All URLs of moderation, collected from the `urls.py` of each part."""

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
