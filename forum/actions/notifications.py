"""Notifies people of events, such as replies: each person concerned gets an inbox item.

Call these functions in the transaction of the event, so that the event and the items are saved
together. Each function runs a constant number of queries. After the commit, unread counts are
synced to Redis, and the worker sends the emails. The worker also notifies the people who watch a
thread, because there may be thousands.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import override

from forum.actions import watches
from forum.actions.mails import WaitingMail
from forum.actions.notice_texts import text_of
from forum.actions.unread import UnreadSync
from forum.actions.unsubscribe_links import Mail
from forum.models import Comment, InboxItem, Message, Post, QueueItem, User, Watch
from forum.queries.people import find_names
from forum.store import outbox
from forum.text import markup

Kind = InboxItem.Kind
LOUDEST = (Kind.REPLY, Kind.MENTION)
"""Reasons to notify a person of a comment. If several apply, the person gets one notification: for
the first of these reasons that the person hasn't muted.
"""
MUTABLE = (Kind.REPLY, Kind.MENTION, Kind.WATCHED, Kind.FOLLOWER, Kind.ACCEPTED, Kind.FLAG)
"""The kinds of notifications that people may mute. Messages from staff can't be muted."""
AT_ONCE = 500
"""Maximum number of watchers whom one transaction notifies. Transactions must be short, because
they lock the comment, and on SQLite the whole database.
"""


def newly_mentioned(about: Post | Comment, names: Collection[str]) -> set[str]:
    """Return those `names` that the saved text of a post or comment doesn't mention yet.

    Call this before the transaction begins, because parsing a long text takes a moment.
    """
    if not names:
        return set()
    saved = type(about).objects.only("body").get(pk=about.pk)
    known = markup.read(saved.body, find_names)
    return set(names).difference(known.mentioned)


@transaction.atomic
def comment_written(comment: Comment, names: Collection[str]) -> None:
    """Notify the person to whom a new comment replies, and the mentioned people in `names`.

    The worker later notifies the people who watch the thread. The author of the comment begins to
    watch the thread, unless the author stopped watching it or turned off automatic watches.
    """
    reasons = _reasons(comment, names)
    concerned = User.objects.filter(pk__in=set().union(*reasons.values()))
    concerned = concerned.annotate(
        mutes_thread=watches.mutes_thread(OuterRef("pk"), comment.post_id)
    )
    people = _others(concerned, comment.author_id)
    written = []
    for person in people.only("muted", "mails_replies", "mails_mentions", "email"):
        kind = _loudest(person, reasons)
        if kind is None:
            continue
        written.append(
            _item(person.pk, kind, comment.author_id, post_id=comment.post_id, comment=comment)
        )
        if kind is Kind.REPLY and person.mails_replies and person.email:
            outbox.write(WaitingMail(Mail.REPLIES, person.pk, comment_id=comment.pk))
        if kind is Kind.MENTION:
            _mail_mention(person, comment.post_id, comment)
    _deliver(written)
    _notify_watchers_later(comment, [one.user_id for one in written])
    watches.watch_from_now_on(comment.author, comment.post_id)


@transaction.atomic
def mentions_written(about: Post | Comment, names: Collection[str]) -> None:
    """Notify the people in `names` that a post or comment mentions them.

    Nobody is notified twice of the same post or comment.
    """
    comment = about if isinstance(about, Comment) else None
    post_id = comment.post_id if comment else about.pk
    if not names:
        return
    people = _others(_mentioned(names), about.author_id)
    notified = InboxItem.objects.filter(post_id=post_id, comment=comment).values("user")
    recipients = [one for one in people.exclude(pk__in=notified) if Kind.MENTION not in one.muted]
    author_id = about.author_id
    _deliver(
        [
            _item(one.pk, Kind.MENTION, author_id, post_id=post_id, comment=comment)
            for one in recipients
        ]
    )
    for one in recipients:
        _mail_mention(one, post_id, comment)


@transaction.atomic
def followed(follower: User, person: User) -> None:
    """Notify a person of a new follower, unless the inbox has a notification of this follower."""
    known = InboxItem.objects.filter(user=person, kind=Kind.FOLLOWER, actor=follower)
    if _wants(person, Kind.FOLLOWER, follower.pk) and not known.exists():
        _deliver([_item(person.pk, Kind.FOLLOWER, follower.pk)])


@transaction.atomic
def unfollowed(follower: User, person: User) -> None:
    """Delete a person's unread notification about a follower who has stopped following."""
    waiting = InboxItem.objects.filter(
        user=person, kind=Kind.FOLLOWER, actor=follower, read_at=None
    )
    if waiting.delete()[0]:
        outbox.add(UnreadSync([person.pk]))


@transaction.atomic
def accepted(post: Post, comment: Comment) -> None:
    """Notify the author of an answer that it was accepted."""
    author, asker_id = comment.author, post.author_id
    if author.pk != asker_id and _wants(author, Kind.ACCEPTED, asker_id):
        _deliver([_item(author.pk, Kind.ACCEPTED, asker_id, post_id=post.pk, comment=comment)])


