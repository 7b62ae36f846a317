"""Private feeds at secret URLs: creating, renewing and revoking them, and what they contain."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from forum.actions import following, marks, mutes
from forum.actions import posts as post_actions
from forum.models import FeedKey, Group, Mute, User
from forum.moderation.actions import removals
from tests.forum.atom import read
from tests.forum.comments import add_comment
from tests.forum.factories import give_messages, person, post, reader, reauthenticated_reader
from tests.forum.round_trips import counted_round_trips

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/preferences/feeds"
NAMES = ("following", "inbox", "saved")


def create(user: User) -> dict[str, str]:
    """Create secret URLs on the page, and return the path of each private feed."""
    page = reauthenticated_reader(user).post(PAGE).content.decode()
    paths = re.findall(r'value="http://localhost:8000(/feeds/[^"]+)"', page)
    return dict(zip(NAMES, paths, strict=True))


def test_secret_urls_are_shown_once_and_stored_hashed(ada: User) -> None:
    assert "no private feeds yet" in reader(ada).get(PAGE).content.decode()
    paths = create(ada)
    token = paths["inbox"].split("/")[2]
    assert len(token) == 43
    assert token not in FeedKey.objects.get().key_hash
    page = reader(ada).get(PAGE)
    assert token not in page.content.decode()
    assert page["Cache-Control"] == "no-store"
    for path in paths.values():
        read(path)


def test_new_urls_replace_the_old_ones_and_feeds_keep_their_ids(ada: User) -> None:
    old, new = create(ada), create(ada)
    assert old != new
    for name in NAMES:
        assert reader().get(old[name]).status_code == 404
        feed = read(new[name])
        assert feed.parsed.feed.id == f"http://localhost:8000/u/{ada.pk}/{name}"


def test_revoked_urls_stop_working(ada: User) -> None:
    paths, window = create(ada), reader(ada)
    for _twice in range(2):
        assert window.post(f"{PAGE}/revoke").status_code == 303
    for path in paths.values():
        assert reader().get(path).status_code == 404
    assert "no private feeds yet" in window.get(PAGE).content.decode()


def test_urls_of_a_disabled_account_stop_working(ada: User) -> None:
    paths = create(ada)
    User.objects.update(is_active=False)
    assert reader().get(paths["inbox"]).status_code == 404


def test_stranger_and_guest_cannot_use_or_revoke_others_urls(ada: User, bob: User) -> None:
    paths = create(ada)
    assert reader().get(PAGE).status_code == 302
    assert reader().post(PAGE).status_code == 302
    reader(bob).post(f"{PAGE}/revoke")
    read(paths["saved"])
    assert reader().get("/feeds/guess/saved.atom").status_code == 404
    assert reader().get(paths["saved"].replace("saved", "liked")).status_code == 404


def test_following_feed_has_posts_of_followed_people(ada: User, bob: User) -> None:
    following.set_follow(ada, bob, on=True)
    post(bob, "Knots")
    post(person("cleo"), "Unrelated", slugs="maths")
    feed = read(create(ada)["following"])
    assert feed.titles == ["Knots"]
    assert feed.parsed.feed.title == "Following · Rostra"


def test_following_feed_leaves_out_hidden_muted_and_blocked(ada: User, bob: User) -> None:
    cleo = person("cleo")
    shown, hidden = post(bob, "Knots"), post(bob, "Hidden")
    post(bob, "Casino")
    post(cleo, "Blocked")
    following.set_follow(ada, Group.objects.get(), on=True)
    marks.hide(ada, hidden, on=True)
    mutes.mute(ada, Mute.Kind.WORD, "casino")
    following.block(ada, cleo, on=True)
    assert read(create(ada)["following"]).titles == [shown.title]


def test_saved_feed_has_visible_posts_and_the_latest_saved_first(ada: User, bob: User) -> None:
    first, second, deleted = post(bob, "First"), post(bob, "Second"), post(bob, "Deleted")
    for one in (second, deleted, first):
        marks.save(ada, one, on=True)
    post_actions.delete(deleted, by=bob)
    assert sorted(read(create(ada)["saved"]).titles) == ["First", "Second"]
    following.block(ada, bob, on=True)
    assert read(create(ada)["saved"]).titles == []


def test_inbox_feed_has_comments_and_messages(ada: User, bob: User) -> None:
    written = post(ada, "Knots")
    reply = add_comment(bob, written, "A [bend](/p/1).")
    give_messages(ada, text="Be <b>kind</b>.")
    feed = read(create(ada)["inbox"])
    assert feed.titles == ["Message from the moderators", "bob replied to you"]
    message, comment = feed.bodies
    assert "Be &lt;b&gt;kind&lt;/b&gt;." in message
    assert 'href="http://testserver/p/1"' in comment
    assert [entry.author for entry in feed.parsed.entries] == ["Rostra", "bob"]
    item = ada.inbox.get(comment=reply)
    assert feed.parsed.entries[1].link == f"http://testserver/inbox/{item.pk}"


def test_inbox_feed_has_posts_that_mention_the_person(ada: User, bob: User) -> None:
    post(bob, "Knots", body="As *everybody* and @ada know.")
    (mention,) = read(create(ada)["inbox"]).bodies
    assert "As <em>everybody</em> and " in mention


def test_inbox_feed_leaves_out_deleted_comments_and_blocked_people(
    ada: User, bob: User, stella: User
) -> None:
    written, cleo = post(ada, "Knots"), person("cleo")
    removals.remove(add_comment(bob, written, "Pills."), by=stella, reason="spam")
    add_comment(cleo, written, "Blocked words.")
    following.block(ada, cleo, on=True)
    removed = post(ada, "Removed")
    removals.remove(removed, by=stella, reason="spam")
    feed = read(create(ada)["inbox"])
    assert "Pills" not in feed.text
    assert "Blocked words" not in feed.text
    assert feed.titles == ["Message from the moderators"]


def test_private_feeds_speak_their_owners_language(ada: User, bob: User) -> None:
    add_comment(bob, post(ada), "你好。")
    User.objects.filter(pk=ada.pk).update(language="zh-hans")
    feed = read(create(ada)["inbox"])
    assert feed.parsed.feed.title == "通知 · Rostra"
    assert feed.titles == ["bob 回复了你"]
    assert feed.response["Content-Language"] == "zh-hans"


def test_private_feeds_are_not_stored_by_proxies_and_not_indexed(ada: User, bob: User) -> None:
    paths = create(ada)
    for path in paths.values():
        response = read(path, reader(bob)).response
        assert response["Cache-Control"] == "private, no-cache"
        assert response["X-Robots-Tag"] == "noindex"
        assert "Cookie" not in response["Vary"]
        again = reader().get(path, headers={"If-None-Match": response["ETag"]})
        assert (again.status_code, again["Cache-Control"]) == (304, "private, no-cache")


def test_secrets_are_not_logged(ada: User, settings: Any, caplog: Any) -> None:
    settings.LOG_REQUESTS = True
    path = create(ada)["inbox"]
    reader().get(path)
    reader().get(path.replace("inbox", "liked"))
    assert path.split("/")[2] not in caplog.text


def test_private_feeds_cost_the_same_with_more_content(ada: User, bob: User, settings: Any) -> None:
    following.set_follow(ada, bob, on=True)
    paths = create(ada)
    found = {}
    with counted_round_trips(settings) as (to_voting, to_cache):
        for _more in range(2):
            for _few in range(2):
                marks.save(ada, post(bob), on=True)
                add_comment(bob, post(ada))
            for name, path in paths.items():
                read(path)
                with to_voting.counting(), to_cache.counting():
                    with CaptureQueriesContext(connection) as queries:
                        assert read(path).parsed.entries
                    found[name] = (to_voting.round_trips, to_cache.round_trips, len(queries))
            assert found == {"following": (2, 1, 3), "inbox": (0, 1, 2), "saved": (1, 1, 3)}
