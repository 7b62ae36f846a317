"""URLs of people's moderation records.

Also the URL of the page on which people see the moderation actions about themselves.
"""

from django.urls import path

from forum.moderation.people import views

urlpatterns = [
    path("conversations/actions", views.own_actions, name="own_actions"),
    path("moderation/people/<str:username>", views.record, name="person_record"),
    path("moderation/people/<str:username>/warn", views.warn, name="person_warn"),
    path("moderation/people/<str:username>/ban", views.ban, name="person_ban"),
    path("moderation/people/<str:username>/unban", views.unban, name="person_unban"),
    path("moderation/people/<str:username>/write", views.write, name="person_write"),
]
