"""Saves what the people of the demo content follow, hide, save and watch."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from forum.models import GroupFollow, HiddenGroup, Mark, PersonFollow, Watch
from forum.operations.demo import content
from forum.operations.demo.content import Ties
from forum.operations.demo.conversations import PlacedRemark
from forum.operations.demo.scene import Scene, chance, moment


def write_ties(scene: Scene, conversation: Sequence[PlacedRemark]) -> list[PersonFollow]:
    """Save everybody's follows, saved and hidden posts, hidden groups and watched threads.

    Returns the follows between people.
    """
    everybody = content.ties().items()
    follows = [follow for name, ties in everybody for follow in _follows(scene, name, ties)]
    PersonFollow.objects.bulk_create(follows)
    GroupFollow.objects.bulk_create(
        GroupFollow(
            follower=scene.people[name], group=scene.groups[slug], at=_since(scene, name, slug)
        )
        for name, ties in everybody
        for slug in ties.groups
    )
    HiddenGroup.objects.bulk_create(
        HiddenGroup(user=scene.people[name], group=scene.groups[slug], at=_since(scene, name, slug))
        for name, ties in everybody
        for slug in ties.hides
    )
    Mark.objects.bulk_create(mark for name, ties in everybody for mark in _marks(scene, name, ties))
    Watch.objects.bulk_create(_watches(scene, conversation))
    return follows


def _follows(scene: Scene, name: str, ties: Ties) -> Iterator[PersonFollow]:
    """Yield the follows of a person, with times spread over the days since the person joined."""
    joined = scene.joined(name)
    for index, other in enumerate(ties.follows):
        share = (index + chance("follow", name, other).random()) / len(ties.follows)
        at = max(joined + (scene.now - joined) * share, scene.joined(other) + 1)
        yield PersonFollow(
            follower=scene.people[name], person=scene.people[other], at=moment(int(at))
        )


def _since(scene: Scene, name: str, what: str) -> datetime:
    """Return a random time after a person joined."""
    joined = scene.joined(name)
    return moment(joined + int((scene.now - joined) * chance("since", name, what).random()))


def _marks(scene: Scene, name: str, ties: Ties) -> Iterator[Mark]:
    for kind, keys in ((Mark.Kind.SAVED, ties.saved), (Mark.Kind.HIDDEN, ties.hidden)):
        for key in keys:
            post = scene.posts[key]
            first = max(post.posted_at, scene.joined(name))
            at = first + int((scene.now - first) * chance(kind, name, key).random())
            yield Mark(user=scene.people[name], post=post, kind=kind, at=moment(at))


def _watches(scene: Scene, conversation: Sequence[PlacedRemark]) -> Iterator[Watch]:
    """Yield a watch for everybody who wrote in a thread."""
    authors = {(post.pk, post.author_id) for post in scene.posts.values()}
    writers = {(one.post.pk, one.author.pk) for one in conversation}
    for post_id, user_id in sorted(authors | writers):
        yield Watch(post_id=post_id, user_id=user_id)
