"""Operators' commands don't undo what moderators did to posts and comments."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import verdicts, visibility
from forum.actions.rule_checks import Screening
from forum.actions.rules import Verdict
from forum.models import Ban, Comment, ModAction, Post, QueueItem, Rule, User, Withheld
from forum.moderation.actions import decisions, merges, removals, sanctions, threads, undo
from forum.moderation.conversations import services as conversations
from forum.operations.repair import check, replay
from forum.operations.repair.rebuild import rebuild, refill
from forum.operations.repair.scope import WHOLE, Scope
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment, comment_ids, page, vote
from tests.forum.factories import person, post, reader
from tests.forum.listing_snapshots import snapshot
from tests.forum.merging import assert_consistent, cast, merge, numbers, tally, undone
from tests.forum.past_posts import archive_all
from tests.forum.worker_runs import run_worker
from voting.errors import UnknownTarget
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)

Content = Post | Comment
Operation = Callable[[], object]
REPAIRS: dict[str, Operation] = {
    "check_voting --repair": lambda: call_command("check_voting", "--repair"),
    "rebuild_voting": rebuild,
    "after a restore, or in an empty Redis": refill,
}
repairs = pytest.mark.parametrize("repair", REPAIRS.values(), ids=REPAIRS)


@transaction.atomic
def hide(text: Content) -> None:
    """Hide a published post or comment until a moderator decides."""
    visibility.withhold(text, Withheld.HIDDEN, verdicts.hold(text, Verdict(Rule.Effect.HOLD)))


def withhold_in_sql(text: Content, state: str) -> None:
    """Make a post or comment invisible in SQL only, as if Redis had lost this change."""
    QuerySet(type(text)).filter(pk=text.pk).update(deleted_at=timezone.now(), withheld=state)


def again(text: Content) -> Any:
    """Load a post or comment from SQL again and return it."""
    return QuerySet(type(text)).get(pk=text.pk)


@dataclass
class Site:
    """A site on which moderators did each kind of action once."""

    stella: User
    removed: Post
    held: Post
    hidden: Post
    locked: Post
    merged: Post
    target: Post
    removed_comment: Comment
    held_comment: Comment
    moved_comment: Comment
    merge: ModAction

    @property
    def withheld(self) -> list[Post]:
        """The posts that readers don't see."""
        return [self.removed, self.held, self.hidden, self.merged]


@pytest.fixture
def site(ada: User, bob: User) -> Site:
    """Build a site on which each kind of moderation action has changed a post or comment."""
    stella, cleo = person("stella", is_staff=True), person("cleo")
    Rule.objects.create(name="Held", words="held", effect=Rule.Effect.HOLD, enabled=True)
    held = post(ada, "Held", screening=Screening(ada))
    removed, hidden, locked, merged, target = (
        post(ada, title) for title in ("Removed", "Hidden", "Locked", "Merged", "Target")
    )
    moved = add_comment(bob, merged, "It was here before.")
    removed_comment = add_comment(bob, locked, "No.")
    held_comment = comment_actions.write(
        author=bob, post=locked, parent=None, body="Held, too.", screening=Screening(bob)
    )
    for one in (removed, hidden, locked, merged, target):
        cast(cleo, one, Vote.UP)
    for comment in (moved, removed_comment):
        vote(cleo, comment, Vote.UP)
    removals.remove(removed, by=stella, reason="Spam")
    removals.remove(removed_comment, by=stella, reason="Unkind")
    hide(hidden)
    threads.set_thread(locked, ModAction.Kind.LOCK, by=stella, reason="Heated")
    sanctions.ban(bob, None, by=stella, reason="Unkind", until=None)
    conversations.write_to_moderators(bob, None, body="Why?")
    action = merge(merged, target, stella)
    run_worker()
    posts = (removed, held, hidden, locked, merged, target)
    return Site(stella, *posts, removed_comment, held_comment, moved, action)


def test_check_finds_nothing_wrong(site: Site) -> None:
    assert_consistent()
    for one in site.withheld:
        assert list(check.differences(Scope(post_id=one.pk))) == []


@repairs
def test_repairs_leave_every_state_as_it_is(site: Site, redis: Redis, repair: Operation) -> None:
    archive_all()
    before = snapshot(redis, ("books",), (site.stella.pk,)), numbers(), states(), tally(site.target)
    repair()
    assert (snapshot(redis, ("books",), (site.stella.pk,)), numbers(), states()) == before[:3]
    assert tally(site.target) == before[3] == (2, 0)
    assert_consistent()
    listed = reader().get("/new").content.decode()
    assert [one.title for one in site.withheld if one.title in listed] == []
    for one in site.withheld:
        with pytest.raises(UnknownTarget):
            get_voting_service().votes.cast(site.stella.pk, Target(one.pk), Vote.UP)
    shown = set(comment_ids(page(site.locked)))
    assert site.held_comment.pk not in shown
    assert shown & set(comment_ids(page(site.target))) == set()


