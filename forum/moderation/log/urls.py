"""The URLs of the moderation log."""

from django.urls import path

from forum.moderation.log import views

urlpatterns = [
    path("modlog", views.log, name="modlog"),
    path("modlog/<id:action_id>", views.entry, name="mod_action"),
    path("modlog/<id:action_id>/undo", views.undo_action, name="mod_action_undo"),
    path("modlog/<id:action_id>/stop", views.stop, name="mod_action_stop"),
]
