"""The URLs of searches."""

from django.urls import path

from forum.search import views

urlpatterns = [
    path("search", views.search, name="search"),
    path("search/saved", views.save, name="search_save"),
    path("search/saved/<id:search_id>/delete", views.delete, name="search_delete"),
    path("opensearch.xml", views.description, name="opensearch"),
]
