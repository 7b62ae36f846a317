"""URLs of the pages about automatic rules."""

from django.urls import path

from forum.moderation.rules import views

urlpatterns = [
    path("moderation/rules", views.site_rules, name="site_rules"),
    path("g/<str:slug>/automatic-rules", views.group_rules, name="group_rules"),
    path("moderation/rules/<id:rule_id>", views.rule, name="rule"),
    path("moderation/rules/<id:rule_id>/enable", views.enable, name="rule_enable"),
    path("moderation/rules/<id:rule_id>/delete", views.delete, name="rule_delete"),
]
