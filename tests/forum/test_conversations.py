"""Conversations between people and moderators: notices, appeals, states and emails."""

import re
from html import unescape
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from forum.actions import notifications
from forum.actions.notice_texts import text_of
from forum.actions.policy import policy
from forum.api import tokens
from forum.errors import Forbidden
from forum.identity.roles import powers_of
from forum.models import (
    Conversation,
    Group,
    InboxItem,
    Message,
    ModAction,
    User,
)
from forum.moderation.actions import removals, sanctions, undo
from forum.moderation.conversations import queries, services
from tests.forum.atom import read
from tests.forum.comments import add_comment
from tests.forum.factories import (
    groups,
    person,
    person_with_email,
    post,
    reader,
    reauthenticated_reader,
    set_policy,
)
from tests.forum.outages import redis_down
from tests.forum.worker_runs import run_worker
from voting.errors import Throttled

pytestmark = pytest.mark.django_db(transaction=True)
State = Conversation.State


@pytest.fixture(autouse=True)
def _default_policy() -> None:
    policy.forget()


def html(window: Any, address: str) -> str:
    """Return the HTML of a page. Assert that the browser gets status 200."""
    response = window.get(address)
    assert response.status_code == 200, (address, response.status_code)
    return str(response.content.decode())


def ban(user: User, by: User, group: Group | None) -> ModAction:
    return sanctions.ban(user, group, by=by, reason="Rude", until=None)


def test_removal_is_explained_in_a_conversation(ada: User, gus: User, books: Group) -> None:
    written = add_comment(ada, post(ada, "On knots"))
    removals.remove(written, by=gus, reason="Off topic")
    item = InboxItem.objects.get(user=ada)
    assert "Message from the moderators of Books" in html(reader(ada), "/inbox")
    opened = reader(ada).get(f"/inbox/{item.pk}")
    conversation = Conversation.objects.get(user=ada, group=books)
    assert opened["Location"] == conversation.get_absolute_url()
    page = html(reader(ada), conversation.get_absolute_url())
    assert "comment on “On knots”" in page
    assert "Reason: Off topic" in page
    assert "moderators of /g/books" in page
    assert "gus" not in page
    item.refresh_from_db()
    assert item.read_at


def test_notice_of_a_removal_says_what_was_removed_and_how_to_appeal(
    ada: User, bob: User, gus: User, books: Group
) -> None:
    written = post(ada, "On knots", body="Tie *two* ends.")
    remark = add_comment(ada, post(bob, "On ropes"), f"Buy **cheap** rope. {'Now! ' * 60}")
    told = {
        removals.remove(written, by=gus, reason="Off topic"): "your post “On knots”",
        removals.remove(remark, by=gus, reason="Spam"): (
            "your comment on “On ropes”: “Buy cheap rope. Now! Now!"
        ),
    }
    (item,) = InboxItem.objects.filter(user=ada, read_at=None)
    page = unescape(html(reader(ada), "/inbox"))
    assert "Removed: your comment on “On ropes”: “Buy cheap rope. Now! Now!" in page
    assert "Reason: Spam" in page
    assert "To appeal, open this message and reply to it." in page
    assert len(item.text) < 400
    messages = Message.objects.filter(action__in=told)
    assert all(told[one.action] in text_of(one) for one in messages if one.action)
    undo.undo(next(iter(told)), by=gus)
    assert "A moderator undid this action." in InboxItem.objects.latest("pk").text


def test_notice_is_in_the_language_of_the_person(gus: User) -> None:
    eva = person("eva", language="zh-hans")
    removals.remove(post(eva, "On knots"), by=gus, reason="Spam")
    assert "你的帖子“On knots”" in InboxItem.objects.get(user=eva).text


def test_programs_and_feeds_get_the_text_of_messages_from_moderators(ada: User, gus: User) -> None:
    token = tokens.create(user=ada, name="Script", scopes=["read"])
    page = reauthenticated_reader(ada).post("/preferences/feeds").content.decode()
    feed = re.findall(r'value="http://localhost:8000(/feeds/[^"]+inbox[^"]+)"', page)[0]

    def texts() -> tuple[str, str]:
        headers = {"Authorization": f"Bearer {token}"}
        (item, *_older) = reader().get("/api/v1/inbox", headers=headers).json()["items"]
        return item["text"], read(feed).parsed.entries[0].summary

    removals.remove(post(ada, "On knots"), by=gus, reason="Off topic")
    assert all("your post “On knots”" in text and "Off topic" in text for text in texts())
    services.write(Conversation.objects.get(user=ada), by=gus, body="Read our *rules*.")
    assert all("Read our *rules*." in text for text in texts())


