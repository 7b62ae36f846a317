"""Connects the forms for posts and comments to the drafts in SQL.

A form with a draft has the draft's key and version in a hidden field, `field_of`. JavaScript saves
a draft by sending the form to its own URL with the field `save_draft`; without JavaScript, a
preview saves the draft. The parameter `draft` in a form's URL fills in the form from the draft with
this key.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import resolve, reverse

from forum.actions import drafts
from forum.actions.drafts import DraftTarget, DraftText
from forum.identity.viewers import member, viewer
from forum.models import Comment, Draft, Post, User
from forum.queries.drafts import drafts_on, find_draft
from forum.queries.merged_posts import surviving
from forum.web.addresses import is_number
from forum.web.forms.groups import MOST as GROUPS_MOST
from forum.web.forms.groups import names
from voting.errors import Throttled

FIELD = "draft"
"""The hidden field of a draft, and the parameter with its key in URLs."""
TEXT_FIELDS = ("kind", "title", "url", "body", "groups")
SAVE = "save_draft"
"""The field with which JavaScript asks to save the form as a draft."""


@dataclass(frozen=True, slots=True)
class FormDrafts:
    """The drafts that belong to a form."""

    hidden: str = ""
    """The value of the form's hidden field; "" if the form has no draft."""
    draft: Draft | None = None
    """The draft that filled in the form."""
    offered: Draft | None = None
    """The person's latest draft for this form, if the form isn't filled in."""
    is_lost: bool = False
    """Whether the URL names a draft for this form that was sent or deleted."""
    waiting: dict[str, Any] = field(default_factory=dict)
    """The values of the form's fields, if a draft in the session filled in the form."""

    @property
    def initial(self) -> dict[str, Any]:
        """The values of the form's fields; none if no draft filled in the form."""
        return _fields(self.draft) if self.draft else self.waiting


class ThreadDrafts:
    """A person's drafts of comments on a post, for the forms in its thread."""

    def __init__(self, saved: Sequence[Draft], address: QueryDict) -> None:
        self._saved = saved
        self._wanted = _key(address)
        self._wants_remark = address.get("on") == "question"

    def of_form(self, parent_id: int | None = None, *, on_question: bool = False) -> FormDrafts:
        """Return the drafts for the form to comment on the post, or on the comment `parent_id`."""
        form = (parent_id, on_question)
        fitting = [draft for draft in self._saved if (draft.parent_id, draft.on_question) == form]
        is_lost = on_question == self._wants_remark and self._is_lost
        return _chosen(fitting, self._wanted, is_lost=is_lost)

    @property
    def _is_lost(self) -> bool:
        return bool(self._wanted) and all(draft.key != self._wanted for draft in self._saved)

    def of_replies(self, beside: int | None = None) -> list[Draft]:
        """Return the latest draft of each reply, except of replies to the comment `beside`."""
        replies = {draft.parent_id: draft for draft in reversed(self._saved) if draft.parent_id}
        return [draft for parent_id, draft in replies.items() if parent_id != beside]


def in_thread(request: HttpRequest, post: Post) -> ThreadDrafts:
    """Return the viewer's drafts for the forms on a post's pages.

    One query for members. No query for guests, or if the post's annotation `has_drafts` is False.
    """
    person = viewer(request)
    saved = drafts_on(person.id, post) if person and getattr(post, "has_drafts", True) else []
    return ThreadDrafts(saved, request.GET)


def of_form(request: HttpRequest, target: DraftTarget) -> FormDrafts:
    """Return the drafts for a form that is opened on a page of its own.

    One query, two at most; none for guests.
    """
    person, wanted = viewer(request), _key(request.GET)
    if person is None:
        return FormDrafts()
    if wanted and (draft := find_draft(person.id, wanted)):
        return FormDrafts(field_of(draft), draft)
    parent_id = target.parent.pk if target.parent else None
    saved = ThreadDrafts(drafts_on(person.id, target.post), request.GET)
    return saved.of_form(parent_id, on_question=target.on_question)


def field_of(draft: Draft) -> str:
    """Return the value of the hidden field in a form with a draft."""
    return f"{draft.key} {draft.version}"


