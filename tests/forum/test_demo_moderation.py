"""The demo content has moderation: a queue with work, a log and conversations, all consistent."""

import pytest
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.errors import Locked
from forum.identity import permissions
from forum.models import (
    Ban,
    Conversation,
    Message,
    ModAction,
    Post,
    QueueItem,
    Rule,
    User,
)
from forum.operations.demo import content, moderation
from tests.forum.factories import reader

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("one_day", "demo")]

Kind = ModAction.Kind
HELD, FLAGGED = QueueItem.Kind.HELD, QueueItem.Kind.FLAGGED
OF_MODERATORS = [
    *("/moderation", "/moderation?kind=held", "/moderation?kind=flagged"),
    *("/moderation?state=decided", "/moderation/conversations", "/moderation/people/quentin"),
    *("/moderation/people/first-post-here", "/g/books/automatic-rules", "/g/books/moderators"),
    *("/modlog", "/modlog?group=books", "/modlog?kind=ban", "/modlog?person=quentin"),
]
OF_MEMBERS = ["/conversations", "/conversations/actions", "/flags", "/inbox?kind=flag", "/modlog"]


def the(name: str) -> User:
    return User.objects.get(username=name)


def html_of(name: str, address: str) -> str:
    answer = reader(the(name)).get(address)
    assert answer.status_code == 200, (name, address)
    return str(answer.content.decode())


def test_no_page_of_moderators_is_empty() -> None:
    for name in ("ada", "kenji", "nadia"):
        for address in OF_MODERATORS:
            assert 'class="empty"' not in html_of(name, address), (name, address)


def test_no_page_about_moderation_is_empty_for_a_member_whom_it_concerned() -> None:
    for address in OF_MEMBERS:
        assert 'class="empty"' not in html_of("bram", address), address


def test_queue_has_a_flagged_post_a_flagged_comment_and_a_held_comment() -> None:
    waiting = QueueItem.objects.filter(decided_at=None)
    kinds = [(one.kind, "post" if one.post_id else "comment") for one in waiting.order_by("pk")]
    assert kinds == [(FLAGGED, "post"), (FLAGGED, "comment"), (HELD, "comment")]
    assert "Ten productivity books" in html_of("nadia", "/moderation")


def test_log_has_a_dozen_actions_in_order_of_time_and_two_were_undone() -> None:
    found = list(ModAction.objects.order_by("pk").select_related("post", "comment"))
    assert len(found) >= 12
    assert {Kind.REMOVE, Kind.DISMISS, Kind.LOCK, Kind.WARN, Kind.BAN, Kind.EDIT, Kind.HOLD} <= {
        one.kind for one in found
    }
    times = [one.created_at for one in found]
    assert times == sorted(times)
    assert times[-1] <= timezone.now()
    for one in found:
        text = one.comment or one.post
        assert text is None or text.created_at <= one.created_at, one
    assert sum(one.undone_at is not None for one in found) == 2


def test_locked_thread_takes_no_comment_and_has_none_after_that() -> None:
    locked = Post.objects.get(locked=True)
    assert locked.origin == "demo:parking"
    lock = ModAction.objects.get(post=locked, kind=Kind.LOCK)
    assert not locked.comments.filter(created_at__gt=lock.created_at).exists()
    with pytest.raises(Locked):
        comment_actions.submit(author=the("bram"), post=locked, parent=None, body="One more!")


def test_ban_of_three_days_has_ended_and_that_of_the_spammer_has_not() -> None:
    ended = Ban.objects.get(user=the("quentin"))
    assert ended.until
    assert ended.until < timezone.now()
    assert (ended.until - ended.action.created_at).days == 3
    permissions.require_not_banned(the("quentin"))
    assert Ban.objects.get(user=the("deal-of-the-day")).is_active


def test_an_appeal_was_answered_and_one_message_waits() -> None:
    appeal = Conversation.objects.get(user=the("bram"))
    assert appeal.state == Conversation.State.ANSWERED
    written = appeal.messages.exclude(body="").order_by("pk")
    assert [one.from_moderators for one in written] == [False, True]
    assert Conversation.objects.get(state=Conversation.State.OPEN).group == Rule.objects.get().group


def test_messages_are_in_order_of_time_and_conversations_end_with_the_last() -> None:
    for one in Conversation.objects.all():
        times = list(one.messages.order_by("pk").values_list("created_at", flat=True))
        assert times == sorted(times)
        assert times[-1] <= one.updated_at <= timezone.now()
    assert Message.objects.latest("created_at").created_at <= timezone.now()


def test_rule_holds_a_short_link_of_a_new_member_again() -> None:
    start = Post.objects.get(origin="demo:start-again")
    written = comment_actions.submit(
        author=the("new_in_town"), post=start, parent=None, body="See https://bit.ly/3xYz."
    )
    assert written.withheld == "held"


def test_content_file_names_people_posts_and_comments_that_exist() -> None:
    names = {one.username for one in content.people()}
    posts = {one.key: one for one in content.entries()}
    remarks = {one.key for some in content.threads().values() for one in some if one.key}
    keys: set[str] = set()
    for step in content.steps():
        assert step.do in moderation.DO, step
        assert names >= {step.by} | ({step.person} if step.person else set()), step
        assert not step.post or posts[step.post].hours_ago > step.hours_ago, step
        assert not step.comment or step.comment in remarks, step
        assert not step.undoes or step.undoes in keys, step
        keys.add(step.key)
