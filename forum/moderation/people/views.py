"""People's records, and the pages on which moderators warn, ban and write to people."""

from functools import partial
from typing import Any, TypeVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.errors import AlreadyDecided, Forbidden
from forum.identity import permissions, roles
from forum.identity.viewers import member, member_viewer, powers
from forum.models import User
from forum.moderation import void_links
from forum.moderation.access import moderators_only, readers_of_queue
from forum.moderation.actions import sanctions
from forum.moderation.conversations import services as conversations
from forum.moderation.conversations.queries import with_person
from forum.moderation.people import queries, services
from forum.moderation.people.forms import (
    BanForm,
    MessageToPersonForm,
    NoteForm,
    PlaceForm,
    WarningForm,
)
from forum.moderation.results import add_result
from forum.web import addresses, drafts, profile_pages
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_POST, require_safe
from forum.web.problems import Problem, problem_above_form, problem_of
from forum.web.redirects import redirect_303

Form = TypeVar("Form", bound=PlaceForm)


@require_safe
@login_required
def own_actions(request: HttpRequest) -> HttpResponse:
    """Show the viewer all actions about their own posts, comments and account."""
    page = queries.own_actions(member_viewer(request).id, addresses.before(request.GET))
    return render(request, "moderation/people_actions.html", {"page": page, "nav": "inbox"})


@require_form
@readers_of_queue
def record(request: HttpRequest, username: str) -> HttpResponse:
    """Show a person's record to moderators and auditors (GET), or save a note (POST)."""
    sent, allowed = request.method == "POST", powers(request)
    if sent:
        roles.require_moderating(allowed)
    person = _other(request, username) if sent else profile_pages.find(username, unconfirmed=True)
    form = _form(request, NoteForm)
    if form.is_valid():
        text = form.cleaned_data["text"]
        services.write_note(person, form.group(), by=member(request), text=text)
        messages.success(request, _("Your note was saved."))
        return redirect_303(_record(person))
    own = person.pk == member(request).pk
    context = {
        "person": person,
        "own": own,
        "may_act": allowed.moderates and not own,
        "page": queries.actions(person, allowed, addresses.before(request.GET)),
        "numbers": queries.numbers(person),
        "bans": [(one, allowed.moderates_in(one.group_id)) for one in queries.bans(person)],
        "conversations": [] if own else with_person(person.pk, allowed),
        "notes": [] if own else queries.notes(person, allowed),
        "form": form,
        "nav": "queue",
    }
    return render(request, "moderation/people_record.html", context, status=422 if sent else 200)


@require_form
@moderators_only
def warn(request: HttpRequest, username: str) -> HttpResponse:
    """Show the form to warn a person (GET), or warn the person (POST)."""
    person = _other(request, username)
    form = _form(request, WarningForm)
    page = partial(_form_page, request, person, form, "warn")
    if not form.is_valid():
        return page()
    reason = form.cleaned_data["reason"]
    try:
        action = sanctions.warn(person, form.group(), by=member(request), reason=reason)
    except Forbidden as error:
        return problem_above_form(request, error, page)
    add_result(request, _("%(name)s was warned.") % {"name": person.username}, action)
    return redirect_303(_record(person))


@require_form
@moderators_only
def ban(request: HttpRequest, username: str) -> HttpResponse:
    """Show the form to ban a person (GET), or ban the person (POST)."""
    person = _other(request, username)
    form = _form(request, BanForm)
    page = partial(_form_page, request, person, form, "ban")
    if not form.is_valid():
        return page()
    try:
        action = sanctions.ban(
            person,
            form.group(),
            by=member(request),
            reason=form.cleaned_data["reason"],
            until=form.until(),
            blanks_bio=form.cleaned_data.get("blanks_bio", False),
        )
    except Forbidden as error:
        return problem_above_form(request, error, page)
    add_result(request, _("%(name)s was banned.") % {"name": person.username}, action)
    if form.cleaned_data["voids"]:
        return redirect_303(void_links.address([person.username], form.cleaned_data["place"]))
    return redirect_303(_record(person))


@require_POST
@moderators_only
def unban(request: HttpRequest, username: str) -> HttpResponse:
    """End a person's ban from the group or site that the pressed button names.

    If that isn't possible, a message says why.
    """
    person = _other(request, username)
    form = PlaceForm(request.POST, powers=powers(request))
    if not form.is_valid():
        raise Forbidden
    try:
        action = sanctions.unban(person, form.group(), by=member(request))
    except (AlreadyDecided, Forbidden) as error:
        problem = problem_of(request, error)
        messages.error(request, problem.sentence if problem else "")
    else:
        sentence = _("The ban of %(name)s was ended.") % {"name": person.username}
        add_result(request, sentence, action)
    return redirect_303(_record(person))


@require_form
@moderators_only
def write(request: HttpRequest, username: str) -> HttpResponse:
    """Show moderators the form to write to a person (GET), or send the message (POST)."""
    person = _other(request, username)
    form = _form(request, MessageToPersonForm)
    if not form.is_valid():
        return _form_page(request, person, form, "write")
    written = conversations.write_to_person(
        person, form.group(), by=member(request), body=form.cleaned_data["body"]
    )
    messages.success(request, _("Your message was sent."))
    return redirect_303(written.get_absolute_url())


def _other(request: HttpRequest, username: str) -> User:
    """Return the person named in the URL.

    Raises NoSuchPerson if nobody has this name, and Forbidden if the person is the viewer.
    """
    person = profile_pages.find(username, unconfirmed=True)
    permissions.require_not_self(member(request), person)
    return person


def _form(request: HttpRequest, form_class: type[Form]) -> Form:
    """Return the submitted form, or a form filled from the query string and the saved draft."""
    sent = request.POST if request.method == "POST" else None
    initial = {"place": request.GET.get("group", "")} | drafts.find(request)
    return form_class(sent, powers=powers(request), initial=initial)


def _record(person: User) -> str:
    return reverse("person_record", args=[person.username])


def _form_page(
    request: HttpRequest, person: User, form: PlaceForm, kind: str, problem: Problem | None = None
) -> HttpResponse:
    context: dict[str, Any] = {"person": person, "form": form, "kind": kind, "nav": "queue"}
    context["problem"] = problem
    status = 422 if request.method == "POST" else 200
    return render(request, "moderation/people_form.html", context, status=status)
