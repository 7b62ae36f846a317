"""The inbox, grouped by thread: titles, unwatching, and replying from the inbox."""

import re

import pytest
from django.test import Client

from forum.actions import comments as comment_actions
from forum.actions import following
from forum.actions import posts as post_actions
from forum.models import Comment, InboxItem, Post, User, Watch
from tests.forum.comments import add_comment
from tests.forum.factories import post, reader
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def bread(ada: User) -> Post:
    return post(ada, title="Bread")


def reply(window: Client, on: Post, comment: Comment, body: str = "Thanks!") -> str:
    """Reply to a comment with the inbox's form; return the URL that the response redirects to."""
    item = InboxItem.objects.get(comment=comment)
    form = {"body": body, "parent": comment.pk, "item": item.pk, "next": "/inbox?kind=reply"}
    answer = window.post(f"/p/{on.pk}/comment", form)
    assert answer.status_code == 303
    return str(answer["Location"])


def test_items_of_one_thread_are_grouped_under_its_title(
    ada: User, bob: User, bread: Post, window: Client
) -> None:
    butter = post(ada, title="Butter")
    add_comment(bob, bread, "One.")
    add_comment(bob, butter, "Two.")
    following.set_follow(bob, ada, on=True)
    add_comment(bob, bread, "Three.")
    html = get_html("/inbox", window)
    places = [html.index(text) for text in ("Bread", "Three.", "One.", "follows you", "Butter")]
    assert places == sorted(places)
    assert html.index("Butter") < html.index("Two.")
    assert html.count(f'<a href="{bread.get_absolute_url()}" dir="auto">Bread</a>') == 1


def test_thread_is_unwatched_and_watched_again_from_the_inbox(
    ada: User, bob: User, bread: Post, window: Client
) -> None:
    add_comment(bob, bread)
    way = f'formaction="/p/{bread.pk}/watch" name="on" value="{{}}"'
    assert way.format(0) in get_html("/inbox", window)
    answer = window.post(f"/p/{bread.pk}/watch", {"on": "0", "next": "/inbox?kind=reply"})
    assert answer["Location"] == f"/inbox?kind=reply#thread-{bread.pk}"
    assert not Watch.objects.get(user=ada, post=bread).on
    html = get_html("/inbox", window)
    assert f'id="thread-{bread.pk}"' in html
    assert way.format(1) in html
    assert "You will no longer be notified of new comments in this thread." in html


def test_reply_from_the_inbox_returns_to_the_inbox(
    ada: User, bob: User, bread: Post, window: Client
) -> None:
    comment = add_comment(bob, bread, "Needs salt.")
    item = InboxItem.objects.get()
    html = get_html("/inbox", window)
    assert f'<input type="hidden" name="parent" value="{comment.pk}">' in html
    assert f'<label for="reply-{item.pk}">Your reply</label>' in html
    assert reply(window, bread, comment) == f"/inbox?kind=reply#item-{item.pk}"
    written = Comment.objects.get(parent=comment)
    assert (written.author, written.body) == (ada, "Thanks!")
    item.refresh_from_db()
    assert item.read_at is not None
    html = get_html("/inbox", window)
    assert f'Your reply was sent. <a href="{written.get_absolute_url()}">' in html


def test_refused_reply_gives_the_text_back(bob: User, bread: Post, window: Client) -> None:
    comment = add_comment(bob, bread)
    item = InboxItem.objects.get()
    comment_actions.delete(comment, by=bob)
    form = {"body": "A long thought.", "parent": comment.pk, "item": item.pk, "next": "/inbox"}
    answer = window.post(f"/p/{bread.pk}/comment", form)
    assert "A long thought." in answer.content.decode()
    assert not Comment.objects.filter(body="A long thought.").exists()


def test_reply_does_not_mark_an_item_of_another_person(ada: User, bob: User, bread: Post) -> None:
    comment = add_comment(bob, bread)
    reply(reader(bob), bread, comment)
    assert InboxItem.objects.get(user=ada).read_at is None