def states() -> list[Any]:
    """Return the states of all posts, comments, bans and queue items."""
    columns = ("pk", "deleted_at", "withheld", "withheld_by")
    return [
        list(Post.objects.order_by("pk").values_list(*columns, "locked", "merged_into")),
        list(Comment.objects.order_by("pk").values_list(*columns, "post")),
        list(Ban.objects.values_list("user", "until", "lifted_at")),
        list(QueueItem.objects.order_by("pk").values_list("pk", "kind", "weight", "decided_at")),
        list(ModAction.objects.order_by("pk").values_list("pk", "kind", "undone_at")),
    ]


@repairs
def test_after_a_repair_everything_can_still_be_undone(site: Site, repair: Operation) -> None:
    """Undoing a removal after a repair restores the votes from before the removal."""
    archive_all()
    repair()
    for text in (site.removed, site.removed_comment):
        undo.bring_back(again(text), by=site.stella)
    for text in (site.held, site.hidden, site.held_comment):
        decisions.approve(again(text), by=site.stella)
    undone(site.merge, site.stella)
    assert_consistent()
    for one in (*site.withheld, site.target):
        assert tally(one) == ((1, 0) if one == site.held else (2, 0)), one.title
    shown = set(comment_ids(page(site.locked)))
    assert {site.removed_comment.pk, site.held_comment.pk} <= shown
    assert site.moved_comment.pk in comment_ids(page(site.merged))


@pytest.mark.parametrize("state", Withheld.values)
def test_withheld_post_that_redis_still_shows_is_reported_and_repaired(
    ada: User, state: str
) -> None:
    written = post(ada)
    list(check.differences())
    withhold_in_sql(written, state)
    sentence = f"post {written.pk} is listed in Redis, but not visible in SQL"
    assert sentence in list(check.differences())
    call_command("check_voting", f"post:{written.pk}", "--repair")
    assert list(check.differences()) == []


@pytest.mark.parametrize("state", [Withheld.REMOVED, Withheld.HELD, Withheld.HIDDEN])
def test_withheld_comment_that_redis_still_shows_is_reported_and_repaired(
    ada: User, state: str
) -> None:
    written = add_comment(ada, post(ada))
    list(check.differences())
    withhold_in_sql(written, state)
    Post.objects.update(comment_count=0, commented_at=None, last_comment=None)
    found = list(check.differences())
    assert f"comment {written.pk} is visible in Redis, but deleted in SQL" in found
    call_command("check_voting", "--repair")
    assert list(check.differences()) == []


@repairs
def test_merge_that_is_still_under_way_goes_on_after_a_repair(
    ada: User, bob: User, repair: Operation
) -> None:
    stella, cleo = person("stella", is_staff=True), person("cleo")
    first, duplicate = post(ada), post(bob)
    moved = add_comment(ada, duplicate)
    cast(cleo, duplicate, Vote.UP)
    merges.merge(duplicate, first, by=stella, reason="Duplicate")
    repair()
    run_worker()
    assert comment_ids(page(first)) == [moved.pk]
    assert tally(first) == (3, 0)
    assert_consistent()


ROWS = (
    "id,title,url,points,comments,author,created_at\n1,A quiet page,,5,2,mjn,2016-09-06T06:03:00\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An import file with one post."""
    path = tmp_path / "posts.csv"
    path.write_text(ROWS)
    return path


def test_second_import_does_not_bring_back_what_moderators_removed(file: Path) -> None:
    call_command("import_posts", str(file))
    removals.remove(Post.objects.get(), by=person("stella", is_staff=True), reason="Spam")
    call_command("import_posts", str(file))
    assert Post.objects.get().withheld == Withheld.REMOVED
    assert "A quiet page" not in reader().get("/new").content.decode()
    assert list(check.differences()) == []


def test_import_is_not_screened_by_rules(file: Path) -> None:
    """Operators choose the posts to import, so rules don't apply to these posts."""
    Rule.objects.create(name="Quiet", words="quiet", effect=Rule.Effect.REFUSE, enabled=True)
    call_command("import_posts", str(file))
    assert Post.objects.visible().exists()
    assert not QueueItem.objects.exists()


@pytest.mark.parametrize("command", ["render_texts", "recompute_addresses"])
def test_texts_that_are_rendered_again_stay_withheld(site: Site, command: str) -> None:
    before = states()
    Comment.objects.update(body_html="stale")
    Post.objects.update(body_html="stale")
    call_command(command)
    run_worker()
    assert states() == before
    assert_consistent()


def test_show_says_why_redis_has_no_such_post(site: Site) -> None:
    with pytest.raises(CommandError, match=f"Redis has no post {site.held.pk}: in SQL it is held."):
        call_command("show", f"post:{site.held.pk}")


def test_deep_check_replays_votes_on_withheld_and_merged_texts(site: Site) -> None:
    archive_all()
    assert list(replay.differences(WHOLE)) == []
