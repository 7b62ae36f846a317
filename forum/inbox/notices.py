"""What people are told: each event becomes an inbox item for everybody it concerns.

Call these in the transaction of the event, so that neither is without the other. Whatever the
number of people, an event takes a constant number of queries; the counts in Redis and the mail
follow after the commit.
"""

from collections.abc import Collection, Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.utils import timezone

from forum.inbox import mail_tasks, unread, watching
from forum.models import Comment, InboxItem, Post, User, Watch
from forum.text.mentions import mentioned

Kind = InboxItem.Kind
LOUDEST = (Kind.REPLY, Kind.MENTION, Kind.WATCHED)
"""Why a comment may concern a person; of several reasons they are told the first they want."""
MUTABLE = (Kind.REPLY, Kind.MENTION, Kind.WATCHED, Kind.FOLLOWER, Kind.ACCEPTED)
"""Kinds that people may do without; what moderators say always arrives."""


@transaction.atomic
def comment_written(comment: Comment) -> None:
    """Tell the author of what was replied to, who is mentioned and who watches the thread.

    The writer watches the thread from now on, unless they decided not to.
    """
    reasons = _reasons(comment)
    concerned = User.objects.filter(pk__in=set().union(*reasons.values()))
    people = _others(concerned, comment.author_id)
    items, to_mail = [], []
    for person in people.only("muted", "mails_replies", "email"):
        kind = _loudest(person, reasons)
        if kind is None:
            continue
        item = _item(person.pk, kind, comment.author_id, post_id=comment.post_id, comment=comment)
        items.append(item)
        if kind is Kind.REPLY and person.mails_replies and person.email:
            to_mail.append(person.pk)
    _deliver(items)
    for user_id in to_mail:
        mail_tasks.send_reply.enqueue(user_id, comment.pk)
    watching.watch_from_now_on(comment.author_id, comment.post_id)


@transaction.atomic
def mentions_written(about: Post | Comment, former: str = "") -> None:
    """Tell whom a post, or an edit that changed its `former` text or a comment's, newly mentions.

    Nobody who was told of the same post or comment before is told again.
    """
    comment = about if isinstance(about, Comment) else None
    post_id = comment.post_id if comment else about.pk
    names = set(mentioned(about.body)) - set(mentioned(former))
    if not names:
        return
    people = _others(_mentioned(names), about.author_id)
    told = InboxItem.objects.filter(post_id=post_id, comment=comment).values("user")
    wanted = [one for one in people.exclude(pk__in=told) if Kind.MENTION not in one.muted]
    author_id = about.author_id
    _deliver(
        [_item(one.pk, Kind.MENTION, author_id, post_id=post_id, comment=comment) for one in wanted]
    )


@transaction.atomic
def followed(follower: User, person: User) -> None:
    """Tell a person that somebody follows them; who comes back later is not told again."""
    known = InboxItem.objects.filter(user=person, kind=Kind.FOLLOWER, actor=follower)
    if _wants(person, Kind.FOLLOWER, follower.pk) and not known.exists():
        _deliver([_item(person.pk, Kind.FOLLOWER, follower.pk)])


@transaction.atomic
def accepted(post: Post, comment: Comment, by: User) -> None:
    """Tell the author of an answer that the asker accepted it; once, however often they do."""
    author = comment.author
    if author.pk != by.pk and _wants(author, Kind.ACCEPTED, by.pk):
        _deliver([_item(author.pk, Kind.ACCEPTED, by.pk, post_id=post.pk, comment=comment)])


@transaction.atomic
def moderator_message(user: User, text: str, by: User) -> None:
    """Put what a moderator says in a person's inbox; nobody can mute or block that."""
    _deliver([_item(user.pk, Kind.MODERATOR, by.pk, text=text)])


def _reasons(comment: Comment) -> dict[InboxItem.Kind, set[int]]:
    """Return whom a comment concerns, by why. Two queries, and one for who was replied to."""
    answered = comment.parent or comment.post
    mentions = _mentioned(mentioned(comment.body))
    watches = Watch.objects.filter(post_id=comment.post_id, on=True)
    return {
        Kind.REPLY: {answered.author_id},
        Kind.MENTION: set(mentions.values_list("pk", flat=True)),
        Kind.WATCHED: set(watches.values_list("user_id", flat=True)),
    }


def _mentioned(names: Collection[str]) -> QuerySet[User]:
    """Return who has these names in small letters."""
    return User.objects.annotate(small=Lower("username")).filter(small__in=names)


def _others(people: QuerySet[User], actor_id: int) -> QuerySet[User]:
    """Leave out who did it, who is gone, and who blocked them."""
    active = people.filter(is_active=True).exclude(pk=actor_id)
    return active.exclude(blocks__blocked=actor_id)


def _loudest(person: User, reasons: dict[InboxItem.Kind, set[int]]) -> InboxItem.Kind | None:
    wanted = (kind for kind in LOUDEST if person.pk in reasons[kind] and kind not in person.muted)
    return next(wanted, None)


def _wants(person: User, kind: InboxItem.Kind, actor_id: int) -> bool:
    """Say whether a person hears of this kind of thing from that person. One query."""
    if not person.is_active or kind in person.muted:
        return False
    return not person.blocks.filter(blocked=actor_id).exists()


def _item(
    user_id: int,
    kind: InboxItem.Kind,
    actor_id: int,
    *,
    post_id: int | None = None,
    comment: Comment | None = None,
    text: str = "",
) -> InboxItem:
    return InboxItem(
        user_id=user_id,
        kind=kind,
        actor_id=actor_id,
        post_id=post_id,
        comment=comment,
        text=text,
        created_at=timezone.now(),
    )


def _deliver(items: Iterable[InboxItem]) -> None:
    """Write items, each event once, and have everybody's counts follow."""
    told = InboxItem.objects.bulk_create(items, ignore_conflicts=True)
    unread.tell_after_commit({item.user_id for item in told})
