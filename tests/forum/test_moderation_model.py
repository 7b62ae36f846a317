"""After moderators undo any series of actions, the site is as if the actions had never happened."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as bounds
from hypothesis import strategies as st
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import flagged_texts, rules
from forum.actions import posts as post_actions
from forum.actions.rule_checks import Screening
from forum.errors import DomainError
from forum.models import (
    ArchivedVote,
    Ban,
    BoardPoints,
    Comment,
    Flag,
    Group,
    InboxItem,
    ModAction,
    OutboxItem,
    Post,
    QueueItem,
    Rule,
    User,
    Withheld,
)
from forum.moderation.actions import (
    bulk,
    corrections,
    decisions,
    merges,
    removals,
    sanctions,
    threads,
)
from forum.moderation.actions.table import ACTIONS
from forum.moderation.actions.undo import undo
from forum.moderation.flags import services as flags
from forum.queries.groups import directory
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment, comment_ids, page, vote
from tests.forum.factories import groups, person, post
from tests.forum.listing_snapshots import snapshot
from tests.forum.merging import assert_consistent, cast
from tests.forum.past_posts import archive_all
from tests.forum.worker_runs import deliver_outbox, make_rows_due, run_worker
from tests.tables import empty_tables
from voting.types import Target, Vote
from voting.types.person_lists import PersonList

pytestmark = pytest.mark.django_db(transaction=True)

STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            (
                *("remove", "remove", "approve", "dismiss", "restore", "lock", "hold replies"),
                *(
                    "remove all",
                    "merge",
                    "merge",
                    "warn",
                    "ban",
                    "unban",
                    "take out",
                    "restore flagged",
                    "undo",
                    "undo",
                ),
            )
        ),
        st.integers(0, 12),
        st.integers(0, 12),
    ),
    min_size=1,
    max_size=10,
)
READ = Q(read_at__isnull=False)
Step = tuple[str, int, int]
NOTICES = (InboxItem.Kind.MODERATOR, InboxItem.Kind.FLAG)
GIVEN: dict[str, Any] = {
    "deadline": None,
    "derandomize": True,
    "phases": (Phase.generate,),  # add Phase.shrink to find the shortest example of a failure
    "suppress_health_check": list(HealthCheck),
}


def test_undone_actions_leave_no_trace(redis: Redis, one_day: None) -> None:
    _try_steps(redis, examples=6)


@pytest.mark.long
def test_many_undone_actions_leave_no_trace(redis: Redis, one_day: None) -> None:
    _try_steps(redis, examples=60)


def _try_steps(redis: Redis, examples: int) -> None:
    @bounds(max_examples=examples, **GIVEN)
    @given(STEPS)
    def check_steps(steps: list[Step]) -> None:
        _compare(redis, steps)

    check_steps()


def _compare(redis: Redis, steps: list[Step]) -> None:
    site = Site(redis)
    before = site.everything()
    for step in steps:
        with suppress(DomainError):
            site.act(*step)
        finish_work()
    assert_consistent()
    site.undo_all()
    after = site.everything()
    changed = [name for name in {**before, **after} if after.get(name) != before.get(name)]
    assert {name: after.get(name) for name in changed} == {
        name: before.get(name) for name in changed
    }
    assert_consistent()


def finish_work() -> None:
    """Do all background work now, including work that the worker would only do later."""
    while OutboxItem.objects.filter(in_background=True).exists():
        make_rows_due()
        run_worker()


class Site:
    """A small site with every kind of content that moderators act on."""

    def __init__(self, redis: Redis) -> None:
        """Empty SQL and Redis, and write posts, comments, votes and flags."""
        empty_tables()
        redis.flushall()
        get_voting_service().maintenance.generations.open()
        directory.forget()
        self.redis = redis
        self.began = timezone.now() - timedelta(seconds=1)  # posting times are whole seconds
        self.moderator = person("stella", is_staff=True)
        self.people = [person(name) for name in ("ada", "bob", "cleo")]
        ada, bob, cleo = self.people
        self.groups = groups("books", "maths")
        Rule.objects.create(name="Held", words="held", effect=Rule.Effect.HOLD, enabled=True)
        rules.enabled.forget()
        asked, again = post(ada, kind="question"), post(cleo, kind="question", slugs="maths")
        news = post(bob, body="Ask @ada.", slugs="books maths")
        flagged, held, deleted = post(cleo), post(bob, "Held", screening=Screening(bob)), post(ada)
        answer, other = add_comment(bob, asked), add_comment(cleo, asked)
        below = add_comment(ada, asked, "To @bob.", answer)
        elsewhere, late = add_comment(bob, again), add_comment(ada, again)
        said = add_comment(ada, news)
        gone = add_comment(cleo, again, "Nothing.", elsewhere)
        comment_actions.delete(gone, cleo)
        comment_actions.accept(again, late, by=cleo)
        comment_actions.accept(asked, answer, by=ada)
        self.posts = [asked, again, news, flagged, held, deleted]
        self.comments = [answer, other, below, elsewhere, late, said, gone]
        self._vote()
        self._withhold(said, deleted)
        for target in (flagged, other, bob):
            flags.flag(target, by=ada, kind=Flag.Kind.SPAM)
        run_worker()

    def _vote(self) -> None:
        ups, downs = Vote.UP, Vote.DOWN
        for number, written in enumerate(one for one in self.posts if not one.withheld):
            for index, who in enumerate(self.people):
                cast(who, written, (ups, downs, Vote.NONE)[(number + index) % 3])
        for number, said in enumerate(self.comments[:-1]):
            vote(self.people[number % 3], said, ups)
            vote(self.people[(number + 1) % 3], said, downs)

    def _withhold(self, hidden: Comment, deleted: Post) -> None:
        flags.flag(hidden, by=self.people[2], kind=Flag.Kind.SPAM)
        with transaction.atomic():
            flagged_texts.hide(hidden)
        post_actions.delete(deleted, deleted.author)

    def act(self, name: str, which: int, other: int) -> None:
        """Do one of the moderator's actions. Raises DomainError if the action is forbidden."""
        by, text = self.moderator, self._text(which)
        written, who = self._post(which), self.people[which % 3]
        group = (*self.groups, None)[other % 3]
        actions: dict[str, Callable[[], object]] = {
            "remove": lambda: removals.remove(text, by=by, reason="Spam"),
            "restore": lambda: removals.restore(text, by=by, reason="Fine"),
            "approve": lambda: decisions.approve(text, by=by),
            "dismiss": lambda: decisions.dismiss((text, who)[other % 2], by=by),
            "lock": lambda: threads.set_thread(
                written, (ModAction.Kind.LOCK, ModAction.Kind.UNLOCK)[other % 2], by=by, reason=""
            ),
            "hold replies": lambda: threads.set_thread(
                written,
                (ModAction.Kind.HOLD_REPLIES, ModAction.Kind.RELEASE_REPLIES)[other % 2],
                by=by,
                reason="",
            ),
            "merge": lambda: merges.merge(written, self._post(other), by=by, reason="Duplicate"),
            "warn": lambda: sanctions.warn(who, group, by=by, reason="Rude"),
            "ban": lambda: sanctions.ban(
                who, group, by=by, reason="Rude", until=timezone.now() + timedelta(days=other + 1)
            ),
            "unban": lambda: sanctions.unban(who, group, by=by),
            "take out": lambda: corrections.take_out(written, by=by, reason="Off topic"),
            "remove all": lambda: bulk.remove_everything(
                who, group=group, since=self.began, until=timezone.now(), by=by, reason="Spam"
            ),
            "restore flagged": lambda: bulk.restore_flagged(self._text(5), by=by, reason="A raid"),
            "undo": lambda: self._undo(which),
        }
        actions[name]()

    def _post(self, number: int) -> Post:
        return Post.objects.get(pk=self.posts[number % len(self.posts)].pk)

    def _text(self, number: int) -> Post | Comment:
        if number < len(self.comments):
            return Comment.objects.select_related("post").get(pk=self.comments[number].pk)
        return self._post(number - len(self.comments))

    def _undo(self, number: int) -> None:
        actions = list(
            ModAction.objects.filter(kind__in=ACTIONS, undone_at=None, by=self.moderator).order_by(
                "pk"
            )
        )
        if actions:
            undo(actions[number % len(actions)], by=self.moderator)

    def undo_all(self) -> None:
        """Undo all of the moderator's actions. Repeat until no action is left to undo.

        Restorations of flagged texts come last: undoing them skips texts that are removed.
        """
        left = ModAction.objects.filter(
            kind__in=ACTIONS, undone_at=None, by=self.moderator, parent=None
        )
        restores = ModAction.Kind.RESTORE_FLAGGED
        while actions := list(left.order_by("pk")):
            for action in sorted(actions, key=lambda action: action.kind == restores):
                with suppress(DomainError):
                    undo(action, by=self.moderator)
                finish_work()
            assert left.count() < len(actions), "none of the actions can be undone"

    # The data to compare

    def everything(self) -> dict[str, Any]:
        """Return what readers and moderators see, and all counts, from SQL and Redis."""
        archive_all()
        finish_work()
        deliver_outbox()
        return {
            **self._pages(),  # first, because opening pages changes the numbers of views
            **snapshot(self.redis, ("books", "maths"), [who.pk for who in self.people]),
            **self._sql(),
            **self._redis(),
        }

    def _sql(self) -> dict[str, Any]:
        posts = Post.objects.order_by("pk").values(
            *("pk", "title", "withheld", "locked", "holds_replies", "merged_into", "accepted"),
            *("up", "down", "comment_count", "commented_at", "last_comment"),
        )
        comments = Comment.objects.order_by("pk").values(
            *("pk", "post", "parent", "withheld", "up", "down", "created_at")
        )
        lines = BoardPoints.objects.exclude(points=0)
        # The first approval of a held post sets its posting time and counts its author's vote, and
        # undoing the approval hides the post but changes neither.
        held = Post.objects.filter(withheld=Withheld.HELD).values("pk")
        times = Post.objects.exclude(pk__in=held).order_by("pk").values("pk", "score", "created_at")
        votes = ArchivedVote.objects.exclude(post_id__in=held)
        votes = votes.order_by("post_id", "comment_id", "user_id")
        items = InboxItem.objects.exclude(kind__in=NOTICES).order_by("pk")
        waiting = QueueItem.objects.filter(decided_at=None).order_by("pk")
        return {
            "posts": list(posts),
            "posting times": list(times),
            "visible": list(Post.objects.visible().order_by("pk").values_list("pk", flat=True)),
            "comments": list(comments),
            "shown": list(Comment.objects.visible().order_by("pk").values_list("pk", flat=True)),
            "places": list(
                Post.groups.through.objects.order_by("post", "group").values("post", "group")
            ),
            "votes": list(votes.values("post_id", "comment_id", "user_id", "vote", "at")),
            "people": list(User.objects.order_by("pk").values("pk", "karma", "likes_given")),
            "boards": set(lines.values_list("day", "group", "kind", "subject_id", "points")),
            "inbox": list(items.values("user", "kind", "post", "comment", read=READ)),
            "queue": list(waiting.values("kind", "post", "comment", "person", "weight")),
            "queue of groups": sorted(waiting.values_list("pk", "groups")),
            "flags": list(Flag.objects.order_by("pk").values("item", "user", "outcome")),
            "bans": list(Ban.objects.filter(lifted_at=None).values("user", "group", "until")),
        }

    def _redis(self) -> dict[str, Any]:
        service, today = get_voting_service(), get_voting_service().activity.today()
        targets = [Target(*row) for row in Comment.objects.order_by("pk").values_list("post", "pk")]
        inspected = service.maintenance.inspection
        posts = inspected.posts([written.pk for written in self.posts])
        comments = inspected.comments(targets)
        people = [who.pk for who in self.people]
        return {
            "posts in Redis": {
                pk: (one.up, one.down, one.ups, one.downs, one.groups, one.card, one.misplaced)
                for pk, one in posts.items()
                if not one.retracted
            },
            "comments in Redis": {
                on: (one.up, one.down, one.ups, one.downs, one.answer)
                for on, one in comments.items()
                if not one.retracted
            },
            "liked": sorted(service.person_lists.members(PersonList.LIKED, people)),
            "counts": [service.people.counts(pk) for pk in people],
            "leaders": [
                service.boards.day(today, group=slug)
                for slug in ("", *Group.objects.order_by("slug").values_list("slug", flat=True))
            ],
            "unread": [
                {
                    kind: number
                    for kind, number in service.inbox.unread(pk).by_type.items()
                    if kind not in NOTICES
                }
                for pk in people
            ],
        }

    def _pages(self) -> dict[str, Any]:
        return {
            f"page of {written.pk}": comment_ids(page(written))
            for written in Post.objects.visible().order_by("pk")
        }