def sent_field(request: HttpRequest) -> str:
    """Return the value of the hidden field in a form that was sent; "" if it has no draft."""
    return request.POST[FIELD] if _key(request.POST) else ""


def save(request: HttpRequest, target: DraftTarget) -> str:
    """Save a form that was sent as a draft; return its new hidden field. Raises Throttled."""
    key, seen = _key_and_version(request)
    key, author, text = key or drafts.new_key(), member(request), _text(request.POST)
    draft = drafts.save(author=author, key=key, target=target, text=text, seen=seen)
    return field_of(draft) if draft else key


def save_if_allowed(request: HttpRequest, target: DraftTarget) -> str:
    """Save a form as a draft. Return its hidden field, unchanged if the rate limit is reached."""
    with suppress(Throttled):
        return save(request, target)
    return sent_field(request)


def forget_sent(request: HttpRequest, target: DraftTarget) -> None:
    """Delete the draft of a form that was accepted."""
    (key, seen), author, text = _key_and_version(request), member(request), _text(request.POST)
    drafts.forget_sent(author=author, key=key, target=target, text=text, seen=seen)


def filled_in(form: str, key: str) -> str:
    """Return the URL `form`, which has no query string, so that it is filled in from a draft."""
    return f"{form}?{urlencode({FIELD: key})}"


def draft_url(draft: Draft) -> str:
    """Return the URL of the page with the form of a draft, filled in from the draft.

    No query, unless the post was merged into another one.
    """
    if draft.post is None:
        return filled_in(reverse("submit"), draft.key)
    fields: dict[str, Any] = {"parent": draft.parent_id} if draft.parent_id else {}
    fields |= {"on": "question"} if draft.on_question else {}
    path = reverse("post_comment", args=[surviving(draft.post).pk])
    return f"{path}?{urlencode(fields | {FIELD: draft.key})}"


def target_of(form: str) -> DraftTarget | None:
    """Return the target of drafts for the form at a URL; None if it is no form with drafts.

    Two queries at most.
    """
    path, _sign, query = form.partition("?")
    match, fields = resolve(path), QueryDict(query)
    if match.url_name == "submit":
        return DraftTarget()
    if match.url_name != "post_comment":
        return None
    post = surviving(Post.objects.get(pk=match.kwargs["post_id"]))
    if parent_id := fields.get("parent", ""):
        comments = Comment.objects.filter(post=post)
        parent = comments.filter(pk=parent_id).first() if is_number(parent_id) else None
        return DraftTarget(post, parent) if parent else None
    return DraftTarget(post, None, fields.get("on") == "question")


def move(author: User, target: DraftTarget, fields: dict[str, Any]) -> str:
    """Store the fields of a draft in SQL. Return the URL of its form; "" if nothing was typed."""
    text = DraftText(**{name: fields[name] for name in TEXT_FIELDS if name in fields})
    draft = drafts.store(author=author, key=drafts.new_key(), target=target, text=text)
    return draft_url(draft) if draft else ""


def _chosen(saved: Sequence[Draft], wanted: str, *, is_lost: bool) -> FormDrafts:
    for draft in saved:
        if draft.key == wanted:
            return FormDrafts(field_of(draft), draft)
    return FormDrafts(offered=saved[0] if saved else None, is_lost=is_lost)


def _key(fields: QueryDict) -> str:
    """Return the key of a draft in a URL or form; "" if there is none or it isn't a key."""
    key = fields.get(FIELD, "").partition(" ")[0]
    return key if drafts.KEY.fullmatch(key) else ""


def _key_and_version(request: HttpRequest) -> tuple[str, str]:
    return _key(request.POST), request.POST.get(FIELD, "").partition(" ")[2]


def _fields(draft: Draft) -> dict[str, Any]:
    if draft.post_id is not None:
        return {"body": draft.body}
    fields = {"title": draft.title, "url": draft.url, "body": draft.body, "groups": draft.groups}
    return fields | ({"kind": draft.kind} if draft.kind else {})


def _text(sent: QueryDict) -> DraftText:
    typed = {name: sent.get(name, "") for name in TEXT_FIELDS[:-1]}
    return DraftText(**typed, groups=names(sent.getlist("groups"))[:GROUPS_MOST])
