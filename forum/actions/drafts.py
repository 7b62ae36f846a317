"""Saves and deletes drafts of posts and comments. Needs only SQL, so it works without Redis."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from secrets import token_hex
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from forum.identity.throttle import subject_of, throttle
from forum.models import Comment, Draft, Post, User
from forum.text import links, titles

MOST = 20
"""The most drafts of one person. After that, the oldest draft is deleted."""
LIFE = timedelta(days=90)
"""How long a draft stays after it was saved last."""
KEY = re.compile(r"[0-9a-f]{16,32}")
"""Matches the keys of drafts."""
LONGEST_BODY = Post._meta.get_field("body").max_length or 0


@dataclass(frozen=True, slots=True)
class DraftTarget:
    """The form that a draft belongs to: for a new post, or for a comment on a post."""

    post: Post | None = None
    parent: Comment | None = None
    on_question: bool = False

    @property
    def fields(self) -> dict[str, Any]:
        """The values of the fields of `Draft` that name the form."""
        return {"post": self.post, "parent": self.parent, "on_question": self.on_question}


@dataclass(frozen=True, slots=True)
class DraftText:
    """The fields of a draft. A comment has only a body."""

    kind: str = ""
    title: str = ""
    url: str = ""
    body: str = ""
    groups: Sequence[str] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was typed. A chosen kind or group alone is no draft."""
        return not any(map(str.strip, (self.title, self.url, self.body)))

    def continues(self, earlier: Draft) -> bool:
        """Return whether this is a later version of an earlier draft, with nothing taken away."""
        return (
            self.title.startswith(earlier.title)
            and self.url.startswith(earlier.url)
            and self.body.startswith(earlier.body)
        )


def new_key() -> str:
    """Return a random key for a new draft."""
    return token_hex(8)


def save(
    *, author: User, key: str, target: DraftTarget, text: DraftText, seen: str = ""
) -> Draft | None:
    """Save a draft with `store`. Raises Throttled if the person saves too often."""
    throttle(subject_of(author), "draft")
    return store(author=author, key=key, target=target, text=text, seen=seen)


def store(
    *, author: User, key: str, target: DraftTarget, text: DraftText, seen: str = ""
) -> Draft | None:
    """Store a draft under its key, in place of what was stored under the same key; return it.

    `seen` is the version of the draft that the form had. If another form has saved the draft since
    then, and the text doesn't continue that, the text is stored under a new key.

    An empty text deletes the draft. Drafts of the same form that the text continues are deleted,
    and so are the person's oldest drafts if there are more than `MOST`. Texts that are too long for
    a post are cut. The rate limit doesn't apply.
    """
    text = _cut(text)
    with transaction.atomic():
        if _changed_elsewhere(author, key, text, seen):
            key = new_key()
        earlier = _superseded(author, key, target, text)
        if text.is_empty:
            Draft.objects.filter(author=author, key=key).delete()
            return None
        draft, _created = Draft.objects.update_or_create(
            author=author,
            key=key,
            defaults=target.fields | asdict(text) | {"updated_at": timezone.now()},
        )
        earlier.delete()
        newest = Draft.objects.filter(author=author).order_by("-updated_at", "-pk")
        extra = newest.values_list("pk", flat=True)[MOST : 2 * MOST]
        Draft.objects.filter(pk__in=list(extra)).delete()
    return draft


def forget_sent(
    *, author: User, key: str, target: DraftTarget, text: DraftText, seen: str = ""
) -> None:
    """Delete the draft of a text that was sent, and earlier versions of the text.

    The draft stays if another form has saved something else in it. Up to four queries.
    """
    text = _cut(text)
    with transaction.atomic():
        _superseded(author, key, target, text).delete()
        if not _changed_elsewhere(author, key, text, seen):
            Draft.objects.filter(author=author, key=key).delete()


def delete(*, author: User, key: str) -> None:
    """Delete a person's draft, if there is one with this key. Safe to repeat."""
    if KEY.fullmatch(key):
        Draft.objects.filter(author=author, key=key).delete()


def delete_old() -> None:
    """Delete the drafts that nobody has saved for `LIFE`."""
    Draft.objects.filter(updated_at__lt=timezone.now() - LIFE).delete()


def _changed_elsewhere(author: User, key: str, text: DraftText, seen: str) -> bool:
    """Return whether a draft has, since the version `seen`, a text that `text` doesn't continue."""
    drafts = Draft.objects.select_for_update().filter(author=author, key=key)
    return any(draft.version != seen and not text.continues(draft) for draft in drafts)


def _superseded(author: User, key: str, target: DraftTarget, text: DraftText) -> QuerySet[Draft]:
    """Return the drafts of the same form, under other keys, that a text continues. One query."""
    same = Draft.objects.filter(author=author, **target.fields).exclude(key=key)
    return Draft.objects.filter(pk__in=[draft.pk for draft in same if text.continues(draft)])


def _cut(text: DraftText) -> DraftText:
    """Return a text without null characters, cut to the lengths that a post may have."""
    return DraftText(
        kind=text.kind if text.kind in Post.Kind.values else "",
        title=_bounded(text.title, titles.COMPOSED),
        url=_bounded(text.url, links.LONGEST),
        body=_bounded(text.body, LONGEST_BODY),
        groups=[_without_nulls(name) for name in text.groups],
    )


def _bounded(text: str, longest: int) -> str:
    return _without_nulls(text).replace("\r\n", "\n")[:longest]


def _without_nulls(text: str) -> str:
    """Return a text without null characters, which PostgreSQL can't store."""
    return text.replace("\0", "")
