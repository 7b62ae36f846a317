"""A person who hits a rate limit reads how long to wait, and loses no text."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from time import time
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.utils import timezone
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.config import environment, rate_limits
from forum.identity.throttle import Subject
from forum.models import Comment, Post, User
from forum.store.service import get_voting_service
from forum.web import drafts
from forum.web.problem_sentences import throttled_sentence
from tests.forum.comments import add_comment
from tests.forum.concurrency import run_at_once
from tests.forum.factories import PASSWORD, groups, person, post, reader
from tests.forum.outages import failing_sql, redis_down
from voting.errors import Throttled
from voting.types import Vote
from voting.types.limits import Window

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = {"kind": "text", "title": "A text", "body": "Said once.", "groups": ["books"]}
VOTE = {"vote": "up"}
LONG_AGO = timedelta(days=400)


@pytest.fixture(autouse=True)
def _real_limits(settings: Any) -> None:
    """Use the site's default rate limits; other tests run with higher limits."""
    settings.LIMITS, settings.LIMITS_NEW = rate_limits.everybody(), rate_limits.newcomers()
    settings.SAME_TEXT = 600


@pytest.fixture(autouse=True)
def _no_time_passes(_real_limits: None) -> Iterator[None]:
    """Stop the voting service's clock, so that short rate-limit windows don't end during a test."""
    service, now = get_voting_service(), time()
    before = service.clock
    service.clock = lambda: now
    yield
    service.clock = before


@pytest.fixture
def ada() -> User:
    """Ada, whose account is old, so that the limits for new accounts don't apply."""
    groups("books")
    return person("ada", date_joined=timezone.now() - LONG_AGO)


@pytest.fixture
def later(redis: Redis) -> Callable[[], None]:
    """Return a function that deletes all rate-limit counts, as if a long time had passed."""

    def forget() -> None:
        doomed = list(redis.scan_iter("{w:*"))
        if doomed:
            redis.delete(*doomed)

    return forget


def test_a_second_post_at_once_is_throttled_and_the_form_stays_filled_in(ada: User) -> None:
    window = reader(ada)
    assert window.post("/submit", TEXT).status_code == 303
    refused = window.post("/submit", TEXT | {"title": "Another", "body": "What I wrote."})
    page = refused.content.decode()
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 10
    assert f"Try again in {refused['Retry-After']} seconds." in page
    assert "What I wrote." in page
    assert 'value="Another"' in page
    assert Post.objects.count() == 1


def test_the_same_post_is_refused_within_the_limits(settings: Any, ada: User) -> None:
    settings.LIMITS = settings.LIMITS | {"post": (Window(100, 1),)}
    window = reader(ada)
    _first, refused = (window.post("/submit", TEXT) for _time in range(2))
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 500
    assert "You just sent the same text." in refused.content.decode()
    assert Post.objects.count() == 1


def test_a_post_sent_twice_links_to_the_first_one(ada: User) -> None:
    window = reader(ada)
    address = window.post("/submit", TEXT)["Location"]
    page = window.post("/submit", TEXT).content.decode()
    assert "Your text was already published." in page
    assert f'<a href="{address}">View</a>' in page


def test_deleted_link_sent_again_does_not_redirect_to_another_post(ada: User) -> None:
    post(ada, "News", kind="link", url="https://example.org/monday", body="")
    window, link = reader(ada), {"kind": "link", "title": "News", "groups": ["books"]}
    link["url"] = "https://example.org/tuesday"
    assert window.post("/submit", link).status_code == 303
    post_actions.delete(Post.objects.get(url=link["url"]))
    again = window.post("/submit", link)
    assert again.status_code == 429
    assert "Your text was already published." not in again.content.decode()


def test_a_comment_sent_twice_links_to_the_first_one(ada: User) -> None:
    about, window = post(ada), reader(ada)
    sent = {"body": "A button pressed twice."}
    address = window.post(f"/p/{about.pk}/comment", sent)["Location"]
    again = window.post(f"/p/{about.pk}/comment", sent)
    assert again.status_code == 429
    assert f'<a href="{address}">View</a>' in again.content.decode()
    assert Comment.objects.count() == 1


