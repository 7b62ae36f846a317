"""The inbox: the unread count in the header, the list of items, and marking items as read."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import following
from forum.actions import posts as post_actions
from forum.models import Block, InboxItem, PersonFollow, Post, User, Watch
from forum.moderation.actions import removals
from forum.queries.comment_tree import MOST_LEVELS
from tests.forum.comments import add_comment
from tests.forum.factories import give_messages, person, post, reader
from tests.forum.outages import failing_sql, redis_down
from tests.forum.pages import get_html
from voting.keys import people

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def written(ada: User) -> Post:
    return post(ada, title="Bread")


def inbox_link(page: str) -> str:
    """Return the text of the link to the inbox in a page's header."""
    found = re.search(r'<a class="site-inbox".*?</a>', page)
    assert found
    return " ".join(re.sub(r"<[^>]+>", "", found[0]).split())


@pytest.mark.parametrize("path", ["/", "/new", "/g/", "/about", "/submit", "/u/bob/"])
def test_every_page_shows_how_much_is_unread(
    ada: User, bob: User, written: Post, window: Client, path: str
) -> None:
    assert inbox_link(get_html(path, window)) == "Inbox"
    add_comment(bob, written)
    assert inbox_link(get_html(path, window)) == "Inbox 1"
    following.set_follow(bob, ada, on=True)
    assert inbox_link(get_html(path, window)) == "Inbox 2"


def test_guests_have_no_inbox() -> None:
    assert "site-inbox" not in get_html("/", reader())
    answer = reader().get("/inbox")
    assert answer.status_code == 302
    assert "/accounts/login/" in answer["Location"]


def test_unread_number_takes_no_query(bob: User, written: Post, window: Client) -> None:
    get_html("/", window)
    add_comment(bob, written)
    with CaptureQueriesContext(connection) as seen:
        assert inbox_link(get_html("/", window)) == "Inbox 1"
    assert len(seen) == 0


def test_inbox_link_has_no_number_while_redis_is_down(
    settings: Any, bob: User, written: Post, window: Client
) -> None:
    add_comment(bob, written)
    with redis_down(settings):
        assert inbox_link(get_html("/about", window)) == "Inbox"
        page = get_html("/inbox", window)
    assert inbox_link(page) == "Inbox 1", "the inbox itself counts in SQL"
    assert "replied to you" in page


def test_inbox_shows_newest_items_first_with_their_text(
    ada: User, bob: User, written: Post, window: Client
) -> None:
    add_comment(bob, written, "Needs <salt>.")
    following.set_follow(bob, ada, on=True)
    give_messages(ada, text="Be kind,\nplease.")
    page = get_html("/inbox", window)
    order = [page.index(text) for text in ("Be kind,", "bob follows you", "bob replied to you")]
    assert order == sorted(order)
    assert "Needs &lt;salt&gt;." in page
    assert "Bread" in page


def test_each_tab_shows_one_kind_and_its_number(
    ada: User, bob: User, written: Post, window: Client
) -> None:
    add_comment(bob, written)
    following.set_follow(bob, ada, on=True)
    page = get_html("/inbox?kind=follower", window)
    assert "bob follows you" in page
    assert "bob replied to you" not in page
    assert re.search(r'\?kind=follower" aria-current="page">Followers <span class="count">1<', page)
    assert re.search(r'href="/inbox">All <span class="count">2<', page)
    assert window.get("/inbox?kind=gossip").status_code == 404


def test_empty_inbox_has_no_tabs(window: Client) -> None:
    assert "?kind=" not in get_html("/inbox", window)
    assert "?kind=" in get_html("/inbox?kind=follower", window), (
        "the empty tab still links to the others"
    )