def test_conversation_shows_the_removed_text_and_undo_to_those_who_may_undo(
    ada: User, gus: User, stella: User, books: Group
) -> None:
    written = post(ada, "On knots", body="Tie *two* ends.")
    action = removals.remove(written, by=gus, reason="Off topic")
    address = Conversation.objects.get(user=ada).get_absolute_url()
    button = f'formaction="/modlog/{action.pk}/undo"'
    for who, may_undo in ((ada, False), (gus, True), (stella, True)):
        page = html(reader(who), address)
        assert "Tie <em>two</em> ends." in page
        assert (button in page) is may_undo
    assert "To appeal, write a message below." in html(reader(ada), address)
    auditor = person("audrey", is_auditor=True)
    assert button not in html(reader(auditor), address)
    undone = reader(gus).post(f"/modlog/{action.pk}/undo", {"next": address})
    assert undone["Location"] == address
    for who in (ada, gus):
        page = html(reader(who), address)
        assert "Tie <em>two</em> ends." not in page
        assert button not in page


def test_policy_names_moderators_in_notices_and_messages(ada: User, gus: User) -> None:
    set_policy(names_moderators=True)
    removals.remove(post(ada), by=gus, reason="Off topic")
    conversation = Conversation.objects.get(user=ada)
    services.write(conversation, by=gus, body="Sorry.")
    page = html(reader(ada), conversation.get_absolute_url())
    assert page.count("gus") == 2


def test_undone_action_says_so_in_its_notice(ada: User, stella: User) -> None:
    action = removals.remove(post(ada), by=stella, reason="Spam")
    InboxItem.objects.filter(user=ada).update(read_at=timezone.now())
    undo.undo(action, by=stella)
    assert "Undone on" in html(reader(ada), Conversation.objects.get().get_absolute_url())
    assert InboxItem.objects.filter(user=ada).count() == 2


def test_new_message_comes_first_though_an_older_one_is_unread(ada: User, gus: User) -> None:
    action = removals.remove(post(ada), by=gus, reason="Spam")
    older = InboxItem.objects.get(user=ada)
    notifications.followed(gus, ada)
    conversation = Conversation.objects.get(user=ada)
    services.write(conversation, by=gus, body="Read our rules.")
    newest, follower = InboxItem.objects.filter(user=ada).order_by("-pk")
    assert (newest.conversation, follower.kind) == (conversation, InboxItem.Kind.FOLLOWER)
    assert newest.created_at > older.created_at
    page = html(reader(ada), "/inbox")
    assert page.index("Message from the moderators") < page.index("follows you")
    undo.undo(action, by=gus)
    assert InboxItem.objects.filter(user=ada, conversation=conversation).count() == 1


def test_banned_person_appeals_and_moderators_answer(bob: User, gus: User, books: Group) -> None:
    ban(bob, gus, books)
    conversation = Conversation.objects.get(user=bob, group=books)
    address = conversation.get_absolute_url()
    assert queries.open_conversations(powers_of(gus)) == 0
    assert reader(bob).post(address, {"body": "Why *me*?"}).status_code == 303
    assert queries.open_conversations(powers_of(gus)) == 1
    assert "<em>me</em>" in html(reader(gus), address)
    assert "bob" in html(reader(gus), "/moderation/conversations")
    InboxItem.objects.filter(user=bob).update(read_at=timezone.now())
    assert reader(gus).post(address, {"body": "Because."}).status_code == 303
    conversation.refresh_from_db()
    assert conversation.state == State.ANSWERED
    assert InboxItem.objects.get(user=bob, read_at=None).conversation == conversation
    assert "Because." in html(reader(bob), address)


def test_person_banned_from_the_site_may_write_to_any_moderators(
    bob: User, stella: User, books: Group
) -> None:
    ban(bob, stella, None)
    for address in ("/conversations/write", "/conversations/write?group=books"):
        services_before = Message.objects.filter(by=bob).count()
        response = reader(bob).post(address, {"body": "Hello?"})
        assert response.status_code == 303
        assert Message.objects.filter(by=bob).count() == services_before + 1
    assert reader(bob).get("/conversations/write?group=books").status_code == 302
    assert reader(bob).get("/conversations/write?group=nothing").status_code == 404


def test_people_and_moderators_talk_while_redis_is_down(
    bob: User, stella: User, settings: Any
) -> None:
    ban(bob, stella, None)
    address = Conversation.objects.get().get_absolute_url()
    with redis_down(settings):
        assert reader(bob).post(address, {"body": "Why?"}).status_code == 303
        assert reader(stella).post(address, {"body": "Because."}).status_code == 303
        assert "Because." in html(reader(bob), address)