def test_the_same_text_elsewhere_is_refused(ada: User) -> None:
    window = reader(ada)
    window.post(f"/p/{post(ada).pk}/comment", {"body": "Look at this."})
    refused = window.post(f"/p/{post(ada).pk}/comment", {"body": "Look at this."})
    assert refused.status_code == 429
    assert "You just sent the same text. Try again in 10 minutes." in refused.content.decode()


@pytest.mark.parametrize("seconds", [1, 60, 61, 120, 7_201])
def test_the_wait_is_shown_in_a_fitting_unit(seconds: int) -> None:
    waits = {1: "1 second", 60: "60 seconds", 61: "61 seconds", 120: "2 minutes", 7_201: "3 hours"}
    why = "You're doing that too fast." if seconds <= 60 else "You've reached the limit for now."
    guest = Subject.network("192.0.2.1")
    assert throttled_sentence(Throttled(seconds), guest) == f"{why} Try again in {waits[seconds]}."


@pytest.mark.parametrize("table", ["its own", "outboxitem"])
@pytest.mark.parametrize("of", ["post", "comment"])
def test_text_that_sql_could_not_save_may_be_sent_again(
    settings: Any, ada: User, of: str, table: str
) -> None:
    about = post(person("bob"))
    settings.LIMITS = settings.LIMITS | {of: (Window(100, 1),)}
    path = {"post": "/submit", "comment": f"/p/{about.pk}/comment"}[of]
    form = TEXT | {"body": "A long thought."}
    window = reader(ada)
    with failing_sql(f'INSERT INTO "forum_{of if table == "its own" else table}"'):
        refused = window.post(path, form)
    assert (refused.status_code, refused["Retry-After"]) == (503, "5")
    assert "nothing was saved" in refused.content.decode()
    assert "A long thought." in refused.content.decode()
    assert window.post(path, form).status_code == 303
    written = Post.objects if of == "post" else Comment.objects
    assert written.filter(author=ada).count() == 1, "the failed attempt saved nothing"


@pytest.mark.parametrize("of", ["post", "comment"])
def test_an_edit_that_sql_could_not_save_may_be_sent_again(ada: User, of: str) -> None:
    about = post(ada)
    path = add_comment(ada, about).get_absolute_url() if of == "comment" else f"/p/{about.pk}"
    form = {"title": "A better title", "body": "A better thought.", "groups": "books"}
    window = reader(ada)
    with failing_sql('INSERT INTO "forum_outboxitem"'):
        refused = window.post(f"{path}/edit", form)
    assert (refused.status_code, refused["Retry-After"]) == (503, "5")
    assert "nothing was saved" in refused.content.decode()
    assert "A better thought.</textarea>" in refused.content.decode()
    assert window.post(f"{path}/edit", form).status_code == 303


def test_one_of_many_concurrent_posts_is_published(ada: User) -> None:
    window = reader(ada)

    def send(number: int) -> int:
        browser = Client()
        browser.cookies = window.cookies
        return browser.post("/submit", TEXT | {"body": f"Text {number}."}).status_code

    statuses = run_at_once(*(partial(send, number) for number in range(10)))
    assert sorted(statuses) == [303] + [429] * 9
    assert Post.objects.count() == 1


def test_a_second_comment_at_once_is_throttled_and_keeps_its_text(ada: User) -> None:
    about, window = post(ada), reader(ada)
    address = f"/p/{about.pk}/comment"
    assert window.post(address, {"body": "First."}).status_code == 303
    refused = window.post(address, {"body": "Second, & well thought out."})
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 5
    assert "Second, &amp; well thought out." in refused.content.decode()
    assert Comment.objects.count() == 1


