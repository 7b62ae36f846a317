"""Fills the inboxes of the demo content's people with what the talk and the ties told them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from forum.models import Comment, InboxItem, PersonFollow
from forum.operations.demo import content
from forum.operations.demo.conversations import HOUR, Told
from forum.operations.demo.scene import Scene, moment
from forum.text import markup

Kind = InboxItem.Kind
UNREAD = {"ada": 14 * HOUR, "bram": 12 * HOUR, "lucia": 14 * HOUR}
"""For so many seconds those who can log in have not looked; everybody else has not for one hour."""
UNREAD_WATCHED = 3 * HOUR
"""Threads they watch they have looked at since."""


def write(
    scene: Scene,
    told: Sequence[Told],
    comments: Mapping[str, Comment],
    follows: Sequence[PersonFollow],
) -> None:
    """Write the notifications that `forum.inbox` would have written at the time. One query."""
    items = [
        *_of_talk(scene, told, comments),
        *_of_answers(told, comments),
        *_of_letters(scene),
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
    for item in items:
        looked_at = moment(scene.now - _unread_for(item))
        if item.created_at < looked_at:
            item.read_at = looked_at
    InboxItem.objects.bulk_create(sorted(items, key=lambda item: item.created_at))


def _unread_for(item: InboxItem) -> int:
    """Return for how many seconds a person has not looked at things of this kind."""
    unread = UNREAD.get(item.user.username, HOUR)
    return min(unread, UNREAD_WATCHED) if item.kind == Kind.WATCHED else unread


def _of_talk(
    scene: Scene, told: Sequence[Told], comments: Mapping[str, Comment]
) -> Iterator[InboxItem]:
    """Yield what comments told: replies first, then mentions, then watched threads."""
    authors = {user.pk: name for name, user in scene.people.items()}
    watching: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for post in scene.posts.values():
        watching[post.pk][authors[post.author_id]] = None
    for one in told:
        answered = one.parent.remark.by if one.parent else authors[one.post.author_id]
        reasons = dict.fromkeys(watching[one.post.pk], Kind.WATCHED)
        text = markup.read(
            one.remark.text, lambda asked: {n: n for n in asked if n in scene.people}
        )
        reasons |= dict.fromkeys(sorted(text.notified), Kind.MENTION) | {answered: Kind.REPLY}
        watching[one.post.pk][one.remark.by] = None
        for name, kind in reasons.items():
            if name != one.remark.by and not one.remark.gone:
                yield InboxItem(
                    user=scene.people[name],
                    kind=kind,
                    actor=one.author,
                    post=one.post,
                    comment=comments[one.key],
                    created_at=moment(one.at),
                )


def _of_answers(told: Sequence[Told], comments: Mapping[str, Comment]) -> Iterator[InboxItem]:
    """Yield what askers told those whose answers they accepted: when they said so, if they did."""
    for one in told:
        if one.remark.accepted:
            thanks = (
                reply.at
                for reply in told
                if reply.parent is one and reply.author.pk == one.post.author_id
            )
            yield InboxItem(
                user=one.author,
                kind=Kind.ACCEPTED,
                actor_id=one.post.author_id,
                post=one.post,
                comment=comments[one.key],
                created_at=moment(next(thanks, one.at)),
            )


def _of_letters(scene: Scene) -> Iterator[InboxItem]:
    for letter in content.letters():
        yield InboxItem(
            user=scene.people[letter.to],
            kind=Kind.MODERATOR,
            actor=scene.people[letter.by],
            text=letter.text.strip(),
            created_at=moment(scene.now - int(letter.hours_ago * HOUR)),
        )
