"""Writing posts. SQL decides, in one transaction with an outbox row (`forum.sync.outbox`).

A text becomes HTML, and whom it names is found, before the transaction: that may take a moment, in
which on SQLite nobody else could write.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.content import duplicate_links, edit_conflicts, imported_votes, staff_edits, staff_log
from forum.gateway import comment_records
from forum.gateway.post_records import described, readable
from forum.gateway.service import get_voting_service
from forum.inbox import notices, watches
from forum.ledger import leaderboards, vote_value
from forum.ledger.counters import AuthorSync, MovedPostSync
from forum.models import Group, OutboxItem, Post, Revision, User
from forum.queries.people import spelt
from forum.sync import outbox
from forum.text import links, markup

UNMARKED = timedelta(minutes=5)
"""An edit within this time after writing leaves no mark."""


class Gone(Exception):
    """What was to be answered, changed or accepted is not there, or not there any more."""


def publish(
    *,
    author: User,
    kind: str,
    title: str,
    url: str = "",
    body: str = "",
    groups: Sequence[Group],
) -> Post:
    """Write a new post and announce it. The author's own up vote counts from the start.

    Raises Known where its address is here already.
    """
    text = markup.read(body, spelt)
    with transaction.atomic():
        duplicate_links.refuse(url)
        now = timezone.now().replace(microsecond=0)
        post = Post.objects.create(
            author=author,
            kind=kind,
            title=title,
            url=url,
            url_key=links.key(url) if url else "",
            body=body,
            body_html=text.html,
            created_at=now,
            up=1,
            score=vote_value.scoring()(int(now.timestamp()), 1),
        )
        post.groups.set(groups)
        watches.watch_from_now_on(author, post.pk)
        notices.mentions_written(post, text.notified)
        outbox.add(PostSync(post.pk), AuthorSync([author.pk]))
    return post


def change(
    post: Post,
    *,
    title: str,
    body: str,
    groups: Sequence[Group],
    url: str | None = None,
    seen: str = "",
    by: User | None = None,
) -> None:
    """Change what a post says, its groups and, if `url` is given, the address of a link.

    If staff do it (`by`), it is logged and the author notified. Raises Gone if it was deleted,
    Overtaken if it is no longer what was `seen`, and Known if another recent post has the address.
    """
    text = markup.read(body, spelt)
    names = notices.newly_mentioned(post, text.notified)
    with transaction.atomic():
        said = _locked(post)
        if said.deleted_at:
            raise Gone
        moves = set(groups) != set(said.groups.all())
        address = said.url if url is None else url
        if (said.title, said.body, said.url) == (title, body, address) and not moves:
            return
        edit_conflicts.check(said, seen)
        changed = duplicate_links.set_address(post, address) if address != said.url else ()
        changed += _reword(post, said, (title, body, text.html), names, by)
        if moves:
            _move(post, groups)
        _save(post, *changed)
        moved = groups if moves else None
        staff_edits.notify(post, by, reworded=bool(changed), groups=moved, logged=True)


def edit(post: Post, *, title: str, body: str, by: User | None = None) -> None:
    """Change what a post says; what it said is kept, but for a slip that the author mends at once.

    The author is notified if staff do it (`by`).
    """
    text = markup.read(body, spelt)
    names = notices.newly_mentioned(post, text.notified)
    with transaction.atomic():
        words = (title, body, text.html)
        if changed := _reword(post, _locked(post), words, names, by):
            _save(post, *changed)
            staff_edits.notify(post, by, reworded=True)


def _reword(
    post: Post, said: Post, words: tuple[str, str, str], names: Collection[str], by: User | None
) -> tuple[str, ...]:
    """Let a post say these words (title, text and its HTML), which newly mention these `names`;
    return the fields to save. What it `said`, its former address too, becomes a revision.
    """
    (title, body, html), former = words, said.url if post.url != said.url else ""
    if (said.title, said.body) == (title, body) and not former:
        return ()
    now = timezone.now()
    post.title, post.body, post.body_html = title, body, html
    staff = staff_edits.editor(post, by)
    if staff or now - post.created_at > UNMARKED:
        before = {"title": said.title, "body": said.body, "url": former}
        Revision.objects.create(post=post, until=now, by=staff, **before)
        post.edited_at = now
    notices.mentions_written(post, names)
    return ("title", "body", "body_html", "edited_at")


@transaction.atomic
def regroup(post: Post, groups: Sequence[Group], by: User | None = None) -> None:
    """Put a post in exactly these groups with its points; tell the author if staff do it (`by`)."""
    _move(post, groups)
    _save(post)
    staff_edits.notify(post, by, reworded=False, groups=groups)


def _move(post: Post, groups: Sequence[Group]) -> None:
    moved = leaderboards.regroup(post, groups)
    outbox.add(MovedPostSync(post.pk, moved))
    post.groups.set(groups)


@transaction.atomic
def delete(post: Post, by: User | None = None) -> None:
    """Take a post out of every list; its votes and its row stay. It is noted if staff do it.
    Repeating it changes nothing, and neither does repeating `undelete`.
    """
    if _deleted_at(post) is None:
        post.deleted_at = timezone.now()
        outbox.add(AuthorSync([post.author_id]))
        _save(post, "deleted_at")
        notices.post_deleted(post)
        staff_log.deleted(by, post)


@transaction.atomic
def undelete(post: Post, by: User | None = None) -> None:
    """Bring a deleted post back with its votes. It is noted if staff do it."""
    if _deleted_at(post) is not None:
        post.deleted_at = None
        outbox.add(AuthorSync([post.author_id]))
        _save(post, "deleted_at")
        staff_log.changed(by, [post], _("Restored."))


def _deleted_at(post: Post) -> datetime | None:
    """Return since when a post is deleted, by now."""
    post.deleted_at = _locked(post).deleted_at
    return post.deleted_at


def _locked(post: Post) -> Post:
    """Return what a post is by now; nobody else changes it in this transaction."""
    found = Post.objects.select_for_update(no_key=True).only("title", "body", "url", "deleted_at")
    return found.get(pk=post.pk)


def _save(post: Post, *changed: str) -> None:
    """Save the named fields with the next version; concurrent changes get versions of their own."""
    current = Post.objects.select_for_update(no_key=True).only("version").get(pk=post.pk)
    post.version = current.version + 1
    post.save(update_fields=[*changed, "version"])
    outbox.add(PostSync(post.pk))


@dataclass(frozen=True)
class PostSync(outbox.Sync):
    """A post, and one of its comments if that changed, as they are now."""

    kind = OutboxItem.POST
    post_id: int
    comment_id: int | None = None

    @property
    def subject_id(self) -> int:
        """The post: checks leave out those that wait."""
        return self.post_id

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Sync posts and comments. One round trip, and one a post; one or two for the comments.

        A post with votes in SQL that Redis does not know (an imported one) is loaded with its
        voters first. Raises StoreUnavailable.
        """
        post_ids = list(dict.fromkeys(one.post_id for one in syncs))
        posts = Post.objects.filter(pk__in=post_ids)
        service = get_voting_service()
        for post in readable(posts.exclude(pk__in=imported_votes.load_voted(post_ids))):
            if post.deleted_at:
                service.posts.retract(post.pk, post.version)
            else:
                service.posts.publish(described(post))
        comment_ids = {one.comment_id for one in syncs if one.comment_id}
        if comment_ids:
            comment_records.deliver(comment_ids)


def deliver(post_ids: Collection[int]) -> None:
    """Sync posts, and what waits in the outbox of them, now. Raises StoreUnavailable.

    One query beside the delivery. Repeating it is harmless.
    """
    items = list(OutboxItem.objects.filter(kind=PostSync.kind, subject_id__in=post_ids))
    outbox.deliver(items)
    rest = set(post_ids).difference(item.subject_id for item in items)
    if rest:
        PostSync.deliver([PostSync(post_id) for post_id in sorted(rest)])