def test_either_side_closes_and_a_message_opens_again(bob: User, gus: User, books: Group) -> None:
    written = services.write_to_moderators(bob, books, body="Hello?")
    conversation = written.conversation
    for user in (bob, gus):
        address = f"{conversation.get_absolute_url()}/close"
        assert reader(user).post(address).status_code == 303
        conversation.refresh_from_db()
        assert conversation.state == State.CLOSED
        services.write(conversation, by=user, body=f"{user} again.")
    assert conversation.state == State.ANSWERED
    assert reader(bob).get(f"{conversation.get_absolute_url()}/close").status_code == 405


def test_strangers_other_moderators_and_guests_read_no_conversation(
    ada: User, bob: User, gus: User, stella: User
) -> None:
    maths = services.write_to_moderators(ada, groups("maths")[0], body="Secret.").conversation
    address = maths.get_absolute_url()
    for user in (bob, gus):
        assert reader(user).get(address).status_code == 403
        assert reader(user).post(address, {"body": "Me too."}).status_code == 403
        assert reader(user).post(f"{address}/close").status_code == 403
    assert reader().get(address).status_code == 302
    auditor = person("audrey", is_auditor=True)
    assert "Secret." in html(reader(auditor), address)
    assert reader(auditor).post(address, {"body": "Me too."}).status_code == 403
    assert "Secret." in html(reader(stella), address)
    assert reader(bob).get("/moderation/conversations").status_code == 403


def test_group_moderator_lists_only_conversations_of_their_groups(ada: User, gus: User) -> None:
    for slug in ("books", "maths"):
        services.write_to_moderators(ada, groups(slug)[0], body="Hello?")
    services.write_to_moderators(ada, None, body="Hello?")
    assert html(reader(gus), "/moderation/conversations?state=").count("ada: ") == 1
    stella = person("stella", is_staff=True)
    assert html(reader(stella), "/moderation/conversations").count("ada: ") == 3
    assert html(reader(stella), "/moderation/conversations?group=maths").count("ada: ") == 1
    assert "ada: " not in html(reader(stella), "/moderation/conversations?state=closed")


def test_same_message_sent_twice_is_written_once(bob: User) -> None:
    for _time in range(2):
        written = services.write_to_moderators(bob, None, body="Hello?")
    assert list(Message.objects.all()) == [written]


def test_too_many_messages_are_refused_with_their_text(bob: User) -> None:
    for number in range(services.MOST):
        services.write_to_moderators(bob, None, body=f"Hello {number}?")
    with pytest.raises(Throttled):
        services.write_to_moderators(bob, None, body="Hello?")
    address = Conversation.objects.get().get_absolute_url()
    refused = reader(bob).post(address, {"body": "Are you there?"})
    assert refused.status_code == 429
    assert "Are you there?" in refused.content.decode()


def test_messages_and_notices_are_emailed_if_wanted(gus: User, books: Group) -> None:
    keen = person_with_email("keen", mails_moderators=True)
    quiet = person_with_email("quiet")
    for user in (keen, quiet):
        sanctions.warn(user, books, by=gus, reason="Be kind.")
    services.write(Conversation.objects.get(user=keen), by=gus, body="Please.")
    run_worker()
    warned, answered = mail.outbox
    assert {one.to[0] for one in mail.outbox} == {keen.email}
    assert warned.subject.endswith("Message from the moderators of Books")
    assert "Warned: Books\nReason: Be kind.\nTo appeal, open this message" in warned.body
    assert "Please." in answered.body
    assert "/conversations/" in answered.body


def test_long_conversation_has_pages(bob: User, settings: Any) -> None:
    settings.PAGE_SIZE = 2
    for number in range(3):
        services.write_to_moderators(bob, None, body=f"Message {number}.")
    address = Conversation.objects.get().get_absolute_url()
    page = html(reader(bob), address)
    assert "Message 0." not in page
    first = Message.objects.order_by("pk")[1].pk
    assert "Message 0." in html(reader(bob), f"{address}?before={first}")


def test_moderators_write_first_but_not_to_themselves(ada: User, gus: User, books: Group) -> None:
    address = "/moderation/people/ada/write"
    sent = reader(gus).post(address, {"place": "books", "body": "Welcome."})
    assert sent["Location"].startswith(Conversation.objects.get(user=ada).get_absolute_url())
    with pytest.raises(Forbidden):
        services.write_to_person(gus, books, by=gus, body="Hello.")
