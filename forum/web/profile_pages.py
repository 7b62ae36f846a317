"""Shared parts of the pages about a person: the person's name and counts, and the tabs."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from forum.actions import unread
from forum.actions.policy import policy
from forum.errors import Forbidden
from forum.identity.viewers import Viewer, is_staff, viewer
from forum.models import PersonNote, SitePolicy, User
from forum.queries.people import ProfileState, find_person, profile_state, site_ban
from forum.queries.role_marks import of_person
from forum.queries.social import blocks
from forum.web import person_labels, role_marks
from forum.web.not_found import NoSuchPerson
from voting.types import Target


def find(username: str, *, unconfirmed: bool = False) -> User:
    """Return the person with this name, ignoring case. Raises NoSuchPerson if there is none.

    Ignores accounts that nobody has confirmed or logged in to, unless `unconfirmed`.
    """
    person = find_person(username, unconfirmed=unconfirmed)
    if person is None:
        raise NoSuchPerson
    return person


def find_own(request: HttpRequest, username: str) -> User:
    """Return the person that the URL names, who must be the viewer.

    Raises NoSuchPerson if nobody has the name, and Forbidden if the person isn't the viewer.
    """
    person, reader = find(username), viewer(request)
    if reader is None or reader.id != person.pk:
        raise Forbidden(_("Only the account's owner can see this page."))
    return person


def unblocked(person: User) -> str:
    """Return the message that says a person is no longer blocked."""
    return _("You unblocked %(name)s.") % {"name": person.username}


def load(
    request: HttpRequest,
    person: User,
    post_ids: Sequence[int] = (),
    comments: Sequence[Target] = (),
    *,
    compared: bool = False,
) -> ProfileState:
    """Return the data about a person that a page of their profile shows.

    `compared` adds the people whom both the viewer and the person follow.
    """
    reader = viewer(request)
    reader_id = reader.id if reader else None
    seen = profile_state(person, reader_id, post_ids, comments, compared=compared)
    unread.know(request, seen.unread)
    return seen


def head_context(
    request: HttpRequest, person: User, tab: str, seen: ProfileState | None = None
) -> dict[str, Any]:
    """Return the template context for the head of a profile; `tab` is the open tab.

    Pass the result of `load` as `seen` if you have it. Members see whether another person is
    banned, which takes one query.
    """
    reader, seen = viewer(request), seen or load(request, person)
    own = reader is not None and reader.id == person.pk
    return {
        "person": person,
        "own": own,
        "blocked": reader is not None and not own and blocks(reader.id, person.pk),
        "ban": site_ban(person) if reader and not own else None,
        **_note(reader, person),
        "mark": role_marks.render(of_person(person.pk)),
        "counts": seen.counts,
        "ties": seen.ties,
        "tab": tab,
        "nav": "profile" if own else "",
        "staff": is_staff(request),
        "by_invitation": policy.get().sign_up == SitePolicy.SignUp.INVITATION,
    }


def _note(reader: Viewer | None, person: User) -> dict[str, Any]:
    """Return the viewer's label and note about a person. One query if there is one, else none."""
    if reader is None or person.username not in reader.labels:
        return {}
    note = PersonNote.objects.filter(user=reader.id, person=person).first()
    label = person_labels.label_of(person.username, reader.labels)
    return {"noted": True, "label": label, "note": note.note if note else ""}