@pytest.mark.parametrize("table", ["post", "comment"])
def test_frequent_edits_are_throttled_and_keep_their_text(
    settings: Any, ada: User, table: str
) -> None:
    settings.LIMITS = settings.LIMITS | {"edit": (Window(1, 60),)}
    about = post(ada)
    comment = comment_actions.write(author=ada, post=about, parent=None, body="First.")
    path = {"post": f"/p/{about.pk}/edit", "comment": f"/p/{about.pk}/c/{comment.pk}/edit"}[table]
    window, form = reader(ada), {"title": "A title", "groups": "books"}
    assert window.post(path, form | {"body": "Better."}).status_code == 303
    assert window.post(path, form | {"body": "Better."}).status_code == 303, (
        "saving an unchanged text doesn't count"
    )
    refused = window.post(path, form | {"body": "Best of all."})
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert "Best of all." in refused.content.decode()
    about.refresh_from_db()
    comment.refresh_from_db()
    assert {"post": about.body, "comment": comment.body}[table] == "Better."


def test_new_accounts_have_lower_limits(later: Callable[[], None], ada: User) -> None:
    about = post(ada)
    waits, explained = [], []
    for who in (ada, person("newt")):
        window = reader(who)
        for text in ("One.", "Two."):
            answer = window.post(f"/p/{about.pk}/comment", {"body": f"{who.username}: {text}"})
        waits.append(int(answer["Retry-After"]))
        explained.append("New accounts have lower limits." in answer.content.decode())
    assert waits[0] <= 5 < waits[1]
    assert explained == [False, True]
    later()
    assert window.post(f"/p/{about.pk}/comment", {"body": "Three."}).status_code == 303


def test_votes_are_limited_in_the_same_round_trip(settings: Any, ada: User) -> None:
    settings.LIMITS = settings.LIMITS | {"vote": (Window(3, 60),)}
    writer = person("writer")
    written = [post(writer, title=f"Post {number}") for number in range(4)]
    window = reader(ada)
    statuses = [window.post(f"/p/{one.pk}/vote", VOTE).status_code for one in written]
    assert statuses == [303, 303, 303, 429]
    rows = get_voting_service().posts.rows([one.pk for one in written], viewer=ada.pk)
    assert [row.vote for row in rows] == [Vote.UP] * 3 + [Vote.NONE]
    last = f"/p/{written[3].pk}"
    assert f'href="{last}">Go to the post</a>' in window.post(f"{last}/vote", VOTE).content.decode()
    fragment = window.post(f"{last}/vote", VOTE, headers={"X-Fragment": "list"})
    assert fragment.status_code == 429
    assert fragment["Retry-After"]
    assert fragment.content.decode().startswith("You're doing that too fast. Try again in")


def test_follows_are_throttled(settings: Any, ada: User) -> None:
    settings.LIMITS = settings.LIMITS | {"follow": (Window(1, 60),)}
    person("bob"), person("cleo")
    window = reader(ada)
    assert window.post("/u/bob/follow", {"on": "1"}).status_code == 303
    refused = window.post("/u/cleo/follow", {"on": "1"})
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) <= 60
    assert "Too many requests" in refused.content.decode()


def sign_up(name: str, address: str) -> Any:
    form = {"username": name, "email": "", "password1": PASSWORD}
    return Client(REMOTE_ADDR=address).post("/accounts/signup/", form)


def log_in(name: str, address: str, password: str = PASSWORD) -> Any:
    form = {"login": name, "password": password}
    return Client(REMOTE_ADDR=address).post("/accounts/login/", form)


def test_sign_ups_are_limited_by_ip_address(settings: Any) -> None:
    settings.LIMITS = settings.LIMITS | {"signup": (Window(2, 60),)}
    assert [sign_up(name, "192.0.2.1").status_code for name in ("one", "two")] == [302, 302]
    refused = sign_up("three", "192.0.2.1")
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) <= 60
    assert 'value="three"' in refused.content.decode(), "the name is given back"
    assert not User.objects.filter(username="three").exists()
    assert sign_up("three", "192.0.2.2").status_code == 302


def test_an_invalid_sign_up_does_not_count(settings: Any) -> None:
    settings.LIMITS = settings.LIMITS | {"signup": (Window(1, 60),)}
    for _attempt in range(3):
        assert sign_up("a", "192.0.2.3").status_code == 200
    assert sign_up("anna", "192.0.2.3").status_code == 302


