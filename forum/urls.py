"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path, register_converter
from django.urls.converters import StringConverter

from forum.views import (
    editing,
    errors,
    groups,
    listings,
    posts,
    profiles,
    static_pages,
    submit,
    votes,
)


class OrderConverter(StringConverter):
    """The orders beside `hot` that have an address of their own."""

    regex = "new|top"


register_converter(OrderConverter, "order")

urlpatterns = [
    path("", listings.front, name="front"),
    path("<order:order>", listings.listing, name="listing"),
    path("g/", groups.index, name="groups"),
    path("g/<str:expr>/", groups.group, name="group"),
    path("g/<str:expr>/<order:order>", groups.group, name="group_listing"),
    path("submit", submit.submit, name="submit"),
    path("u/<str:username>/", profiles.profile, name="profile"),
    path("u/<str:username>/about", profiles.about, name="profile_about"),
    path("p/<int:post_id>", posts.post, name="post_short"),
    path("p/<int:post_id>/vote", votes.post_vote, name="post_vote"),
    path("p/<int:post_id>/edit", editing.edit, name="post_edit"),
    path("p/<int:post_id>/delete", editing.delete, name="post_delete"),
    path("p/<int:post_id>/groups", editing.regroup, name="post_groups"),
    path("p/<int:post_id>/<str:slug>", posts.post, name="post"),
    path("about", static_pages.about, name="about"),
    path("healthz", static_pages.healthz, name="healthz"),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error
