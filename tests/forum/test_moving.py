"""What has changed in SQL since a copy of it, and a Redis that was filled from that copy."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import connection
from django.utils import timezone
from redis import Redis

from forum.backups import sql
from forum.content import publishing
from forum.models import ArchivedVote, Comment, Post, User
from forum.moving import arriving
from forum.moving.changes import beside, changed, targets
from forum.moving.moving import noted_at_rest
from forum.moving.places import Places
from forum.starting import moved
from forum.store import voting
from forum.upkeep.checking import differences
from forum.upkeep.rebuilding import closed, refill
from forum.upkeep.settling import archive_waiting
from tests.forum.cast import groups, person, post
from tests.forum.talk import say
from voting import keys
from voting.errors import StoreEmpty
from voting.types import Order, Target, Vote
from voting.types.person_lists import Kept

pytestmark = pytest.mark.django_db(transaction=True)
BRAM = 900_501


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Where the copy of SQLite is, once it was made."""
    if connection.vendor != "sqlite":
        pytest.skip("Only SQLite is compared with a copy.")
    return tmp_path / sql.SQLITE


def found(copy: Path) -> tuple[set[int], set[int]]:
    """Return the posts and comments that are other than in the copy."""
    with beside(copy):
        differing = targets()
    return set(differing.posts), set(differing.comments)


def test_votes_texts_groups_and_names_that_changed_are_found_and_nothing_else(
    ada: User, copy: Path
) -> None:
    quiet, voted, moved, talked, gone = (post(ada, slugs="books") for _ in range(5))
    other = person("other")
    remark, named = say(ada, talked), post(other)
    archive_waiting()
    sql.dump(copy.parent)
    assert found(copy) == (set(), set())
    voting().cast_vote(BRAM, Target(voted.pk), Vote.UP)
    voting().cast_vote(BRAM, Target(talked.pk, remark.pk), Vote.UP)
    archive_waiting()
    publishing.regroup(moved, groups("maths"))
    publishing.delete(gone)
    User.objects.filter(pk=other.pk).update(username="another")
    new = post(ada)
    posts, comments = found(copy)
    assert posts == {voted.pk, moved.pk, gone.pk, named.pk, new.pk}
    assert comments == {remark.pk}
    assert quiet.pk not in posts


def test_rows_that_came_went_and_changed_are_told_apart(ada: User, copy: Path) -> None:
    doomed = person("doomed")
    sql.dump(copy.parent)
    doomed_id = doomed.pk
    doomed.delete()
    User.objects.filter(pk=ada.pk).update(last_login=timezone.now())
    new = person("new")
    with beside(copy):
        differing = changed(User, "username")
    assert sorted(differing.now) == sorted([(ada.pk, "ada"), (new.pk, "new")])
    assert differing.gone == [(doomed_id, "doomed")]


def test_a_redis_filled_from_a_copy_catches_up_with_what_changed(ada: User, copy: Path) -> None:
    voted, edited, gone = (post(ada, slugs="books") for _ in range(3))
    remark, deleted = say(ada, voted), say(ada, voted)
    voting().cast_vote(BRAM, Target(voted.pk), Vote.UP)
    archive_waiting()
    refill()
    sql.dump(copy.parent)
    # What happens now reaches SQL, and a Redis that nobody moves to.
    now = timezone.now()
    Post.objects.filter(pk=voted.pk).update(up=1, down=1, comment_count=1)
    ArchivedVote.objects.filter(post_id=voted.pk, user_id=BRAM).update(vote=Vote.DOWN, at=now)
    ArchivedVote.objects.create(user_id=BRAM, post_id=edited.pk, vote=Vote.UP, at=now)
    Post.objects.filter(pk=edited.pk).update(title="Another title", version=2, up=2)
    Post.objects.filter(pk=gone.pk).update(deleted_at=timezone.now(), version=2)
    Comment.objects.filter(pk=deleted.pk).update(deleted_at=timezone.now(), version=2)
    Comment.objects.filter(pk=remark.pk).update(body_html="<p>Other.</p>", version=2)
    with beside(copy):
        changes = arriving.spelled(targets())
    arriving.arrive(changes)
    assert list(differences()) == []
    liked = voting().lists.page(Kept.LIKED, BRAM, 0, 10).items
    assert [item.post_id for item in liked] == [edited.pk]
    row = voting().rows([voted.pk], viewer=BRAM)[0]
    assert (row.up, row.down, row.vote) == (1, 1, Vote.DOWN)
    assert {row.id for row in voting().listing(Order.NEW, 1).rows} == {voted.pk, edited.pk}


def fail_while_closed(look: Callable[[], None]) -> None:
    """Close Redis, look at it, and fail."""
    with closed():
        look()
        raise KeyError


def test_nobody_votes_while_redis_is_closed_and_a_failure_opens_it_as_it_was(ada: User) -> None:
    target = Target(post(ada).pk)
    voting().cast_vote(BRAM, target, Vote.UP)
    generation = voting().upkeep.generation()

    def look() -> None:
        assert voting().upkeep.ledger_lag() == 0, "all votes are in SQL"
        with pytest.raises(StoreEmpty):
            voting().cast_vote(BRAM, target, Vote.DOWN)

    with pytest.raises(KeyError):
        fail_while_closed(look)
    assert voting().upkeep.generation() == generation
    assert voting().cast_vote(BRAM, target, Vote.DOWN).changed
    assert list(differences()) == []


def test_who_stood_still_and_lost_the_right_to_close_redis_is_told(ada: User, redis: Redis) -> None:
    """And does not open it in the middle of another's work."""
    voting().cast_vote(BRAM, Target(post(ada).pk), Vote.UP)
    lease = keys.rebuild_lease()
    told: list[bool] = []

    def stand_still() -> None:
        with closed() as nobody_votes:
            told.append(nobody_votes())
            redis.set(lease, "the worker")
            told.append(nobody_votes())
            raise KeyError

    with pytest.raises(KeyError):
        stand_still()
    with pytest.raises(StoreEmpty):
        voting().upkeep.generation()
    redis.delete(lease)
    with closed() as nobody_votes:
        voting().upkeep.open_store()
        told.append(nobody_votes())
    assert told == [True, False, False]


def test_a_site_that_was_opened_before_the_note_was_written_is_not_noted_as_moved(
    ada: User, redis: Redis, tmp_path: Path, settings: Any
) -> None:
    """As by the worker, while whoever moves the site stands still just then."""
    settings.FORUM_DATA = tmp_path
    places = Places(redis="redis://elsewhere")
    voting().cast_vote(BRAM, Target(post(ada).pk), Vote.UP)

    def stand_still() -> None:
        with closed() as nobody_votes:
            redis.set(keys.rebuild_lease(), "the worker")
            with noted_at_rest(places, nobody_votes):
                pytest.fail("people vote")

    with pytest.raises(CommandError, match="stood still"):
        stand_still()
    assert not (tmp_path / moved.NOTE).exists()
    redis.delete(keys.rebuild_lease())
    with closed() as nobody_votes, noted_at_rest(places, nobody_votes):
        assert (tmp_path / moved.NOTE).exists()


def test_a_redis_that_stayed_closed_is_filled_by_whoever_comes_next(ada: User) -> None:
    written = post(ada)
    with closed():
        pass
    with pytest.raises(StoreEmpty):
        voting().upkeep.generation()
    refill()
    assert voting().rows([written.pk])[0].up == 1