def test_long_inbox_has_pages_without_gaps_or_repeats(settings: Any, ada: User, bob: User) -> None:
    settings.PAGE_SIZE = 4
    give_messages(ada, 10, "Message {}.")
    window, address, seen = reader(ada), "/inbox?kind=moderator", []
    while address:
        page = get_html(address, window)
        seen += re.findall(r"Message (\d)\.", page)
        older = re.search(r'href="(\?[^"]*before=\d+)"', page)
        address = "/inbox" + older[1].replace("&amp;", "&") if older else ""
    assert seen == [str(number) for number in reversed(range(10))]
    assert window.get("/inbox?before=x").status_code == 404


def test_a_page_of_the_inbox_takes_a_constant_number_of_queries(
    ada: User, bob: User, written: Post, window: Client
) -> None:
    counts = []
    add_comment(bob, written, "A word.")
    get_html("/inbox", window)  # fill the caches
    for _time in range(2):
        for _comment in range(8):
            add_comment(bob, written, "More words.")
        with CaptureQueriesContext(connection) as seen:
            get_html("/inbox", window)
        counts.append(len(seen))
    assert counts[0] == counts[1]


def test_opening_an_item_redirects_to_the_comment_and_marks_it(
    bob: User, written: Post, window: Client
) -> None:
    add_comment(bob, written)
    add_comment(bob, written)
    item = InboxItem.objects.order_by("pk").first()
    assert item
    assert item.comment
    answer = window.get(f"/inbox/{item.pk}")
    assert (answer.status_code, answer["Location"]) == (303, item.comment.get_absolute_url())
    assert inbox_link(get_html("/", window)) == "Inbox 1"


def test_comment_seen_in_its_thread_is_marked_as_read(
    ada: User, bob: User, written: Post, window: Client
) -> None:
    thread, ahead = written.get_absolute_url(), {"Sec-Purpose": "prefetch"}
    add_comment(bob, written)
    add_comment(bob, post(ada, title="Butter"))
    for _nobody_looks in (window.head(thread), window.get(thread, headers=ahead)):
        assert inbox_link(get_html("/", window)) == "Inbox 2"
    assert inbox_link(get_html(thread, window)) == "Inbox 1", "on the page that marks it as read"
    assert inbox_link(get_html("/", window)) == "Inbox 1"


def test_comment_not_shown_in_its_thread_is_marked_as_read_on_its_page(
    ada: User, bob: User, written: Post, window: Client
) -> None:
    deep = None
    for level in range(MOST_LEVELS + 1):
        body = "Deeper." if level < MOST_LEVELS else "Deep enough, @ada."
        deep = comment_actions.write(author=bob, post=written, parent=deep, body=body)
    for _again in range(2):
        assert inbox_link(get_html(written.get_absolute_url(), window)) == "Inbox 1"
    assert deep
    assert inbox_link(get_html(deep.get_absolute_url(), window)) == "Inbox"


def test_mention_in_a_post_is_marked_as_read_on_its_page(
    ada: User, bob: User, window: Client
) -> None:
    praise = post_actions.publish(author=bob, kind="text", title="Thanks", body="@ada", groups=[])
    answer = comment_actions.write(author=bob, post=praise, parent=None, body="Again.")
    assert inbox_link(get_html(answer.get_absolute_url(), window)) == "Inbox 1"
    assert inbox_link(get_html(praise.get_absolute_url(), window)) == "Inbox"


def test_thread_can_be_read_while_sql_is_read_only(
    bob: User, written: Post, window: Client
) -> None:
    add_comment(bob, written)
    with failing_sql("UPDATE"):
        assert inbox_link(get_html(written.get_absolute_url(), window)) == "Inbox 1"


def test_nobody_can_read_the_items_of_others(ada: User, bob: User, written: Post) -> None:
    add_comment(bob, written)
    item = InboxItem.objects.get()
    stranger = reader(bob)
    assert stranger.get(f"/inbox/{item.pk}").status_code == 404
    assert stranger.post("/inbox/read", {"item": item.pk}).status_code == 303
    assert not InboxItem.objects.exclude(read_at=None).exists()


