"""Admin actions with which moderators warn or ban chosen people on the whole site."""

from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from forum.admin.chosen import each, form_page
from forum.identity.viewers import member
from forum.models import User
from forum.moderation import void_links
from forum.moderation.actions import bulk, sanctions
from forum.moderation.people.forms import BioField, DurationForm
from forum.web.forms.reasons import ReasonField, ReasonForm


class BanForm(DurationForm):
    """The duration and the reason of a ban, and whether to remove the bio, too."""

    blanks_bio = BioField(help_text=_("Only with a permanent ban."))
    reason = ReasonField()


@admin.action(description=_("Warn"), permissions=["change"])
def warn_chosen(
    people_admin: "admin.ModelAdmin[Any]", request: HttpRequest, people: QuerySet[User]
) -> HttpResponse | None:
    """Ask for a reason, then warn the chosen people."""
    form = ReasonForm(request.POST if "reason" in request.POST else None)
    if not form.is_valid():
        return form_page(
            people_admin, request, people.order_by("username"), form, "warn_chosen", _("Warn")
        )
    by, reason = member(request), form.cleaned_data["reason"]
    _each_person(request, people, lambda one: sanctions.warn(one, None, by=by, reason=reason))
    return None


@admin.action(description=_("Ban from the site"), permissions=["change"])
def ban_chosen(
    people_admin: "admin.ModelAdmin[Any]", request: HttpRequest, people: QuerySet[User]
) -> HttpResponse | None:
    """Ask for a duration and a reason, then ban the chosen people from the site."""
    form = BanForm(request.POST if "reason" in request.POST else None)
    if not form.is_valid():
        return form_page(
            people_admin,
            request,
            people.order_by("username"),
            form,
            "ban_chosen",
            _("Ban from the site"),
        )
    by, reason, until = member(request), form.cleaned_data["reason"], form.until()
    blanks_bio = form.cleaned_data["blanks_bio"]

    def ban(person: User) -> None:
        sanctions.ban(person, None, by=by, reason=reason, until=until, blanks_bio=blanks_bio)

    offer_voiding(request, _each_person(request, people, ban))
    return None


def offer_voiding(request: HttpRequest, names: Collection[str]) -> None:
    """Add a message that links to the page on which moderators void votes of these people."""
    if names:
        label = gettext("Void votes of these accounts")
        link = format_html('<a href="{}">{}</a>', void_links.address(names), label)
        messages.info(request, link)


class RemovalForm(forms.Form):
    """Asks how many days to look back for posts and comments to remove, and for the reason."""

    days = forms.IntegerField(label=_("Days to look back"), min_value=1, max_value=36_500)
    blanks_bio = BioField()
    reason = ReasonField()


@admin.action(description=_("Remove everything they wrote"), permissions=["change"])
def remove_everything_of_chosen(
    people_admin: "admin.ModelAdmin[Any]", request: HttpRequest, people: QuerySet[User]
) -> HttpResponse | None:
    """Ask for a number of days and a reason, then start a bulk removal for each chosen person.

    The worker then removes all that the person wrote in this number of days before now. A message
    on the page links to the progress of each removal.
    """
    form = RemovalForm(request.POST if "reason" in request.POST else None)
    if not form.is_valid():
        label, name = _("Remove everything they wrote"), "remove_everything_of_chosen"
        return form_page(people_admin, request, people.order_by("username"), form, name, label)
    by, reason, until = member(request), form.cleaned_data["reason"], timezone.now()
    since = until - timedelta(days=form.cleaned_data["days"])
    links: list[tuple[str, str]] = []

    def remove(person: User) -> None:
        action = bulk.remove_everything(
            person,
            group=None,
            since=since,
            until=until,
            by=by,
            reason=reason,
            blanks_bio=form.cleaned_data["blanks_bio"],
        )
        links.append((action.get_absolute_url(), person.username))

    each(request, people.order_by("username"), remove)
    if links:
        sentence = gettext(
            "The posts and comments are being removed. Follow the progress here: {names}."
        )
        names = format_html_join(gettext(", "), '<a href="{}">{}</a>', links)
        messages.success(request, format_html(sentence, names=names))
    return None


@admin.action(description=_("End ban from the site"), permissions=["change"])
def end_bans(
    _people_admin: "admin.ModelAdmin[Any]", request: HttpRequest, people: QuerySet[User]
) -> None:
    """End the site bans of the chosen people."""
    by = member(request)
    _each_person(request, people, lambda one: sanctions.unban(one, None, by=by))


def _each_person(
    request: HttpRequest, people: QuerySet[User], act: Callable[[User], object]
) -> list[str]:
    """Call `act` for each chosen person. Messages name the people for whom it worked or failed.

    Returns the names of those for whom it worked.
    """
    if done := each(request, people.order_by("username"), act):
        names = {"names": gettext(", ").join(done)}
        messages.success(request, gettext("This action succeeded for: %(names)s.") % names)
    return done