@transaction.atomic
def acceptance_ended(comment: Comment) -> None:
    """Delete the unread notification about an answer that is no longer accepted."""
    waiting = InboxItem.objects.filter(comment=comment, kind=Kind.ACCEPTED, read_at=None)
    if waiting.delete()[0]:
        outbox.add(UnreadSync([comment.author_id]))


@transaction.atomic
def moderators_wrote(message: Message, by: User | None) -> None:
    """Notify a person of a message or notice in a conversation with moderators.

    People can't mute these notifications. The new notification replaces an unread one about the
    same conversation. `by` is None if a rule or the site acted.
    """
    conversation, person = message.conversation, message.conversation.user
    InboxItem.objects.filter(conversation=conversation, read_at=None).delete()
    actor_id = by.pk if by else person.pk
    with override(person.mail_language):
        about = {"conversation": conversation, "text": text_of(message)}
    _deliver([_item(person.pk, Kind.MODERATOR, actor_id, **about)])
    if person.mails_moderators and person.email:
        outbox.write(WaitingMail(Mail.MODERATORS, person.pk, message_id=message.pk))


@transaction.atomic
def flags_decided(item: QueueItem, by: User | None, *, agreed: bool | None) -> None:
    """Notify people that their flags in this item of the moderation queue were decided.

    Doesn't notify the moderator who decided.
    """
    people = User.objects.filter(flags__item=item, is_active=True)
    people = people.exclude(pk=by.pk) if by else people
    outcome = {True: InboxItem.AGREED, False: InboxItem.DISAGREED, None: ""}[agreed]
    about = _about_item(item) | {"text": outcome}
    _deliver(
        [
            _item(one.pk, Kind.FLAG, by.pk if by else one.pk, **about)
            for one in people.only("muted")
            if Kind.FLAG not in one.muted
        ]
    )


@transaction.atomic
def flags_reopened(item: QueueItem) -> None:
    """Delete the notifications about a decision on flags, because the decision is undone."""
    flaggers = item.flags.exclude(user=None).values("user")
    sent = InboxItem.objects.filter(kind=Kind.FLAG, user__in=flaggers, **_about_item(item))
    sent = sent.filter(created_at__gte=item.decided_at)
    user_ids = sorted(set(sent.values_list("user_id", flat=True)))
    if user_ids:
        sent.delete()
        outbox.add(UnreadSync(user_ids))


def _about_item(item: QueueItem) -> dict[str, Any]:
    """Return the `post_id` and `comment_id` that an item of the moderation queue is about."""
    post_id = item.comment.post_id if item.comment else item.post_id
    return {"post_id": post_id, "comment_id": item.comment_id}


def text_deleted(about: Post | Comment) -> None:
    """Mark the notifications about a deleted comment, or about a deleted post's thread, as read.

    Sets `read_at` to the time of the deletion, so that `text_restored` finds these notifications.
    """
    if isinstance(about, Comment):
        comments_deleted([about], about.deleted_at)
    else:
        _set_read(InboxItem.objects.filter(post=about, read_at=None), about.deleted_at)


def post_merged(post: Post) -> None:
    """Mark the notifications about a merged post as read, but not those about its comments.

    `text_restored` undoes this.
    """
    items = InboxItem.objects.filter(post=post, comment=None, read_at=None)
    _set_read(items, post.deleted_at)


def text_restored(about: Post | Comment, deleted_at: datetime) -> None:
    """Mark the notifications about a restored post or comment as unread again.

    Skips notifications that had been read before the deletion.
    """
    if isinstance(about, Comment):
        comments_restored([about], deleted_at)
    else:
        _set_read(InboxItem.objects.filter(post=about, read_at=deleted_at), None)


def comments_deleted(comments: Collection[Comment], at: datetime | None) -> None:
    """Mark the notifications about deleted comments as read.

    `at` is the time when the comments were deleted.
    """
    # Restoring a deleted post must not make the notifications about this comment unread.
    unread = Q(read_at=None) | Q(read_at=F("post__deleted_at"))
    _set_read(InboxItem.objects.filter(unread, comment__in=comments), at)


def comments_restored(comments: Collection[Comment], deleted_at: datetime) -> None:
    """Mark the notifications about restored comments as unread again, unless the post is deleted.

    Only notifications whose `read_at` is the time of the deletion become unread.
    """
    post_deleted_at = Post.objects.filter(pk=OuterRef("post_id")).values("deleted_at")
    items = InboxItem.objects.filter(comment__in=comments, read_at=deleted_at)
    _set_read(items, Subquery(post_deleted_at))


def _set_read(items: QuerySet[InboxItem], at: datetime | Subquery | None) -> None:
    """Set `read_at` of inbox items. The worker syncs the unread counts of the items' owners."""
    user_ids = sorted(set(items.values_list("user_id", flat=True)))
    if user_ids:
        items.update(read_at=at)
        outbox.write(UnreadSync(user_ids))


