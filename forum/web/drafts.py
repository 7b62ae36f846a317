"""Drafts: text that the site could not accept yet, kept in the session to fill a form again.

A draft is kept when a log-in has ended, when a page was too old to be sent, when a guest opens a
form with a long address, and when a link exists already, so that its text can become a comment.
Reading a draft does not remove it: a page may be prefetched or loaded twice. Sending its form
removes it, and so does its age.
"""

from time import time
from typing import Any
from urllib.parse import quote, urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse

from forum.content import edit_conflicts
from forum.forms.groups import MOST as GROUPS_MOST
from forum.forms.groups import names
from forum.identity.viewers import guest_subject
from forum.models import Post, User
from forum.text import links
from forum.throttling.throttle import throttle
from forum.web.methods import is_page

SESSION_KEY = "drafts"
MOST = 3
"""Forms that something waits for, the oldest gives way: each request reads the whole session."""
LONGEST = {
    "kind": 8,
    "title": Post._meta.get_field("title").max_length,
    "url": links.LONGEST,
    "body": Post._meta.get_field("body").max_length,
    "about": User._meta.get_field("about").max_length,
    "seen": edit_conflicts.LENGTH,
}
"""What waits, and how many characters of it: no more than may be sent."""
LONG_ADDRESS = 500
"""Characters of an address that fills in a form. A longer one does not go along to log-in: on its
way it is percent-encoded several times, and servers refuse a request line of 8 kB.
"""
LONGEST_NAME = 40
"""Characters that are kept of a group's name, or of the number of what is replied to."""
WAITS = 3_600
"""Seconds that it waits: for somebody to log in, and to send it."""
SENT_COOKIE = "sent"
"""Names the form that was accepted, so that the browser's script forgets its own draft of it."""
SENT_SECONDS = 60
"""Seconds that the cookie lives; the script deletes it on the next page."""


def keep(request: HttpRequest) -> str:
    """Keep what a guest sent to a form, or what a long address fills in; return the address of the
    form. Log-in makes the session as long as others. Raises Throttled.
    """
    written, form = _sent(request), _form(request)
    if not written and len(form) > LONG_ADDRESS:
        written, form = _fields(request.GET), request.path
    if written:
        throttle(guest_subject(request), "draft")
        leave(request, form, **written)
        request.session.set_expiry(WAITS)
    return form


def accept(request: HttpRequest, response: HttpResponse) -> None:
    """Remove the draft of a form that was accepted, and let the browser's script remove its own."""
    kept = _kept(request)
    if kept.pop(_form(request), None):
        request.session[SESSION_KEY] = kept
    if _sent(request):
        response.set_cookie(
            SENT_COOKIE,
            quote(_form(request), safe=""),
            max_age=SENT_SECONDS,
            secure=settings.SESSION_COOKIE_SECURE,
            samesite="Lax",
        )


def lead_back(request: HttpRequest) -> str | None:
    """Keep what a member sent to a form, and return the form's address; None where nothing is
    kept, since there is no text or the address has no form that would find it.
    """
    match, written = request.resolver_match, _sent(request)
    if not written or match is None or not is_page(match.func):
        return None
    if not getattr(match.func, "finds_drafts", False):
        return None
    leave(request, _form(request), **written)
    return _form(request)


def leave(request: HttpRequest, form: str, **written: Any) -> None:
    """Let what somebody wrote wait for the form that is sent to an address."""
    kept = _kept(request)
    kept.pop(form, None)
    kept[form] = (time(), written)
    request.session[SESSION_KEY] = dict(list(kept.items())[-MOST:])


ON_QUESTION = urlencode({"on": "question"})
"""The query of the form for a comment on a question that is no answer."""


def comment_form(post_id: int, parent_id: int | None = None, *, on_question: bool = False) -> str:
    """Return the address of the form for a comment on a post, or for a reply to one of its."""
    path = reverse("post_comment", args=[post_id])
    return f"{path}?{ON_QUESTION}" if on_question else _addressed(path, str(parent_id or ""))


def waiting(request: HttpRequest, form: str = "") -> dict[str, Any]:
    """Return what waits for the form that is asked for, or for one that is sent elsewhere."""
    _since, written = _kept(request).get(form or request.get_full_path(), (0, {}))
    return dict(written)


def _kept(request: HttpRequest) -> dict[str, tuple[float, dict[str, Any]]]:
    """Return since when what waits for which form, the oldest first. What waited too long goes."""
    stored, now = request.session.get(SESSION_KEY, {}), time()
    kept = {form: (at, written) for form, (at, written) in stored.items() if now - at < WAITS}
    if len(kept) < len(stored):
        request.session[SESSION_KEY] = kept
    return kept


def _sent(request: HttpRequest) -> dict[str, Any]:
    """Return what was written in the form that was sent, with the groups that were chosen."""
    return _fields(request.POST)


def _fields(sent: QueryDict) -> dict[str, Any]:
    """Return the fields of a form or of an address that fills it in."""
    written: dict[str, Any] = {
        name: sent[name][:longest] for name, longest in LONGEST.items() if name in sent
    }
    chosen = names([*sent.getlist("groups"), *sent.getlist("group")])[:GROUPS_MOST]
    if written and chosen:
        written["groups"] = [name[:LONGEST_NAME] for name in chosen]
    return written


def _form(request: HttpRequest) -> str:
    """Return the address of the form that was asked for or sent. A reply's names its parent."""
    parent = request.POST.get("parent", "")[:LONGEST_NAME]
    return _addressed(request.path, parent) if parent else request.get_full_path()


def _addressed(path: str, parent: str) -> str:
    return f"{path}?{urlencode({'parent': parent})}" if parent else path
