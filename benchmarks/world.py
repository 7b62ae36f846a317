"""Creates the posts for measurements. Every run has the same posts."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from time import time

from benchmarks.servers import Server
from voting import keys
from voting.types import Post, PostRecord

CARD = (
    '["A title of some sixty characters, as people write them here","https://www.example.org/'
    '2024/11/an-article-about-it.html","link","a-title-of-some-sixty-characters","somebody"]'
)
GROUPS = ("python", "redis", "django", "science", "cooking")
SPREAD = 6 * 86_400
"""Seconds over which `small_world` spreads its posts. All posts are still open to votes."""
COPIED = 5_000
"""Number of copies that one call of `copy.lua` makes."""
COPY = (Path(__file__).parent / "copy.lua").read_text()


def small_world(count: int) -> Iterator[PostRecord]:
    """Yield posts with the ids 1 to `count` from the last six days, each with some votes.

    Posts with odd ids are in three groups, posts with even ids in one group.
    """
    rnd, now = Random(7), int(time())
    for post_id in range(1, count + 1):
        ups = tuple(rnd.sample(range(1, 50_000), rnd.randrange(1, 60)))
        groups = tuple(rnd.sample(GROUPS, 3 if post_id % 2 else 1))
        post = Post(post_id, ups[0], now - rnd.randrange(SPREAD), groups, CARD)
        yield PostRecord(post, len(ups), 0, ups)


def crowded_world(count: int) -> Iterator[PostRecord]:
    """Yield posts with the ids 1 to `count`, a minute apart. The last post is the newest.

    All posts are in the group `crowd`. A third of the posts are in `red`, a third in `green` and a
    third in `blue`. A thousand posts are also in `few`.
    """
    rnd, now = Random(8), int(time())
    for post_id in range(1, count + 1):
        few = ("few",) if post_id % (count // 1_000) == 0 else ()
        groups = ("crowd", ("red", "green", "blue")[post_id % 3], *few)
        up = rnd.randrange(1, 40)
        post = Post(post_id, up, now - 60 * (count - post_id), groups, CARD)
        yield PostRecord(post, up, 0, tuple(range(1, up + 1)))


def load(server: Server, records: Iterator[PostRecord], *, plain: bool = True) -> None:
    """Store posts in Rostra. If `plain` is true, also store them in the plain site (`seeds`)."""
    while batch := list(islice(records, 1_000)):
        server.service.maintenance.loading.load_posts(batch)
        if plain:
            server.seeds.load(batch)


def copy(server: Server, model: int, group: str, ids: Sequence[int]) -> None:
    """Store copies of the post with id `model` in a group. The copies get the ids `ids`.

    Like old posts, the copies aren't in any ranking.
    """
    script = server.observer.register_script(COPY)
    for start in range(0, len(ids), COPIED):
        some = ids[start : start + COPIED]
        script(
            keys=[keys.post(model), keys.group(group)],
            args=[keys.POST_PATTERN, keys.SHARDS, some[0], some[-1]],
        )