def _notify_watchers_later(comment: Comment, notified: Collection[int]) -> None:
    """Write an outbox row, so that the worker notifies the people who watch a comment's thread.

    The author and the people in `notified` get no notification.
    """
    known = {comment.author_id, *notified}
    others = Watch.objects.filter(post_id=comment.post_id, on=True).exclude(user__in=known)
    if others.exists():
        outbox.add(WatchersSync(comment.pk, Watch.objects.latest("pk").pk))


@dataclass(frozen=True)
class WatchersSync(outbox.Sync):
    """Notifies people of a new comment in a thread that they watch.

    `last` is the id of the newest watch at the time of the comment. People who began to watch later
    aren't notified.
    """

    kind = "watchers"
    in_background = True  # a thread may have thousands of watchers
    comment_id: int
    last: int

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Notify the watchers who have not been notified of the comment yet."""
        for one in syncs:
            after = 0
            while people := _notify_some(one.comment_id, one.last, after):
                after = people[-1]


@transaction.atomic
def _notify_some(comment_id: int, last: int, after: int) -> list[int]:
    """Notify up to 500 people who watch a comment's thread, and return their ids.

    These are the people with the lowest ids above `after`.
    """
    # Edits and deletions also lock the comment, so nobody is notified twice, or after a deletion.
    shown = Comment.objects.visible().on_visible_posts().filter(pk=comment_id)
    comment = shown.select_for_update(no_key=True, of=("self",)).first()
    if comment is None:
        return []
    watching = Watch.objects.filter(post_id=comment.post_id, on=True, pk__lte=last)
    some = watching.filter(user_id__gt=after).order_by("user_id")
    user_ids = list(some.values_list("user_id", flat=True)[:AT_ONCE])
    wanting = [one for one in _not_notified(comment, user_ids) if Kind.WATCHED not in one.muted]
    _deliver(
        _item(one.pk, Kind.WATCHED, comment.author_id, post_id=comment.post_id, comment=comment)
        for one in wanting
    )
    outbox.write(
        *(
            WaitingMail(Mail.WATCHED, one.pk, comment_id=comment.pk)
            for one in wanting
            if one.mails_watched and one.email
        )
    )
    return user_ids


def _not_notified(comment: Comment, user_ids: Collection[int]) -> QuerySet[User]:
    """Return the people in `user_ids` who have no notification of a comment yet.

    Leaves out the author, inactive accounts, and people who blocked the author.
    """
    notified = InboxItem.objects.filter(comment=comment, user__in=user_ids).values("user")
    people = User.objects.filter(pk__in=user_ids).exclude(pk__in=notified)
    others = _others(people, comment.author_id).order_by("pk")
    return others.only("muted", "mails_watched", "email")


def _reasons(comment: Comment, names: Collection[str]) -> dict[InboxItem.Kind, set[int]]:
    """Return the ids of the people to notify of a comment, grouped by reason."""
    answered = comment.parent or comment.post
    mentions = _mentioned(names)
    return {
        Kind.REPLY: {answered.author_id},
        Kind.MENTION: set(mentions.values_list("pk", flat=True)),
    }


def _mentioned(names: Collection[str]) -> QuerySet[User]:
    """Return the people whose user names, in lower case, are in `names`."""
    people = User.objects.annotate(small=Lower("username"))
    return people.filter(small__in=names, is_unconfirmed=False)


def _mail_mention(person: User, post_id: int, comment: Comment | None) -> None:
    if person.mails_mentions and person.email:
        comment_id = comment.pk if comment else 0
        outbox.write(WaitingMail(Mail.MENTIONS, person.pk, post_id, comment_id))


def _loudest(person: Any, reasons: dict[InboxItem.Kind, set[int]]) -> InboxItem.Kind | None:
    muted = {*person.muted, Kind.REPLY} if person.mutes_thread else person.muted
    return next(
        (kind for kind in LOUDEST if person.pk in reasons[kind] and kind not in muted), None
    )


def _wants(person: User, kind: InboxItem.Kind, actor_id: int) -> bool:
    """Return whether a person wants notifications of this kind about the person `actor_id`."""
    if not person.is_active or kind in person.muted:
        return False
    return not person.blocks.filter(blocked=actor_id).exists()


def _others(people: QuerySet[User], actor_id: int) -> QuerySet[User]:
    """Return `people` without the actor, inactive accounts, and people who blocked the actor."""
    active = people.filter(is_active=True).exclude(pk=actor_id)
    return active.exclude(blocks__blocked=actor_id)


def _item(user_id: int, kind: InboxItem.Kind, actor_id: int, **about: Any) -> InboxItem:
    return InboxItem(
        user_id=user_id, kind=kind, actor_id=actor_id, created_at=timezone.now(), **about
    )


def _deliver(items: Iterable[InboxItem]) -> None:
    """Write inbox items, at most one per person and event. Sync unread counts after the commit."""
    written = InboxItem.objects.bulk_create(items, ignore_conflicts=True)
    if written:
        outbox.add(UnreadSync(sorted({one.user_id for one in written})))
