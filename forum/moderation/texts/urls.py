"""URLs of the pages on which moderators act on a post or comment."""

from django.urls import path

from forum.moderation.texts import views

urlpatterns = [
    path("p/<id:post_id>/moderate", views.moderate_post, name="moderate_post"),
    path(
        "p/<id:post_id>/c/<id:comment_id>/moderate", views.moderate_comment, name="moderate_comment"
    ),
]
