"""Automatic rules in the admin, for admins only. Moderators use the site's own pages."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from forum.identity.viewers import member, powers
from forum.models import ModAction, Rule
from forum.moderation.rules import services
from forum.moderation.rules.forms import FIELDS, RuleForm


@admin.register(Rule)
class RuleAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """The admin of rules. To try out or enable a rule, admins use the rule's page on the site."""

    form = RuleForm
    list_display = ("name", "group", "about", "effect", "enabled", "created_at")
    list_filter = ("enabled", "effect")
    list_select_related = ("group",)
    search_fields = ("name", "words", "domains")
    autocomplete_fields = ("group",)
    fields = ("group", *FIELDS, "enabled", "trial")
    readonly_fields = ("enabled", "trial")
    actions = ("disable",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and powers(request).is_admin

    def has_change_permission(self, request: HttpRequest, obj: Rule | None = None) -> bool:
        return super().has_change_permission(request, obj) and powers(request).is_admin

    def has_delete_permission(self, request: HttpRequest, obj: Rule | None = None) -> bool:
        """Return whether a rule may be deleted. Rules named in the moderation log can't be."""
        allowed = super().has_delete_permission(request, obj) and powers(request).is_admin
        return allowed and obj is not None and not ModAction.objects.filter(rule=obj).exists()

    def get_readonly_fields(self, request: HttpRequest, obj: Rule | None = None) -> tuple[str, ...]:
        """Return the read-only fields. A saved rule can't move to another group."""
        return self.readonly_fields if obj is None else ("group", *self.readonly_fields)

    def save_model(self, request: HttpRequest, obj: Rule, form: Any, change: bool) -> None:
        services.save(obj, by=member(request))

    def delete_model(self, request: HttpRequest, obj: Rule) -> None:
        services.delete(obj, by=member(request))

    @admin.action(description=_("Disable"), permissions=["change"])
    def disable(self, request: HttpRequest, rules: QuerySet[Rule]) -> None:
        """Disable the selected rules."""
        for rule in rules.select_related("group"):
            services.set_enabled(rule, False, by=member(request))

    @admin.display(description=_("test the rule before you enable it"))
    def trial(self, rule: Rule) -> str:
        """Return a link to the page that lists what the rule would have caught."""
        if rule.pk is None:
            return "-"
        address = reverse("rule", args=[rule.pk])
        return format_html('<a href="{}">{}</a>', address, _("What this rule would have caught"))
