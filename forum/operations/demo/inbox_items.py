"""Saves the notifications of the people in the demo content."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from forum.models import InboxItem, PersonFollow
from forum.operations.demo import content
from forum.operations.demo.conversations import HOUR, PlacedRemark
from forum.operations.demo.scene import Scene, moment
from forum.text import markup

Kind = InboxItem.Kind
UNREAD = {
    "ada": 14 * HOUR,
    "bram": 12 * HOUR,
    "kenji": 14 * HOUR,
    "lucia": 14 * HOUR,
    "nadia": 14 * HOUR,
}
"""How many seconds ago these people last opened their inbox; for other people, an hour ago."""
UNREAD_WATCHED = 3 * HOUR
"""Notifications about watched threads stay unread for at most this many seconds."""


def write_inboxes(
    scene: Scene, conversation: Sequence[PlacedRemark], follows: Sequence[PersonFollow]
) -> None:
    """Save a notification for each reply, follow and other event in the demo content."""
    items = [
        *_of_comments(scene, conversation),
        *_of_accepted_answers(conversation),
        *_of_messages(scene),
        *(
            InboxItem(
                user=follow.person,
                kind=Kind.FOLLOWER,
                actor=follow.follower,
                created_at=follow.at,
            )
            for follow in follows
        ),
    ]
    _read(scene, items)
    InboxItem.objects.bulk_create(sorted(items, key=lambda item: item.created_at))


def read_some(scene: Scene, items: Iterable[InboxItem]) -> None:
    """Mark a notification as read if its recipient opened the inbox after it was created."""
    unread = [item for item in items if item.read_at is None]
    _read(scene, unread)
    InboxItem.objects.bulk_update(unread, ["read_at"])


def _read(scene: Scene, items: Iterable[InboxItem]) -> None:
    for item in items:
        read_at = moment(scene.now - _unread_for(item))
        if item.created_at < read_at:
            item.read_at = read_at


def _unread_for(item: InboxItem) -> int:
    """Return how many seconds ago the recipient last read notifications of this kind."""
    unread = UNREAD.get(item.user.username, HOUR)
    return min(unread, UNREAD_WATCHED) if item.kind == Kind.WATCHED else unread


def _of_comments(scene: Scene, conversation: Sequence[PlacedRemark]) -> Iterator[InboxItem]:
    """Yield notifications about replies, mentions and comments in watched threads."""
    authors = {user.pk: name for name, user in scene.people.items()}
    watching: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for post in scene.posts.values():
        watching[post.pk][authors[post.author_id]] = None
    for one in conversation:
        answered = one.parent.remark.by if one.parent else authors[one.post.author_id]
        reasons = dict.fromkeys(watching[one.post.pk], Kind.WATCHED)
        text = markup.read(
            one.remark.text, lambda candidates: {n: n for n in candidates if n in scene.people}
        )
        reasons |= dict.fromkeys(sorted(text.notified), Kind.MENTION) | {answered: Kind.REPLY}
        watching[one.post.pk][one.remark.by] = None
        for name, kind in reasons.items():
            if name != one.remark.by and not one.remark.deleted:
                yield InboxItem(
                    user=scene.people[name],
                    kind=kind,
                    actor=one.author,
                    post=one.post,
                    comment=one.comment,
                    created_at=moment(one.at),
                )


def _of_accepted_answers(conversation: Sequence[PlacedRemark]) -> Iterator[InboxItem]:
    """Yield notifications about accepted answers.

    A notification has the time when the asker replied to the answer. If the asker didn't reply, it
    has the time of the answer.
    """
    for one in conversation:
        if one.remark.accepted:
            thanks = (
                reply.at
                for reply in conversation
                if reply.parent is one and reply.author.pk == one.post.author_id
            )
            yield InboxItem(
                user=one.author,
                kind=Kind.ACCEPTED,
                actor_id=one.post.author_id,
                post=one.post,
                comment=one.comment,
                created_at=moment(next(thanks, one.at)),
            )


def _of_messages(scene: Scene) -> Iterator[InboxItem]:
    for message in content.messages():
        yield InboxItem(
            user=scene.people[message.to],
            kind=Kind.MODERATOR,
            actor=scene.people[message.by],
            text=message.text.strip(),
            created_at=moment(scene.now - int(message.hours_ago * HOUR)),
        )
