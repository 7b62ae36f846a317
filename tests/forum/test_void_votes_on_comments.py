"""Votes on comments are voided and restored while their post is merged, and when it is no more."""

import pytest

from forum.models import Comment, Post, User
from forum.moderation.actions import merges, undo
from forum.store import outbox
from tests.forum.comments import add_comment
from tests.forum.factories import post
from tests.forum.merging import assert_consistent
from tests.forum.voids import points, void
from tests.forum.voting_sites import cast, older_person, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
ROUNDS = 30
"""More rounds of the worker than these steps take."""


@pytest.fixture
def liked(ada: User) -> Comment:
    """A comment on a duplicate, which one more person than the author voted up."""
    comment = add_comment(older_person("author"), post(ada, "Duplicate"))
    cast(older_person("sock"), comment)
    work()
    return comment


@pytest.fixture
def sock(liked: Comment) -> User:
    return User.objects.get(username="sock")


@pytest.fixture
def remaining(ada: User) -> Post:
    return post(ada, "Remaining")


def finish() -> None:
    """Let the worker do all there is to do, and fail if that never ends."""
    assert any(not outbox.repeat(in_background=True) for _ in range(ROUNDS))
    assert_consistent()


@pytest.mark.parametrize("first", ["void", "merge"])
def test_void_and_merge_end_in_either_order(
    liked: Comment, sock: User, remaining: Post, root: User, first: str
) -> None:
    steps = {
        "void": lambda: void(sock, by=root),
        "merge": lambda: merges.merge(liked.post, remaining, by=root, reason="Duplicate"),
    }
    for name in sorted(steps, key=lambda name: name != first):
        steps[name]()
    finish()
    assert points(liked) == 1


def test_votes_are_restored_after_the_merge_was_undone(
    liked: Comment, sock: User, remaining: Post, root: User
) -> None:
    merge = merges.merge(liked.post, remaining, by=root, reason="Duplicate")
    finish()
    voided = void(sock, by=root)
    finish()
    assert points(liked) == 1
    undo.undo(voided, by=root)
    undo.undo(merge, by=root)
    finish()
    assert points(liked) == 2
