"""One person acts in two windows at the same time, and both actions succeed."""

from typing import Any

import pytest

from forum.actions import following
from forum.models import Block, PersonFollow, User, Watch
from tests.forum.concurrency import run_at_once
from tests.forum.factories import person, post, reader
from voting.types.limits import Window

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
ROUNDS = 8


@pytest.fixture
def _no_limits(settings: Any) -> None:
    settings.LIMITS = dict.fromkeys(settings.LIMITS, (Window(1_000, 1),))


def test_following_and_blocking_at_once_does_not_do_both(ada: User, bob: User) -> None:
    for _round in range(ROUNDS):
        run_at_once(
            lambda: following.set_follow(ada, bob, on=True),
            lambda: following.block(ada, bob, on=True),
        )
        follows = PersonFollow.objects.filter(follower=ada, person=bob).exists()
        assert follows != Block.objects.filter(user=ada, blocked=bob).exists()


@pytest.mark.usefixtures("_no_limits")
def test_watching_a_thread_and_writing_in_it_at_once_does_both(ada: User) -> None:
    """Watching a thread and commenting lock the same rows, but in different orders."""
    bob, statuses = person("bob"), list[int]()

    def send(path: str, **form: str) -> None:
        statuses.append(reader(bob).post(path, form).status_code)

    for number in range(ROUNDS):
        path = f"/p/{post(ada).pk}"
        run_at_once(
            lambda: send(f"{path}/watch", on="1"),  # noqa: B023  (called before the next round)
            lambda: send(f"{path}/comment", body=f"Comment {number}."),  # noqa: B023
        )
    assert statuses == [303] * 2 * ROUNDS
    assert Watch.objects.filter(user=bob, on=True).count() == ROUNDS
