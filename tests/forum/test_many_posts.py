"""A rebuild loads thousands of posts in several batches while other processes write."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from forum.models import Post, User
from forum.operations.repair import replay
from forum.operations.repair.rebuild import rebuild
from forum.operations.repair.scope import WHOLE
from forum.store.service import get_voting_service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
MANY = 2_100
"""Number of posts. Django reads 2,000 rows at once, so these posts take more than one read."""


@pytest.fixture
def posts(ada: User) -> list[Post]:
    """Posts in SQL that Redis doesn't have yet. SQL counts one up vote too many on each post."""
    at = timezone.now() - timedelta(days=40)
    made = [Post(author=ada, title=f"Post {n}", created_at=at, up=2) for n in range(MANY)]
    return Post.objects.bulk_create(made)


@pytest.fixture
def write() -> Iterator[Callable[[], None]]:
    """Return a function that writes to SQL over its own connection, as another process would."""

    def change() -> None:
        User.objects.update(karma=5)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        yield lambda: pool.submit(change).result()


def test_redis_is_rebuilt_during_writes(posts: list[Post], write: Callable[[], None]) -> None:
    assert rebuild(lambda _more: write()) == MANY
    assert (
        get_voting_service().posts.standing(posts[-1].pk).score
        == posts[-1].posted_at + get_voting_service().rules.weight
    )


def test_ledger_is_replayed_during_writes(posts: list[Post], write: Callable[[], None]) -> None:
    found = []
    for target, _sentence in replay.targets_that_differ(WHOLE):
        found.append(target.post_id)
        if len(found) % 100 == 1:
            write()
    assert found == [post.pk for post in posts]
