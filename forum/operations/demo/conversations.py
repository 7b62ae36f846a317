"""When the remarks of the demo content were made, in answer to what, and who voted on them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from forum.models import Post, User
from forum.operations.demo import content
from forum.operations.demo.content import Remark
from forum.operations.demo.scene import Scene, chance
from forum.operations.importing.drafts import Cast, draw

HOUR = 3_600
FIRST_ANSWERS, REPLIES = 24 * HOUR, 5 * HOUR
"""Within so many seconds people answer a post, and each other; most of them sooner."""
SOONEST = 0.004
"""The share of that time that passes at least."""


@dataclass(frozen=True, slots=True)
class Told:
    """A remark in its place and time. Where it answers another, `parent` is that."""

    remark: Remark
    key: str
    post: Post
    author: User
    at: int
    """Seconds since 1970."""
    parent: "Told | None"
    votes: tuple[Cast, ...]

    @property
    def is_answer(self) -> bool:
        """Whether it answers a question, rather than comment on it or on what others said."""
        on_post = self.parent is None and self.post.kind == Post.Kind.QUESTION
        return on_post and not self.remark.on_question


def told(scene: Scene) -> list[Told]:
    """Return every remark in the order of time, each behind what it answers. No query."""
    found = (
        one for post, remarks in content.threads().items() for one in _thread(scene, post, remarks)
    )
    return sorted(found, key=lambda one: one.at)


def _thread(scene: Scene, name: str, remarks: Sequence[Remark]) -> Iterator[Told]:
    """Yield the remarks under a post, each behind what it answers."""
    branch: list[Told] = []
    for number, remark in enumerate(remarks):
        del branch[remark.deep :]
        parent = branch[-1] if branch else None
        one = _told(scene, f"{name}#{number}", scene.posts[name], remark, parent)
        branch.append(one)
        yield one


def _told(scene: Scene, key: str, post: Post, remark: Remark, parent: Told | None) -> Told:
    since = max(parent.at if parent else post.posted_at, scene.joined(remark.by))
    longest = REPLIES if parent else FIRST_ANSWERS
    passed = SOONEST + (1 - SOONEST) * chance("when", key).random() ** 2
    at = since + int(min(longest, scene.now - since - 1) * passed)
    author = scene.people[remark.by]
    votes = draw(
        key,
        author_id=author.pk,
        posted_at=at,
        up=remark.up,
        down=remark.down,
        people=scene.here(at),
    )
    return Told(remark, key, post, author, at, parent, votes)