@pytest.mark.parametrize("down", [False, True], ids=["redis", "no redis"])
def test_log_ins_are_limited_with_and_without_redis(settings: Any, down: bool) -> None:
    settings.LIMITS = settings.LIMITS | {"login": (Window(2, 60),)}
    person("ada"), person("bob")
    address = "192.0.2.9" if down else "192.0.2.8"

    def tries() -> None:
        for name in ("ada", "bob"):
            assert log_in(name, address, password="wrong").status_code == 200
        refused = log_in("ada", address)
        assert refused.status_code == 429
        assert refused.content.decode().count("Try again in") == 1, "the wait is shown once"
        assert 'value="ada"' in refused.content.decode()
        assert log_in("ada", "192.0.2.10").status_code == 302, "other addresses can log in"

    if not down:
        return tries()
    with redis_down(settings):
        return tries()


def test_drafts_of_guests_are_limited(settings: Any, ada: User) -> None:
    """If there were no limit, people without an account could fill the database."""
    settings.LIMITS = settings.LIMITS | {"draft": (Window(2, 600),)}
    sent = [reader().post("/submit", TEXT).status_code for _ in range(3)]
    assert sent == [302, 302, 429]
    assert Session.objects.count() == 2
    in_an_hour = timezone.now() + timedelta(seconds=drafts.LIFE)
    assert not Session.objects.filter(expire_date__gt=in_an_hour).exists()


def test_logging_in_to_a_draft_gives_a_session_of_usual_length(ada: User) -> None:
    window = reader()
    address = window.post("/submit", TEXT)["Location"]
    form = window.post(address, {"login": "ada", "password": PASSWORD})["Location"]
    assert "Said once." in window.get(form).content.decode()
    assert window.session.get_expiry_age() == settings.SESSION_COOKIE_AGE


def test_one_ipv6_network_shares_its_limits(settings: Any) -> None:
    settings.LIMITS = settings.LIMITS | {"login": (Window(1, 60),)}
    person("ada")
    assert log_in("ada", "2001:db8:1:2::1").status_code == 302
    assert log_in("ada", "2001:db8:1:2:3::9").status_code == 429
    assert log_in("ada", "2001:db8:1:3::1").status_code == 302


def test_writing_without_redis_is_refused_and_keeps_its_text(settings: Any, ada: User) -> None:
    about, window = post(ada), reader(ada)
    with redis_down(settings):
        answers = [
            window.post("/submit", TEXT | {"body": "Kept for later."}),
            window.post(f"/p/{about.pk}/comment", {"body": "Kept for later."}),
        ]
        following = window.post(f"/u/{person('bob').username}/follow", {"on": "1"})
    for answer in answers:
        assert answer.status_code == 503
        assert answer["Retry-After"]
        assert "Kept for later." in answer.content.decode()
        assert "nothing was saved" in answer.content.decode()
    assert following.status_code == 503
    assert (Post.objects.count(), Comment.objects.count()) == (1, 0)
    assert not ada.follows.exists()


@pytest.mark.parametrize(
    "bad", ["1", "0/5", "1/0", "1/5,2/60", "one/5", "1/-5", "1/5/9", "1/9999999"]
)
def test_an_invalid_limit_stops_the_start(monkeypatch: pytest.MonkeyPatch, bad: str) -> None:
    monkeypatch.setenv("LIMIT_COMMENT", bad)
    with pytest.raises(
        ImproperlyConfigured, match=r"^LIMIT_COMMENT='.*': give limits as hits/seconds"
    ):
        rate_limits.everybody()


def test_each_limit_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in rate_limits.EVERYBODY:
        monkeypatch.setenv(f"LIMIT_{name.upper()}", "7/9  8/60")
    assert set(rate_limits.everybody().values()) == {(Window(7, 9), Window(8, 60))}
    monkeypatch.setenv("LIMIT_NEW_POST", "1/3600")
    assert rate_limits.newcomers()["post"] == (Window(1, 3_600),)
    assert environment.windows("LIMIT_UNSET", "1/5 2/60") == (Window(1, 5), Window(2, 60))


def test_members_search_and_see_similar_titles_on_their_first_day(bob: User) -> None:
    post(bob, "Growing tea at home")
    window = reader(person("new"))
    assert window.get("/search?q=tea").status_code == 200
    assert b"Growing tea at home" in window.get("/submit/known?title=growing+tea").content
