"""The URLs of the moderation queue."""

from django.urls import path

from forum.moderation.queue import views

urlpatterns = [
    path("moderation", views.queue, name="queue"),
    path("moderation/items/<id:item_id>", views.item, name="queue_item"),
]
