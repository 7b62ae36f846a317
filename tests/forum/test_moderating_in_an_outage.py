"""While Redis is down, moderators' decisions are saved in SQL, and listings change afterwards."""

from typing import Any

import pytest

from forum.models import Flag, Post, User
from forum.store import post_sync
from tests.forum.comments import add_comment
from tests.forum.factories import post, reader
from tests.forum.outages import redis_down

pytestmark = pytest.mark.django_db(transaction=True)
LATER = "Lists and counts will be updated when voting is available again."


def test_moderator_removes_a_post_and_lists_follow_later(
    ada: User, gus: User, settings: Any
) -> None:
    written, window = post(ada, "Buy pills"), reader(gus)
    with redis_down(settings):
        sent = {"action": "remove", "reason": "spam"}
        answer = window.post(f"/p/{written.pk}/moderate", sent, follow=True)
        assert LATER in answer.content.decode()
        assert reader().get(written.get_absolute_url()).status_code == 410
    post_sync.deliver([written.pk])
    assert "Buy pills" not in reader().get("/new").content.decode()


def test_flag_queue_and_decision_work_without_redis(
    ada: User, bob: User, gus: User, settings: Any
) -> None:
    rude = add_comment(ada, post(ada), "You fool.")
    with redis_down(settings):
        flagged = reader(bob).post(f"{rude.get_absolute_url()}/flag", {"kind": "unkind"})
        assert flagged.status_code == 303
        assert "You fool." in reader(gus).get("/moderation").content.decode()
        sent = {"action": "dismiss", "reason": ""}
        assert reader(gus).post(f"{rude.get_absolute_url()}/moderate", sent).status_code == 303
    assert Flag.objects.get().outcome == Flag.Outcome.DISAGREED
    assert Post.objects.get().comment_count == 1
