"""Has the people of the demo content open threads in the past, so that some talk is new to them.

What was viewed is only in Redis: a rebuild does not bring it back.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from forum.gateway.service import get_voting_service
from forum.operations.demo import content
from forum.operations.demo.conversations import HOUR, Told
from forum.operations.demo.scene import Scene, chance
from voting.service import VotingService

BACK = 72 * HOUR
"""Seconds over which what people have opened is spread."""


def replay(scene: Scene, told: Sequence[Told]) -> None:
    """Open what people have opened, at the time. Raises StoreUnavailable. A round trip a visit."""
    for name in content.ties():
        for at, key in sorted(_visits(scene, name, told)):
            post = scene.posts[key]
            then = VotingService(
                get_voting_service().store, get_voting_service().rules, clock=partial(float, at)
            )
            talk = [one for one in told if one.post.pk == post.pk and not one.remark.gone]
            said = sum(one.at <= at for one in talk)
            then.comments.thread(post.pk, (), viewer=scene.people[name].pk, comments=said)


def _visits(scene: Scene, name: str, told: Sequence[Told]) -> Iterator[tuple[int, str]]:
    """Yield when a person last opened which post, not before what they wrote there themselves."""
    wrote = {one.post.pk: one.at for one in told if one.remark.by == name}
    opened = content.ties()[name].opened
    for place, key in enumerate(opened):
        drawn = chance("opened", name, key).random()
        posted_at = scene.posts[key].posted_at
        own = wrote.get(scene.posts[key].pk, posted_at)
        at = scene.now - BACK * (1 - (place + drawn) / len(opened))
        if at <= posted_at:
            at = posted_at + (scene.now - posted_at) * drawn * 0.7
        yield max(int(at), own), key
