"""URLs of the pages about a group's moderators."""

from django.urls import path

from forum.moderation.roles import views

urlpatterns = [
    path("g/<str:slug>/moderators", views.moderators, name="group_moderators"),
    path("g/<str:slug>/moderators/setting", views.let_appoint, name="group_let_appoint"),
    path(
        "g/<str:slug>/moderators/<str:username>/remove", views.remove, name="group_moderator_remove"
    ),
]
