"""The URL of the page that removes everything that a person wrote."""

from django.urls import path

from forum.moderation.bulk import views

urlpatterns = [
    path(
        "moderation/people/<str:username>/remove-everything",
        views.remove_everything,
        name="remove_everything",
    ),
]
