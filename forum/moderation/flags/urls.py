"""The URLs of flags."""

from django.urls import path

from forum.moderation.flags import views

urlpatterns = [
    path("p/<id:post_id>/flag", views.flag_post, name="post_flag"),
    path("p/<id:post_id>/c/<id:comment_id>/flag", views.flag_comment, name="comment_flag"),
    path("u/<str:username>/flag", views.flag_person, name="person_flag"),
    path("flags", views.own_flags, name="flags"),
    path("flags/<id:flag_id>/withdraw", views.withdraw, name="flag_withdraw"),
]