def test_one_item_one_kind_or_all_can_be_marked_as_read(
    ada: User, bob: User, written: Post, window: Client
) -> None:
    for _number in range(3):
        add_comment(bob, written)
    following.set_follow(bob, ada, on=True)
    item = InboxItem.objects.filter(kind="reply").first()
    assert item
    tab, place = "/inbox?kind=reply", f"#item-{item.pk}"
    for form, back, left in (
        ({"item": item.pk}, tab + place, 3),
        ({"kind": "reply"}, tab, 1),
        ({"kind": "all"}, tab, 0),
    ):
        answer = window.post("/inbox/read", form | {"next": tab})
        assert (answer.status_code, answer["Location"]) == (303, back)
        assert place[1:] in get_html(tab, window), "the item is still in the list"
        assert inbox_link(get_html("/", window)) == (f"Inbox {left}" if left else "Inbox")


@pytest.mark.parametrize("form", [{}, {"kind": "gossip"}, {"item": "x"}, {"item": "-1"}])
def test_invalid_form_is_refused_with_a_message(window: Client, form: dict[str, str]) -> None:
    assert window.post("/inbox/read", form).status_code == 400


@pytest.mark.parametrize("path", ["/inbox/read", "/p/1/watch", "/u/ada/block"])
def test_get_requests_change_nothing(window: Client, path: str) -> None:
    assert window.get(path).status_code == 405


def test_deleted_comment_is_marked_in_the_inbox(bob: User, written: Post, window: Client) -> None:
    add_comment(bob, written, "I take this back.")
    comment = written.comments.get()
    comment_actions.delete(comment, by=bob)
    page = get_html("/inbox", window)
    assert "I take this back." not in page
    assert "This comment is no longer available." in page
    opened = window.get(f"/inbox/{InboxItem.objects.get().pk}", follow=True)
    assert opened.redirect_chain[-1][0] == written.get_absolute_url()
    assert opened.status_code == 200


def test_removed_comment_is_not_called_deleted_in_the_inbox(
    bob: User, stella: User, written: Post, window: Client
) -> None:
    comment = add_comment(bob, written, "You fool.")
    removals.remove(comment, by=stella, reason="unkind")
    page = get_html("/inbox", window)
    assert "You fool." not in page
    assert "This comment is no longer available." in page
    assert "deleted" not in page


def test_mention_in_a_deleted_post_is_marked_in_the_inbox(bob: User, window: Client) -> None:
    about = post(bob, "Look", body="Hello @ada")
    assert "This post is no longer available." not in get_html("/inbox", window)
    post_actions.delete(about)
    page = get_html("/inbox", window)
    assert "bob mentioned you" in page
    assert "This post is no longer available." in page


def test_head_request_marks_nothing_as_read(bob: User, written: Post, window: Client) -> None:
    add_comment(bob, written)
    item = InboxItem.objects.get()
    assert window.head(f"/inbox/{item.pk}").status_code == 303
    assert inbox_link(get_html("/", window)) == "Inbox 1"


def test_opening_the_inbox_corrects_the_unread_number(
    redis: Redis, ada: User, bob: User, written: Post, window: Client
) -> None:
    add_comment(bob, written)
    redis.delete(people.unread(ada.pk))
    assert inbox_link(get_html("/", window)) == "Inbox"
    assert inbox_link(get_html("/inbox", window)) == "Inbox 1"
    assert inbox_link(get_html("/", window)) == "Inbox 1"


def test_button_watches_and_unwatches_a_thread(bob: User, written: Post) -> None:
    window, address = reader(bob), f"/p/{written.pk}/watch"
    assert f'formaction="{address}" name="on" value="1"' in get_html(
        written.get_absolute_url(), window
    )
    answer = window.post(address, {"on": "1", "next": written.get_absolute_url()})
    assert (answer.status_code, answer["Location"]) == (
        303,
        f"{written.get_absolute_url()}#comments",
    )
    assert f'formaction="{address}" name="on" value="0"' in get_html(
        written.get_absolute_url(), window
    )
    window.post(address, {"on": "0"})
    assert not Watch.objects.get(user=bob).on
    assert window.post(address, {"on": "maybe"}).status_code == 400
    assert window.post("/p/99999/watch", {"on": "1"}).status_code == 404


