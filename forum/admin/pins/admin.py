"""The admin page on which staff pin a post and unpin it."""

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.admin.pins import services
from forum.admin.pins.services import NotListed, TooManyPins
from forum.identity.viewers import member
from forum.models import Group, Post
from forum.queries.pins import pins_of

TIMES = {
    "1": gettext_lazy("one day"),
    "3": gettext_lazy("three days"),
    "7": gettext_lazy("a week"),
    "30": gettext_lazy("30 days"),
    "": gettext_lazy("until it is unpinned"),
}
"""Choices for how long a post is pinned, in days."""
SITE = "site"


class PinForm(forms.Form):
    """Asks where to pin a post, and for how long."""

    place = forms.ChoiceField(label=gettext_lazy("Pin to"), widget=forms.RadioSelect)
    days = forms.ChoiceField(
        label=gettext_lazy("Duration"), choices=list(TIMES.items()), required=False, initial="7"
    )

    def __init__(self, post: Post, data: Any = None) -> None:
        super().__init__(data, initial={"place": SITE})
        self._groups = {str(group.pk): group for group in post.groups.all()}
        places = [(SITE, capfirst(services.place_name(None)))]
        places += [(pk, services.place_name(group)) for pk, group in self._groups.items()]
        self.fields["place"].choices = places  # type: ignore[attr-defined]

    def group(self) -> Group | None:
        """Return the group to pin the post in; None for the front page."""
        return self._groups.get(self.cleaned_data["place"])

    def until(self) -> datetime | None:
        """Return when the pin ends; None if the pin has no end."""
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=int(days)) if days else None


def pin_page(request: HttpRequest, post: Post) -> HttpResponse:
    """Show where a post is pinned (GET); pin or unpin the post (POST)."""
    if "unpin" in request.POST:
        _unpin(request, post)
        return HttpResponseRedirect(request.get_full_path())
    form = PinForm(post, request.POST or None)
    if form.is_valid() and _pin(request, post, form):
        return HttpResponseRedirect(request.get_full_path())
    context = {
        **admin.site.each_context(request),
        "title": _("Pin “%(title)s”") % {"title": post.title},
        "form": form,
        "pins": [(pin, services.place_name(pin.group)) for pin in pins_of(post.pk)],
        "now": timezone.now(),
        "original": post,
        "opts": post._meta,
    }
    return TemplateResponse(request, "admin/pin_post.html", context)


def _pin(request: HttpRequest, post: Post, form: PinForm) -> bool:
    """Pin a post and return True.

    If the post can't be pinned, add the reason to the form and return False.
    """
    group = form.group()
    try:
        services.pin(post=post, group=group, until=form.until(), by=member(request))
    except NotListed:
        form.add_error(None, _("The post isn't in the chosen list, so you can't pin it there."))
        return False
    except TooManyPins:
        problem = _("This list already has %(most)d pinned posts. Unpin one first.")
        form.add_error(None, problem % {"most": services.MOST})
        return False
    message = _("The post is pinned to %(place)s.")
    messages.success(request, message % {"place": services.place_name(group)})
    return True


def _unpin(request: HttpRequest, post: Post) -> None:
    pin_id = request.POST["unpin"]
    for pin in pins_of(post.pk):
        if str(pin.pk) == pin_id:
            services.unpin(post=post, group=pin.group, by=member(request))
            messages.success(request, _("The post was unpinned."))
