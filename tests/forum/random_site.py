"""A site and a plain model of it, on which the same random things happen."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial
from random import Random
from time import time

from redis import Redis

from forum.errors import Banned, Invalid
from forum.ledger import finished_days
from forum.models import Comment, Group, ModAction, Post, User
from forum.moderation.actions import merges, sanctions, undo, vote_voids
from forum.operations.repair.rebuild import ensure_filled
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.erasing import erase
from tests.forum.factories import groups, person, post
from tests.forum.voting_model import DAY, Key, Model, Text
from tests.forum.voting_sites import cast, clock_at, work
from voting import keys
from voting.errors import UnknownTarget, VotingClosed
from voting.types import Vote

HOUR = 3_600
MOST = 14
"""The most people, and the most posts and comments."""


def moment(at: int) -> datetime:
    return datetime.fromtimestamp(at, UTC)


class RandomSite:
    """Does random things on a site and in a model. Each takes a second.

    It begins tomorrow at 7:00 UTC, so that a seed does the same at any time of the day.
    """

    def __init__(self, seed: int, redis: Redis) -> None:
        self.chance, self.redis = Random(seed), redis
        self.service, self.model = get_voting_service(), Model()
        self.model.now = (int(time()) // DAY + 1) * DAY + 7 * HOUR
        self.people: dict[int, User] = {}
        self.rows: dict[Text, Post | Comment] = {}
        self.gone, self.banned = set[int](), dict[int, int]()
        self.voids: list[tuple[ModAction, list[Key]]] = []
        self.merges: list[tuple[ModAction, Text, Text, list[Text]]] = []

    def clock(self) -> AbstractContextManager[None]:
        """Make the site use the model's clock."""
        return clock_at(lambda: self.model.now)

    def open(self) -> None:
        """Let the first people join and write."""
        groups("books", "maths")
        self.root = self._join("root", 30 * DAY, is_staff=True, is_superuser=True)
        for number in range(4):
            self._join(f"old{number}", 10 * DAY)
        for _ in range(5):
            self.somebody_joins()
        for _ in range(3):
            self.somebody_writes()

    def happens(self) -> None:
        """Do something random, mostly a vote."""
        self.model.now += 1
        often = [self.somebody_votes] * 24 + [self.time_passes] * 3
        often += [self.moderators_void_votes, self.moderators_restore_votes] * 2
        rare = [self.somebody_joins, self.somebody_writes, self.somebody_is_banned]
        rare += [self.redis_is_rebuilt, self.posts_are_merged, self.merge_is_undone]
        rare += [self.account_is_deleted]
        self.chance.choice(often + rare)()

    # People

    def _join(self, name: str, ago: int, **more: object) -> User:
        joined = self.model.now - ago
        made = person(name, date_joined=moment(joined), **more)
        self.people[made.pk] = made
        self.model.new_until[made.pk] = joined + DAY
        return made

    def somebody_joins(self) -> None:
        if len(self.people) < MOST:
            self._join(f"new{len(self.people)}", 0)

    def _somebody(self) -> User:
        here = sorted(self.people.keys() - self.gone - {self.root.pk})
        return self.people[self.chance.choice(here)]

    def _is_banned(self, who: User) -> bool:
        return self.banned.get(who.pk, 0) > self.model.now

    def somebody_writes(self) -> None:
        author = self._somebody()
        if len(self.rows) >= MOST or self._is_banned(author):
            return
        threads = [one for one in self.model.posts if one.is_visible]
        on = self.chance.choice([*threads, None, None])
        if on is None:
            slugs = self.chance.choice(["books", "maths", "books maths"])
            made: Post | Comment = post(author, slugs=slugs)
            text = Text(made.pk, author.pk, made.posted_at, tuple(slugs.split()))
        else:
            made = add_comment(author, Post.objects.get(pk=on.id))
            text = Text(made.pk, author.pk, made.posted_at, on=on)
        self.rows[text] = made
        self.model.publish(text)

    def somebody_votes(self) -> None:
        text, who = self.chance.choice(self.model.texts), self._somebody()
        wanted, network = self.chance.choice(list(Vote)), f"n{list(self.people).index(who.pk) % 5}"
        seen = text.merged_into or text
        self.rows[text].refresh_from_db()
        vote = partial(cast, who, self.rows[text], wanted, network)
        if self._is_banned(who):
            self._refuses(Banned, vote)
        elif not seen.is_visible:
            self._refuses(UnknownTarget, vote)
        elif self.model.now >= seen.closes_at:
            self._refuses(VotingClosed, vote)
        else:
            vote()
            self.model.cast(seen, who.pk, wanted, network)

    def _refuses(self, error: type[Exception], vote: Callable[[], object]) -> None:
        try:
            vote()
        except error:
            return
        raise AssertionError(f"{vote} raises no {error.__name__}")

    def account_is_deleted(self) -> None:
        if len(self.gone) > 3:
            return
        who, keeps_texts = self._somebody(), self.chance.random() < 0.5
        erase(who, keeps_texts=keeps_texts)
        self.gone.add(who.pk)
        if not keeps_texts:
            for text in self.model.texts:
                text.is_removed |= text.author == who.pk

    # Moderators

    def somebody_is_banned(self) -> None:
        who = self._somebody()
        if len(self.banned) > 4:
            return
        until = self.model.now + 30 * HOUR
        sanctions.ban(who, None, by=self.root, reason="Ring", until=moment(until))
        self.banned[who.pk] = until
        if self.chance.random() < 0.5:
            self._void([who], 30 * DAY, None)

    def moderators_void_votes(self) -> None:
        people = self.chance.sample(sorted(self.people.keys() - {self.root.pk}), 3)
        ago, group = self.chance.choice([HOUR, 30 * DAY]), self.chance.choice(["books", None])
        self._void([self.people[pk] for pk in people], ago, group)

    def _void(self, people: list[User], ago: int, slug: str | None) -> None:
        work()
        since, until = self.model.now - ago, self.model.now
        found = self.model.voidable([one.pk for one in people], since, until, slug)
        group = Group.objects.get(slug=slug) if slug else None
        void = partial(
            vote_voids.void_votes,
            people,
            group=group,
            since=moment(since),
            until=moment(until),
            by=self.root,
            reason="Ring",
        )
        if not found:
            self._refuses(Invalid, void)
            return
        self.voids.append((void(), found))
        work()
        self.model.void_votes(found)

    def moderators_restore_votes(self) -> None:
        if self.voids:
            action, found = self.voids.pop(self.chance.randrange(len(self.voids)))
            undo.undo(action, by=self.root)
            work()
            self.model.restore_votes(found)

    def posts_are_merged(self) -> None:
        visible = [one for one in self.model.posts if one.is_visible]
        sources = [one for one in visible if not self.model.merged(one)]
        if len(visible) < 3 or not sources:
            return
        source = self.chance.choice(sources)
        into = self.chance.choice([one for one in visible if one is not source])
        work()
        moved = [one for one in self.model.texts if one.on is source]
        pair = [Post.objects.get(pk=one.id) for one in (source, into)]
        action = merges.merge(*pair, by=self.root, reason="Duplicate")
        work()
        self.model.merge(source, into)
        self.merges.append((action, source, into, moved))

    def merge_is_undone(self) -> None:
        if self.merges:
            work()
            action, source, into, moved = self.merges.pop()
            undo.undo(action, by=self.root)
            work()
            self.model.separate(source, into, moved)

    # Time, and the worker

    def time_passes(self) -> None:
        work()
        self.model.now += self.chance.choice((60, HOUR, 9 * HOUR, 9 * HOUR, 30 * HOUR, 100 * HOUR))
        self._expire()
        due = [
            (text, who)
            for text in self.model.texts
            for who, casts in text.votes.items()
            if casts[-1].waits_until
        ]
        work()
        finished_days.finish()
        self.model.load_with_posts(due)

    def _expire(self) -> None:
        """Delete what Redis would have deleted by now, if its clock were the model's."""
        for key in list(self.redis.scan_iter("*")):
            ends_at = self.redis.expiretime(key)
            if 0 < ends_at <= self.model.now and not key.endswith(keys.NEW_SUFFIX):
                self.redis.delete(key)

    def redis_is_rebuilt(self) -> None:
        work()
        self.service.maintenance.generations.close()
        self.service.maintenance.generations.clear()
        ensure_filled()
        for text in self.model.texts:
            text.places = {}
            self.model.load(text)
