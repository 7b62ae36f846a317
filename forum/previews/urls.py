"""URLs of preview images."""

from django.urls import path

from forum.previews import views

urlpatterns = [
    path("preview.png", views.site_image, name="site_preview_image"),
    path("preview/<id:post_id>/<str:digest>.png", views.post_image, name="preview_image"),
]