def test_deleted_post_can_be_unwatched_but_not_watched(ada: User, written: Post) -> None:
    bob, address = person("bob"), f"/p/{written.pk}/watch"
    reader(bob).post(address, {"on": "1"})
    post_actions.delete(written, by=ada)
    answer = reader(person("cleo")).post(address, {"on": "1"})
    assert answer.status_code == 410
    assert "This post was deleted." in answer.content.decode()
    assert reader(bob).post(address, {"on": "0"}).status_code == 303
    assert not Watch.objects.filter(post=written, on=True).exclude(user=ada).exists()


def test_author_of_a_post_watches_it(ada: User, written: Post, window: Client) -> None:
    assert 'aria-pressed="true">Watching' in get_html(written.get_absolute_url(), window)


def test_person_is_blocked_and_unblocked(ada: User, bob: User, window: Client) -> None:
    assert "Block bob" in get_html("/u/bob/", window)
    following.set_follow(ada, bob, on=True)
    for _time in range(2):
        assert window.post("/u/bob/block", {"on": "1"}).status_code == 303
    assert "You blocked bob." in window.get("/u/bob/").content.decode()
    assert not PersonFollow.objects.filter(follower=ada).exists()
    assert "Unblock bob" in get_html("/preferences", window)
    assert Block.objects.get().blocked == bob
    assert "Unblock bob" in get_html("/u/bob/", window)
    window.post("/u/bob/block", {"on": "0"})
    assert not Block.objects.exists()
    assert window.post("/u/ada/block", {"on": "1"}).status_code == 403
    assert window.post("/u/nobody/block", {"on": "1"}).status_code == 404


def test_link_in_an_email_opens_an_old_message_of_a_moderator(
    settings: Any, ada: User, bob: User, written: Post, window: Client
) -> None:
    settings.PAGE_SIZE = 4
    (item,) = give_messages(ada, text="Be kind.")
    for number in range(settings.PAGE_SIZE):
        add_comment(bob, written, f"Reply {number}.")
    page = window.get(f"/inbox/{item.pk}", follow=True).content.decode()
    assert f'id="item-{item.pk}"' in page
    assert "Be kind." in page


def test_following_somebody_unblocks_them(ada: User, bob: User, window: Client) -> None:
    following.block(ada, bob, on=True)
    window.post("/u/bob/follow", {"on": "0"})
    assert Block.objects.exists()
    window.post("/u/bob/follow", {"on": "1"})
    assert not Block.objects.exists()
    assert "Block bob" in get_html("/u/bob/", window)


def test_staff_send_messages_from_the_admin(ada: User, bob: User) -> None:
    window = reader(person("stella", is_staff=True, is_superuser=True))
    chosen = {"action": "send_message", "_selected_action": [ada.pk, bob.pk]}
    response = window.post("/admin/forum/user/", chosen)
    assert response.status_code == 200
    assert "ada, bob" in " ".join(response.content.decode().split())
    assert not InboxItem.objects.exists()
    window.post("/admin/forum/user/", chosen | {"text": "Welcome, both."})
    items = InboxItem.objects.values_list("user__username", "kind", "actor__username")
    assert sorted(items) == [("ada", "moderator", "stella"), ("bob", "moderator", "stella")]
    assert "Welcome, both." in reader(ada).get("/conversations/write", follow=True).content.decode()


def test_excerpts_are_cut_between_characters(
    ada: User, bob: User, written: Post, window: Client
) -> None:
    add_comment(bob, written, "&<" * 200)
    page = get_html("/inbox", window)
    assert "&amp;&lt;" * 139 + "&amp;…" in page
    assert "&amp;&lt;" * 140 not in page