def test_deleted_post_has_neither_title_quote_nor_form(
    bob: User, bread: Post, window: Client
) -> None:
    add_comment(bob, bread, "I like it.")
    post_actions.delete(bread)
    html = get_html("/inbox", window)
    assert "Bread" not in html
    assert "I like it." not in html
    assert "This post is no longer available." in html
    assert "Your reply" not in html
    assert not re.search(r'id="thread-', html)


def test_a_person_who_mutes_replies_in_a_thread_is_notified_only_of_mentions(
    ada: User, bob: User, bread: Post, window: Client
) -> None:
    comment = add_comment(ada, bread)
    add_comment(bob, bread, to=comment)
    answer = window.post(f"/p/{bread.pk}/mute", {"on": "1", "next": "/inbox?kind=reply"})
    assert answer["Location"] == f"/inbox?kind=reply#thread-{bread.pk}"
    html = get_html("/inbox", window)
    assert "You will no longer be notified of replies to you in this thread." in html
    assert f'formaction="/p/{bread.pk}/mute" name="on" value="0"' in html
    add_comment(bob, bread, "Again.", to=comment)
    add_comment(bob, bread, "Once more.")
    assert InboxItem.objects.filter(user=ada).count() == 1
    add_comment(bob, bread, "Hello @ada.", to=comment)
    assert InboxItem.objects.filter(user=ada, kind=InboxItem.Kind.MENTION).count() == 1


@pytest.mark.parametrize("way", ["mute", "watch"])
def test_replies_notify_again_after_unmuting_or_watching(
    ada: User, bob: User, bread: Post, window: Client, way: str
) -> None:
    comment = add_comment(ada, bread)
    window.post(f"/p/{bread.pk}/mute", {"on": "1"})
    window.post(f"/p/{bread.pk}/{way}", {"on": "0" if way == "mute" else "1"})
    assert Watch.objects.get(user=ada, post=bread).on is (way == "watch")
    add_comment(bob, bread, to=comment)
    assert InboxItem.objects.get(user=ada).kind == InboxItem.Kind.REPLY


def test_number_of_unread_items_is_in_the_title_of_each_page(
    bob: User, bread: Post, window: Client
) -> None:
    assert "<title>Rostra</title>" in get_html("/", window)
    add_comment(bob, bread)
    for address, title in (("/", "Rostra"), ("/inbox", "Inbox · Rostra"), ("/g/", "Groups")):
        assert f"<title>(1) {title}" in get_html(address, window)


@pytest.mark.parametrize(
    ("body", "excerpt"),
    [
        ("> Bread is hard.\n\nNot fresh bread.", "Not fresh bread."),
        ("Yes.\n\n> > Bread\n>\n> is hard.\n\nAnd no.", "Yes. And no."),
        ("> Bread is hard.", "Bread is hard."),
    ],
)
def test_excerpt_of_a_reply_leaves_out_what_it_quotes(
    bob: User, bread: Post, window: Client, body: str, excerpt: str
) -> None:
    add_comment(bob, bread, body)
    assert f'<blockquote dir="auto">{excerpt}</blockquote>' in get_html("/inbox", window)


def test_thread_says_that_its_replies_are_muted_and_unmutes_them(
    ada: User, bread: Post, window: Client
) -> None:
    thread, unmute = (
        bread.get_absolute_url(),
        f'formaction="/p/{bread.pk}/mute" name="on" value="0"',
    )
    assert unmute not in get_html(thread, window)
    window.post(f"/p/{bread.pk}/mute", {"on": "1"})
    assert f"{unmute}>Unmute replies</button>" in get_html(thread, window)
    answer = window.post(f"/p/{bread.pk}/mute", {"on": "0", "next": thread})
    assert answer["Location"] == f"{thread}#comments"
    html = get_html(thread, window)
    assert unmute not in html
    assert "You will be notified of replies to you in this thread again." in html
