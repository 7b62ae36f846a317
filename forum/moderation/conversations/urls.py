"""URLs of conversations between people and moderators."""

from django.urls import path

from forum.moderation.conversations import views

urlpatterns = [
    path("conversations", views.mine, name="conversations"),
    path("conversations/write", views.write, name="conversation_write"),
    path("conversations/<id:conversation_id>", views.conversation, name="conversation"),
    path("conversations/<id:conversation_id>/close", views.close, name="conversation_close"),
    path("moderation/conversations", views.for_moderators, name="moderation_conversations"),
]
