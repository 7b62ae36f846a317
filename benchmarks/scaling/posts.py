"""Measure how many bytes of Redis posts, votes and comments take."""

from collections.abc import Iterable, Iterator
from random import Random
from time import sleep, time

from benchmarks.memory import PEOPLE, voter_set
from benchmarks.scaling.lines import Extent, Line, data_bytes, usage
from benchmarks.servers import Server
from benchmarks.world import CARD, GROUPS
from voting.service import VotingService
from voting.types import Post, Target, Vote
from voting.types.comments import Comment

WARMING = 200
"""Number of posts to create before measuring, so that rankings and all shards have data."""
SHOWN = "x" * 300
"""A stored comment: about 200 letters of text as HTML, with the author and times."""
COMMENTS, POST_VOTES, COMMENT_VOTES = 3, 13, 4
"""Numbers of comments per post, votes per post, and votes per comment."""
SETTLING = 0.3
"""Seconds that Redis needs to resize its hash tables after writes."""


def figures(server: Server, extent: Extent) -> Iterator[Line]:
    """Measure how many bytes of Redis a post, a vote, a comment and a vote on a comment take."""
    chance, ids = Random(3), iter(range(1, 100_000_000))
    publish(server.service, ids, WARMING, 3)
    single: list[int] = []
    for groups in (1, 3):
        before = settled(server)
        published = publish(server.service, ids, extent.posts, groups)
        grown = (settled(server) - before) / extent.posts
        what = f"open post in {counted(groups)}, author's vote included"
        yield Line(f"post{groups}", what, grown, "bytes")
        single = single or published
    yield from _votes(server, single, chance)
    yield from _comments(server, single, ids, chance)
    for size in extent.crowds:
        voters = voter_set(server, next(ids), chance.sample(range(1, PEOPLE), size))
        yield Line(f"voters{size}", f"vote on a post with {size:,} voters", voters / size, "bytes")
    yield from _rewritten(server)


def counted(groups: int) -> str:
    """Return a number of groups with the word, such as "3 groups"."""
    return f"{groups} group{'s' if groups > 1 else ''}"


def publish(service: VotingService, ids: Iterator[int], count: int, groups: int) -> list[int]:
    """Publish `count` posts, each in `groups` random groups. Return the ids of the posts."""
    chance, made = Random(count + groups), [next(ids) for _ in range(count)]
    for post_id in made:
        some = tuple(chance.sample(GROUPS, groups))
        author = chance.randrange(1, PEOPLE)
        service.posts.publish(Post(post_id, author, int(time()), some, CARD))
    return made


def settled(server: Server) -> int:
    """Delete all votes from the ledger, then return how many bytes the data in Redis takes."""
    maintenance = server.service.maintenance
    while entries := maintenance.ledger.read(dict.fromkeys(maintenance.ledger.shards, "0-0")):
        maintenance.ledger.trim({entry.shard: entry.id for entry in entries})
    sleep(SETTLING)
    return data_bytes(server)


def journal(server: Server) -> int:
    """Return the size in bytes of the server's append-only file."""
    return int(server.observer.info("persistence")["aof_current_size"])


def _votes(server: Server, posts: list[int], chance: Random) -> Iterator[Line]:
    before = settled(server)
    _vote(server, map(Target, posts), POST_VOTES, chance)
    cast = len(posts) * POST_VOTES
    _, ledger = usage(server, "{s*}:ledger:*")
    yield Line("entry", "vote waiting to be archived", ledger / cast, "bytes")
    grown = (settled(server) - before) / cast
    yield Line("vote", f"each of {POST_VOTES} more votes on a post", grown, "bytes")


def _vote(server: Server, targets: Iterable[Target], votes: int, chance: Random) -> None:
    for target in targets:
        for person in chance.sample(range(1, PEOPLE), votes):
            server.service.votes.cast(person, target, Vote.UP)


def _comments(
    server: Server, posts: list[int], ids: Iterator[int], chance: Random
) -> Iterator[Line]:
    now, before = int(time()), settled(server)
    made = [
        Comment(next(ids), post_id, chance.randrange(1, PEOPLE), now, SHOWN)
        for post_id in posts
        for _ in range(COMMENTS)
    ]
    server.service.comments.publish(*made)
    after = settled(server)
    grown = (after - before) / len(made)
    yield Line("comment", "comment, author's vote and newest text included", grown, "bytes")
    _, forever = usage(server, "{s*}:comment:*[0-9]")
    yield Line("comment_kept", "of it, what stays forever", forever / len(made), "bytes")
    _, newest = usage(server, "{s*:latest*")
    yield Line("newest", "of it, what expires after 30 idle days", newest / len(made), "bytes")
    _vote(server, (Target(one.post_id, one.id) for one in made), COMMENT_VOTES, chance)
    grown = (settled(server) - after) / (len(made) * COMMENT_VOTES)
    what = f"each of {COMMENT_VOTES} more votes on a comment"
    yield Line("comment_vote", what, grown, "bytes")


def _rewritten(server: Server) -> Iterator[Line]:
    """Rewrite the append-only file, then compare its size with the data in memory."""
    data = settled(server)
    server.observer.bgrewriteaof()
    sleep(SETTLING)
    while server.observer.info("persistence")["aof_rewrite_in_progress"]:
        sleep(SETTLING)
    share = journal(server) / data
    yield Line("rewritten", "append-only file after a rewrite, share of memory", share, "")
