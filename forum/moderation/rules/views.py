"""The pages on which admins manage the site's rules, and moderators the rules of their groups."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.errors import Forbidden, Invalid
from forum.identity import permissions
from forum.identity.viewers import member, powers
from forum.models import Group, Rule
from forum.moderation.access import readers_of_queue
from forum.moderation.rules import queries, services, trial
from forum.moderation.rules.forms import RuleForm
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_POST
from forum.web.redirects import redirect_303
from forum.web.switches import switch


@require_form
@readers_of_queue
def site_rules(request: HttpRequest) -> HttpResponse:
    """Show the site's rules and links to groups with rules (GET), or add a site rule (POST)."""
    return _list(request, None)


@require_form
@login_required
def group_rules(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rules of a group (GET), or add a rule (POST)."""
    group = get_object_or_404(Group, slug=slug, merged_into=None)
    permissions.require_reading_rules(powers(request), group)
    return _list(request, group)


def _list(request: HttpRequest, group: Group | None) -> HttpResponse:
    own = powers(request)
    may_change = permissions.may_change_rules(own, group)
    if request.method == "POST" and not may_change:
        raise Forbidden
    rule = Rule(group=group)
    form = RuleForm(request.POST if request.method == "POST" else None, instance=rule)
    if form.is_valid():
        services.save(rule, by=member(request))
        sentence = _("The rule was saved. Look at what it would have caught, then enable it.")
        messages.success(request, sentence)
        return redirect_303(reverse("rule", args=[rule.pk]))
    context = {
        "group": group,
        "rules": queries.rules_of(group) if group or own.reads_everything else (),
        "reads_site": own.reads_everything,
        "groups": () if group else queries.groups_with_rules(own),
        "form": form if may_change else None,
        "nav": "queue",
    }
    return render(request, "moderation/rules.html", context, status=422 if form.is_bound else 200)


@require_form
@login_required
def rule(request: HttpRequest, rule_id: int) -> HttpResponse:
    """Show a rule and what it would have caught (GET), or save changes to the rule (POST).

    Trying the rule takes `trial.SECONDS` at most.
    """
    found, own = _found(rule_id), powers(request)
    permissions.require_reading_rules(own, found.group)
    may_change = permissions.may_change_rules(own, found.group)
    if request.method == "POST" and not may_change:
        raise Forbidden
    form = RuleForm(request.POST if request.method == "POST" else None, instance=found)
    if form.is_valid():
        services.save(found, by=member(request))
        if found.enabled:
            sentence = _("Your changes were saved.")
        else:
            sentence = _("The rule was saved. Look at what it would have caught, then enable it.")
        messages.success(request, sentence)
        return redirect_303(reverse("rule", args=[found.pk]))
    saved = _found(rule_id) if form.is_bound else found
    context = {
        "rule": saved,
        "trial": trial.run(saved),
        "form": form if may_change else None,
        "back": _address(saved),
        "nav": "queue",
    }
    return render(request, "moderation/rule.html", context, status=422 if form.is_bound else 200)


@switch
@login_required
def enable(request: HttpRequest, rule_id: int, *, on: bool) -> HttpResponse:
    """Enable or disable a rule."""
    found = _found(rule_id)
    services.set_enabled(found, on, by=member(request))
    messages.success(request, _("The rule is enabled.") if on else _("The rule is disabled."))
    return redirect_303(reverse("rule", args=[found.pk]))


@require_POST
@login_required
def delete(request: HttpRequest, rule_id: int) -> HttpResponse:
    """Delete a rule."""
    found = _found(rule_id)
    try:
        services.delete(found, by=member(request))
    except Invalid as error:
        messages.error(request, str(error))
        return redirect_303(reverse("rule", args=[found.pk]))
    messages.success(request, _("The rule “%(name)s” was deleted.") % {"name": found.name})
    return redirect_303(_address(found))


def _found(rule_id: int) -> Rule:
    return get_object_or_404(Rule.objects.select_related("group"), pk=rule_id)


def _address(rule: Rule) -> str:
    return reverse("group_rules", args=[rule.group.slug]) if rule.group else reverse("site_rules")
