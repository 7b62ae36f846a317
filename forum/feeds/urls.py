"""The URLs of feeds: the page's URL plus ".atom", or plus "feed.atom" if it ends with a slash."""

from django.urls import path

from forum.feeds import private_views, views

urlpatterns = [
    path("feed.atom", views.listing, name="feed"),
    path("<order:order>.atom", views.listing, name="feed_listing"),
    path("comments.atom", views.comments, name="feed_comments"),
    path("search.atom", views.search, name="feed_search"),
    path("modlog.atom", views.log, name="feed_modlog"),
    path("g/<str:expr>/feed.atom", views.group, name="feed_group"),
    path("g/<str:expr>/<order:order>.atom", views.group, name="feed_group_listing"),
    path("u/<str:username>/feed.atom", views.profile, name="feed_profile"),
    path("u/<str:username>/comments.atom", views.profile_comments, name="feed_profile_comments"),
    path("site/<str:host>/feed.atom", views.site, name="feed_site"),
    path("site/<str:host>/<order:order>.atom", views.site, name="feed_site_listing"),
    path("day/<day:day>.atom", views.day, name="feed_day"),
    path("week/<week:monday>.atom", views.week, name="feed_week"),
    path("p/<id:post_id>.atom", views.thread, name="feed_thread"),
    path("p/<id:post_id>/c/<id:comment_id>.atom", views.branch, name="feed_branch"),
    path("feeds/<str:key>/<str:name>.atom", private_views.feed, name="feed_private"),
    path("preferences/feeds", private_views.addresses, name="feed_addresses"),
    path("preferences/feeds/revoke", private_views.revoke, name="feed_revoke"),
]
