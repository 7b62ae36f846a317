"""The URL of the page that merges posts."""

from django.urls import path

from forum.moderation.merging import views

urlpatterns = [path("p/<id:post_id>/merge", views.merge, name="post_merge")]
