"""Random actions have the same result on the real site and on a plain Python model of it."""

import pytest
from django.conf import settings
from hypothesis import HealthCheck, Phase
from hypothesis import settings as bounds
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.cluster.nodes import plain_client
from tests.voting.model import Model, ModelPost
from tests.voting.sites import DAY, HOUR, WEEK, Clock, listed, site_at
from tests.voting.stored_state import voters
from voting import keys
from voting.errors import UnknownTarget, VotingClosed
from voting.service import parse_mix
from voting.types import Direction, Mix, Order, Post, Rules, Target, Vote

PEOPLE = st.integers(1, 6)
NAMES = ("a", "b", "c")
GROUPS = st.sets(st.sampled_from(NAMES))
MIXES = tuple(
    mix
    for mix in map(parse_mix, ("a+b", "a+b+c", "a&b", "a&b&c", "a~b", "b~a", "a~b~c"))
    if isinstance(mix, Mix)
)
FIRST_IDS = 60
"""The first post ids, chosen so that some posts share a shard and some don't."""


class Site(RuleBasedStateMachine):
    """A real site and a model of it, which get the same random actions and must always agree."""

    @initialize()
    def begin(self) -> None:
        """Start with an empty site and an empty model."""
        self.redis = plain_client(settings.REDIS_URL)
        self.redis.flushall()
        self.clock = Clock()
        self.site = site_at(settings.REDIS_URL, Rules(page_size=4), clock=self.clock)
        self.site.maintenance.generations.open()
        self.model = Model(self.clock.now)
        self.mixes: dict[tuple[Mix, Order, Direction], list[int]] = {}

    def any_post(self, data: st.DataObject) -> ModelPost:
        """Return a random post of the model."""
        return data.draw(st.sampled_from(list(self.model.posts.values())), "post")

    @rule(author=PEOPLE, groups=GROUPS, ago=st.sampled_from((0, 0, 1, 500, DAY, WEEK - 5)))
    def somebody_publishes(self, author: int, groups: set[str], ago: int) -> None:
        number = FIRST_IDS + 32 * len(self.model.posts)
        post = Post(number, author, self.clock.now - ago, tuple(sorted(groups)), "first", 5)
        self.site.posts.publish(post)
        self.model.publish(post)

    @precondition(lambda self: self.model.posts)
    @rule(data=st.data(), groups=GROUPS, version=st.integers(-1, 1))
    def a_post_is_published_again(
        self, data: st.DataObject, groups: set[str], version: int
    ) -> None:
        known = self.any_post(data)
        new_version = known.version + version
        if not known.loaded:
            self.site.maintenance.loading.load_posts([known.record()])
            known.loaded, new_version = True, known.version + 1
        post = Post(
            known.id, known.author, known.posted_at, tuple(groups), f"{new_version}", new_version
        )
        self.site.posts.publish(post)
        self.model.publish(post)

    @precondition(lambda self: self.model.posts)
    @rule(data=st.data(), person=PEOPLE, wanted=st.sampled_from(Vote))
    def somebody_votes(self, data: st.DataObject, person: int, wanted: Vote) -> None:
        post = self.any_post(data)
        target = Target(post.id)
        if not post.shown:
            with pytest.raises(UnknownTarget):
                self.site.votes.cast(person, target, wanted)
        elif not self.model.open(post):
            with pytest.raises(VotingClosed) as refusal:
                self.site.votes.cast(person, target, wanted)
            assert (refusal.value.ballot.up, refusal.value.ballot.down) == (
                len(post.ups),
                len(post.downs),
            )
        else:
            ballot = self.site.votes.cast(person, target, wanted)
            assert ballot.changed is (post.votes.get(person, Vote.NONE) is not wanted)
            post.votes[person] = wanted
            assert (ballot.up, ballot.down) == (len(post.ups), len(post.downs))

    @rule(seconds=st.sampled_from((1, 60, HOUR, DAY, 3 * DAY, 31 * DAY)))
    def time_passes(self, seconds: int) -> None:
        self.clock.advance(seconds)
        self.model.now = self.clock.now

    @precondition(lambda self: self.model.posts)
    @rule(data=st.data())
    def a_post_is_retracted(self, data: st.DataObject) -> None:
        post = self.any_post(data)
        if post.loaded:
            self.site.posts.retract(post.id)
            post.retracted = True

    @rule()
    def the_site_is_rebuilt_from_its_archive(self) -> None:
        listed_posts = [post for post in self.model.posts.values() if post.shown]
        for post in self.model.posts.values():
            post.loaded = post.shown
        maintenance = self.site.maintenance
        maintenance.generations.close()
        maintenance.generations.clear()
        assert maintenance.loading.load_posts(
            (post.record() for post in listed_posts), filling=True
        ) == len(listed_posts)
        maintenance.generations.open()
        self.mixes.clear()

    @rule()
    def a_minute_passes_for_the_mixes(self) -> None:
        for key in self.redis.scan_iter("*:mix:*"):
            self.redis.delete(key)
        self.mixes.clear()

    @rule(
        order=st.sampled_from(Order),
        direction=st.sampled_from(Direction),
        scope=st.sampled_from((None, *NAMES)),
    )
    def somebody_reads_a_listing(
        self, order: Order, direction: Direction, scope: str | None
    ) -> None:
        expected = self.model.listing(order, scope, direction)
        assert listed(self.site, order, scope, direction) == expected

    @rule(
        order=st.sampled_from((Order.HOT, Order.NEW, Order.TOP_WEEK)),
        direction=st.sampled_from(Direction),
        mix=st.sampled_from(MIXES),
    )
    def somebody_reads_a_mix(self, order: Order, direction: Direction, mix: Mix) -> None:
        key = (mix, order, direction)
        built = self.mixes.get(key) or self.model.listing(order, mix, direction)
        found: list[int] = []
        pages = self.site.listings.page(order, 1, group=mix, direction=direction).pages
        for number in range(1, pages + 1):
            page = self.site.listings.page(order, number, group=mix, direction=direction)
            found += [row.id for row in page.rows]
        assert found == [n for n in built if self.model.posts[n].shown]
        self.mixes[key] = built

    @precondition(lambda self: self.model.posts)
    @rule(data=st.data(), viewer=PEOPLE)
    def somebody_reads_a_post(self, data: st.DataObject, viewer: int) -> None:
        self.compare(self.any_post(data), viewer)

    def compare(self, post: ModelPost, viewer: int) -> None:
        """Assert that the site and the model agree on a post."""
        found = self.site.posts.rows([post.id], viewer=viewer)
        assert bool(found) is post.shown
        for row in found:
            assert (row.up, row.down) == (len(post.ups), len(post.downs))
            assert (list(row.groups), row.card) == (post.groups, post.card)
            expected = post.votes.get(viewer, Vote.NONE) if self.model.remembers(post) else None
            assert row.vote is expected

    def teardown(self) -> None:
        """Assert that the site and the model agree on all data."""
        if not hasattr(self, "model"):
            return
        for post in self.model.posts.values():
            self.compare(post, viewer=1)
            if post.shown and self.model.remembers(post):
                assert voters(self.redis, post.id) == (post.ups, post.downs)
            ends = self.redis.expiretime(keys.voters(Target(post.id)))
            assert ends in {-2, post.posted_at + WEEK + HOUR}
        for order in Order:
            for direction in Direction:
                for scope in (None, *NAMES):
                    self.somebody_reads_a_listing(order, direction, scope)
        sizes = {name: len(self.model.listing(Order.NEW, name, Direction.ASC)) for name in NAMES}
        assert self.site.groups.sizes(NAMES) == sizes
        self.redis.close()


TestSite = Site.TestCase
TestSite.settings = bounds(
    max_examples=30,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    phases=(Phase.generate,),  # add Phase.shrink to find the shortest example of a failure
    suppress_health_check=list(HealthCheck),
)
