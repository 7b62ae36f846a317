"""Drafts of guests, which the session stores until the guest has logged in.

A draft is stored when a guest sends a form, or opens a form with a long URL. It is also stored when
a member sends a form whose page has expired. It fills in the form when the form is opened again.

At log-in, drafts of posts and comments move to SQL (`forum.web.saved_drafts`). Others are removed
when their form is accepted or saved as a draft in SQL, or after an hour. Reading a draft does not
remove the draft, since a page may be loaded twice.
"""

from time import time
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from forum.actions import edit_conflicts
from forum.identity.throttle import throttle
from forum.identity.viewers import guest_subject, viewer
from forum.models import ModAction, Post, User
from forum.text import links
from forum.web import saved_drafts
from forum.web.forms.groups import MOST as GROUPS_MOST
from forum.web.forms.groups import names
from forum.web.methods import is_page
from forum.web.saved_drafts import FormDrafts, ThreadDrafts

SESSION_KEY = "drafts"
MOST = 3
"""Maximum number of drafts in one session, since each request reads the whole session.

After that the oldest draft is dropped.
"""
LONGEST = {
    "kind": 8,
    "title": Post._meta.get_field("title").max_length,
    "url": links.LONGEST,
    "body": Post._meta.get_field("body").max_length,
    "about": User._meta.get_field("about").max_length,
    "seen": edit_conflicts.LENGTH,
    "reason": ModAction._meta.get_field("reason").max_length,
}
"""Maximum number of characters for each field of a draft, as in the field's form."""
LONG_URL = 500
"""Maximum number of characters in the URL of a form that a guest opens.

If the URL is longer, its query string is stored as a draft. Otherwise the log-in URL, which
contains the form's URL, might be longer than servers accept.
"""
LONGEST_NAME = 40
"""Maximum number of characters in a group's name, or in the id of a parent comment."""
LIFE = 3_600
"""Seconds until a draft is dropped."""


def store_guests_form(request: HttpRequest) -> str:
    """Store as a draft what a guest has typed into a form; return the form's URL.

    If nothing was typed, but the URL has a long query string, stores the fields in the query string
    and returns the URL without them. The session expires together with the draft, unless the guest
    logs in. Raises Throttled if the guest's network stores too many drafts.
    """
    written, form = _fields(request.POST), _form(request)
    if saved_drafts.SAVE in request.POST:  # sent by the script of a page from before a log-out
        return form
    if not written and len(form) > LONG_URL:
        written, form = _fields(request.GET), request.path
    if _is_typed(written):
        throttle(guest_subject(request), "draft")
        store(request, form, **written)
        request.session.set_expiry(LIFE)
    return form


def remove(request: HttpRequest) -> None:
    """Remove the draft of a form that was accepted, or that was saved in another way."""
    drafts = _stored(request)
    if drafts.pop(_form(request), None):
        request.session[SESSION_KEY] = drafts


def store_members_form(request: HttpRequest) -> str | None:
    """Store a draft of the form that a member sent, and return the form's URL.

    Return None if there is no text to store, or if no form could show the text again.
    """
    match, written = request.resolver_match, _fields(request.POST)
    if not written or match is None or not is_page(match.func):
        return None
    if not getattr(match.func, "finds_drafts", False):
        return None
    store(request, _form(request), **written)
    return _form(request)


def move(request: HttpRequest, author: User, back: str) -> str:
    """Move a guest's drafts of posts and comments to SQL, after the guest has logged in.

    Return `back`, the URL of the next page. If it is the form of a draft, the returned URL fills in
    the form. A message links to the other drafts.
    """
    stored = _stored(request)
    forms = {form: target for form in stored if (target := saved_drafts.target_of(form))}
    moved = {
        form: saved_drafts.move(author, target, stored.pop(form)[1])
        for form, target in forms.items()
    }
    if forms:
        request.session[SESSION_KEY] = stored
    found = moved.pop(back, "") or back
    if any(moved.values()):
        link = reverse("profile_drafts", args=[author.username])
        sentence = _('Texts that you haven\'t sent yet are in <a href="{}">your drafts</a>.')
        messages.info(request, format_html(sentence, link))
    return found


def store(request: HttpRequest, form: str, **written: Any) -> None:
    """Store a draft for the form at the URL `form`."""
    drafts = _stored(request)
    drafts.pop(form, None)
    drafts[form] = (time(), written)
    request.session[SESSION_KEY] = dict(list(drafts.items())[-MOST:])


ON_QUESTION = urlencode({"on": "question"})
"""Query string of the form for a comment on a question, as opposed to an answer."""


def comment_form(post_id: int, parent_id: int | None = None, *, on_question: bool = False) -> str:
    """Return the URL of the form to comment on a post, or to reply to the comment `parent_id`."""
    path = reverse("post_comment", args=[post_id])
    return f"{path}?{ON_QUESTION}" if on_question else _addressed(path, str(parent_id or ""))


def in_thread(
    request: HttpRequest,
    saved: ThreadDrafts,
    post_id: int,
    parent_id: int | None = None,
    *,
    on_question: bool = False,
) -> FormDrafts:
    """Return the drafts for a form in a thread. A draft in the session fills it in for members."""
    form = comment_form(post_id, parent_id, on_question=on_question)
    if waiting := find(request, form) if viewer(request) else {}:
        return FormDrafts(waiting=waiting)
    return saved.of_form(parent_id, on_question=on_question)


def find(request: HttpRequest, form: str = "") -> dict[str, Any]:
    """Return the fields of the draft for a form; by default the form at the current URL."""
    _since, written = _stored(request).get(form or request.get_full_path(), (0, {}))
    return dict(written)


def _stored(request: HttpRequest) -> dict[str, tuple[float, dict[str, Any]]]:
    """Map the URLs of forms to the drafts in the session, oldest first.

    Each value is a pair: the time at which the draft was stored, and the draft's fields. Removes
    expired drafts from the session.
    """
    stored, now = request.session.get(SESSION_KEY, {}), time()
    drafts = {form: (at, written) for form, (at, written) in stored.items() if now - at < LIFE}
    if len(drafts) < len(stored):
        request.session[SESSION_KEY] = drafts
    return drafts


def _fields(sent: QueryDict) -> dict[str, Any]:
    """Return a draft's fields and chosen groups, from a sent form or a query string."""
    written: dict[str, Any] = {
        name: sent[name][:longest] for name, longest in LONGEST.items() if name in sent
    }
    chosen = names([*sent.getlist("groups"), *sent.getlist("group")])[:GROUPS_MOST]
    if written and chosen:
        written["groups"] = [name[:LONGEST_NAME] for name in chosen]
    return written


def _is_typed(written: dict[str, Any]) -> bool:
    """Return whether a draft has a text. A kind, groups or a fingerprint alone are no text."""
    names = written.keys() - {"kind", "groups", "seen"}
    return any(written[name].strip() for name in names)


def _form(request: HttpRequest) -> str:
    """Return the URL of the form that was opened or sent.

    For a reply to a comment, the URL contains the id of that comment.
    """
    parent = request.POST.get("parent", "")[:LONGEST_NAME]
    return _addressed(request.path, parent) if parent else request.get_full_path()


def _addressed(path: str, parent: str) -> str:
    return f"{path}?{urlencode({'parent': parent})}" if parent else path
