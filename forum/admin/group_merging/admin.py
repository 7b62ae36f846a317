"""The admin page that merges one group into another."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.admin.group_merging import services
from forum.admin.group_merging.services import CannotMerge
from forum.identity.viewers import member
from forum.models import Group


class MergeForm(forms.Form):
    """Asks which group to merge into, and for a confirmation."""

    target = forms.ModelChoiceField(Group.objects.none(), label=gettext_lazy("Merge into"))
    sure = forms.BooleanField(label=gettext_lazy("Yes, merge the groups. This can't be undone."))

    def __init__(self, source: Group, data: Any = None) -> None:
        super().__init__(data)
        others = Group.objects.filter(merged_into=None).exclude(pk=source.pk)
        self.fields["target"].queryset = others  # type: ignore[attr-defined]


def merge_page(request: HttpRequest, source: Group) -> HttpResponse:
    """Show the form to merge a group into another (GET), and start the merge (POST)."""
    form = MergeForm(source, request.POST or None)
    if form.is_valid():
        target: Group = form.cleaned_data["target"]
        try:
            services.merge(source=source, target=target, by=member(request))
        except CannotMerge:
            form.add_error(None, _("One of these groups is already being merged."))
        else:
            message = _("%(source)s is being merged into %(target)s.")
            names = {"source": source.title, "target": target.title}
            messages.success(request, message % names)
            return HttpResponseRedirect(reverse("admin:forum_group_changelist"))
    context = {
        **admin.site.each_context(request),
        "title": _("Merge “%(group)s” into another group") % {"group": source.title},
        "form": form,
        "original": source,
        "opts": source._meta,
    }
    return TemplateResponse(request, "admin/merge_group.html", context)
