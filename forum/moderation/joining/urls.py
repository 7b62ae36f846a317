"""URLs of invitations and applications."""

from django.urls import path

from forum.moderation.joining import views

urlpatterns = [
    path("invitations", views.invitations, name="invitations"),
    path("invitations/tree", views.tree, name="invitation_tree"),
    path("invitations/<id:invitation_id>/revoke", views.revoke, name="invitation_revoke"),
    path("u/<str:username>/invited", views.invited, name="profile_invited"),
    path(
        "moderation/applications/<id:application_id>",
        views.decide,
        name="application_decide",
    ),
]
