"""Check tallies after many people have changed their votes at the same time."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from time import time

from benchmarks.report import Figure
from benchmarks.servers import Server
from benchmarks.world import CARD
from voting.types import Post, PostRecord, Target, Vote

THREADS, CHANGES, PEOPLE = 8, 4_000, 20
POSTS = range(20_000_001, 20_000_006)

Change = Callable[[int, int, Vote], object]


def figures(server: Server) -> Iterator[Figure]:
    """Change votes on five posts from several threads at once, then count wrong votes and tallies.

    Does this with Rostra, and with the plain site in `seeds.py`.
    """
    records = [PostRecord(Post(one, 1, int(time()), (), CARD), 0, 0) for one in POSTS]
    server.service.maintenance.loading.load_posts(records)
    server.seeds.load(records)
    _scramble(server.seeds.change)
    _scramble(lambda user, post, vote: server.service.votes.cast(user, Target(post), vote))
    plain, ours = _wrong_plain(server), _wrong_ours(server)
    what = f"{THREADS} threads, {CHANGES:,} changes on {len(POSTS)} posts: votes wrong"
    yield Figure(what, str(plain), str(ours), "", "0", ours == 0)


def _scramble(change: Change) -> None:
    def work(seed: int) -> None:
        rnd = Random(seed)
        for _ in range(CHANGES // THREADS):
            change(rnd.randrange(1, PEOPLE + 1), rnd.choice(POSTS), rnd.choice(list(Vote)))

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))


def _wrong_plain(server: Server) -> int:
    """Count the errors in the votes of the site in `seeds.py`, with which Rostra is compared.

    Errors are people with two votes on a post, and tallies that don't match the sets of voters.
    """
    wrong = 0
    redis = server.seeds.redis
    for post_id in POSTS:
        ups = redis.smembers(f"voted:{post_id}")
        downs = redis.smembers(f"voted_down:{post_id}")
        votes, against = redis.hmget(f"article:{post_id}", "votes", "downs")
        wrong += len(ups & downs)
        wrong += abs(int(votes) - len(ups)) + abs(int(against) - len(downs))
    return wrong


def _wrong_ours(server: Server) -> int:
    """Count Rostra's errors: people with two votes, and tallies or hot scores that don't match the
    voters.
    """
    wrong = 0
    for post_id, found in server.service.maintenance.inspection.posts(POSTS).items():
        score = server.service.posts.standing(post_id).score
        wrong += len(found.ups & found.downs) + (found.hot != score)
        wrong += abs(found.up - len(found.ups)) + abs(found.down - len(found.downs))
    return wrong
