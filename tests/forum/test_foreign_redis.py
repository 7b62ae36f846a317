"""`manage.py up` refuses to start if Redis and SQL belong to different sites."""

from typing import Any

import pytest
from django.core.management import CommandError

from forum.actions import posts as post_actions
from forum.models import Post, User
from forum.operations.supervision.prepare import refuse_votes_of_another_site
from tests.forum.factories import post

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("embedded", "way"),
    [(True, "use a new FORUM_DATA, or delete /"), (False, "set REDIS_URL to an empty database")],
)
def test_site_does_not_start_if_redis_has_posts_unknown_to_sql(
    ada: User, settings: Any, embedded: bool, way: str
) -> None:
    settings.EMBEDDED = embedded
    post(ada, "Of another site")
    Post.objects.all().delete()
    with pytest.raises(CommandError, match=r"has the votes of 1 posts") as refused:
        refuse_votes_of_another_site()
    assert way in str(refused.value)


def test_site_starts_with_its_own_posts_even_if_all_are_deleted(ada: User) -> None:
    refuse_votes_of_another_site()
    written = post(ada, "Of this site")
    refuse_votes_of_another_site()
    post_actions.delete(written)
    refuse_votes_of_another_site()
