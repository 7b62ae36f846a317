"""The URLs of the API."""

from django.urls import path

from forum.api import lobsters, token_views, views
from forum.api.application import api

urlpatterns = [
    path("api/v1/docs", views.documentation, name="api_docs"),
    path("api/v1/", api.urls),
    path("preferences/tokens", token_views.page, name="api_tokens"),
    path("preferences/tokens/<id:token_id>/revoke", token_views.revoke, name="api_token_revoke"),
    path("hottest.json", lobsters.hottest, name="lobsters_hottest"),
    path("newest.json", lobsters.newest, name="lobsters_newest"),
    path("page/<id:page>.json", lobsters.hottest, name="lobsters_hottest_page"),
    path("newest/page/<id:page>.json", lobsters.newest, name="lobsters_newest_page"),
    path("t/<str:group>.json", lobsters.of_group, name="lobsters_group"),
    path("t/<str:group>/page/<id:page>.json", lobsters.of_group, name="lobsters_group_page"),
    path("s/<id:post_id>.json", lobsters.story, name="lobsters_story"),
]
