"""People see their own arrow on votes that don't count, and a sentence that says why."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone, translation
from redis import Redis

from forum.api import tokens
from forum.ledger import vote_states
from forum.ledger.archiver import archive_waiting
from forum.models import ArchivedVote, Comment, LedgerEntry, Post, User, VoteState
from forum.store.newcomers import new_until
from forum.web.vote_notes import vote_note
from tests.forum.comments import add_comment
from tests.forum.factories import PASSWORD, confirm_vote, groups, make_older, post, reader
from tests.forum.outages import redis_down
from tests.forum.voting_sites import DAY, cast, newcomers, older_person, work
from voting.types import VOID, Vote

pytestmark = pytest.mark.django_db(transaction=True)

SCRIPT = {"X-Fragment": "1"}
NOON = int(datetime(2026, 3, 10, 12, tzinfo=UTC).timestamp())
WAITS = "UTC</time>, when your account is one day old"
NEVER = "Never counted: voting closed before your account was one day old"
VOIDED = "Moderators took this vote out of the count"


@pytest.fixture
def author() -> User:
    """The author, whose account is the first of a site that is older than a week."""
    return older_person("author")


@pytest.fixture
def written(author: User) -> Post:
    return post(author)


@pytest.fixture
def fourth(author: User) -> User:
    """The fourth of four new people, whose votes wait if the three others vote before."""
    return newcomers(4)[3]


def others_vote(text: Post | Comment) -> None:
    for who in User.objects.filter(username__in=("new0", "new1", "new2")):
        cast(who, text)


def press(voter: User, text: Post | Comment, vote: str = "up", **headers: str) -> Any:
    path = f"/p/{text.pk}/vote"
    if isinstance(text, Comment):
        path = f"/p/{text.post_id}/c/{text.pk}/vote"
    return reader(voter).post(path, {"vote": vote, "next": "/"}, headers=headers)


def page(voter: User | None, path: str) -> str:
    return str((reader(voter) if voter else reader()).get(path).content.decode())


def void_votes() -> None:
    archive_waiting()
    voter = User.objects.get(username="new3")
    pks = list(ArchivedVote.objects.filter(user_id=voter.pk).values_list("pk", flat=True))
    vote_states.change(pks, LedgerEntry.Kind.VOID, "test", vote_states.void)
    work()


@pytest.mark.parametrize(
    ("counts_at", "closes_at", "sentence"),
    [
        (None, None, ""),
        (NOON + 7_200, None, "today 14:00 UTC"),
        (NOON + 7_201, None, "today 14:01 UTC"),
        (NOON + DAY, NOON + 2 * DAY, "tomorrow 12:00 UTC"),
        (NOON + 3 * DAY, None, "13 March 2026, 12:00 UTC"),
    ],
)
def test_sentence_says_when_a_vote_counts(
    counts_at: int | None, closes_at: int | None, sentence: str
) -> None:
    note = vote_note(Vote.UP, counts_at, closes_at, NOON)
    if counts_at is None:
        assert note == ""
    else:
        assert f">{sentence}</time>, when your account is one day old" in note
        assert note.startswith("Counts from <time datetime=")


def test_sentence_gives_the_exact_time_to_programs() -> None:
    note = vote_note(Vote.DOWN, NOON + DAY, None, NOON)
    assert 'datetime="2026-03-11T12:00:00+00:00"' in note


@pytest.mark.parametrize(
    ("counts_at", "closes_at", "sentence"),
    [
        (NOON + DAY, NOON, NEVER),
        (
            NOON + DAY,
            NOON + DAY,
            "Will not count: voting closes before your account is one day old",
        ),
        (NOON, NOON + DAY, "Counts in a moment: your account is one day old now"),
        (VOID, NOON + DAY, VOIDED),
    ],
)
def test_other_sentences(counts_at: int, closes_at: int, sentence: str) -> None:
    assert vote_note(Vote.UP, counts_at, closes_at, NOON) == sentence


@pytest.mark.parametrize(("seconds", "age"), [(7 * DAY, "7 days"), (7_200, "2 hours")])
def test_sentence_names_the_age_that_the_site_chose(settings: Any, seconds: int, age: str) -> None:
    settings.NEW_PERSON = seconds
    assert vote_note(Vote.UP, NOON + 60, None, NOON).endswith(f"when your account is {age} old")


def test_sentence_is_translated() -> None:
    with translation.override("zh-hans"):
        note = vote_note(Vote.UP, NOON + DAY, None, NOON)
    assert ">明天 12:00 UTC</time> 起计入" in note
    assert "满一天" in note


def test_no_sentence_after_a_vote_was_taken_back() -> None:
    assert vote_note(Vote.NONE, VOID, None, NOON) == ""


@pytest.mark.parametrize("place", ["1", "post"])
def test_vote_by_script_returns_the_arrow_and_the_sentence(
    fourth: User, written: Post, place: str
) -> None:
    others_vote(written)
    row = press(fourth, written, **{"X-Fragment": place}).content.decode()
    assert WAITS in row
    assert 'data-vote="up"' in row
    assert f'aria-describedby="post-{written.pk}-note"' in row
    assert f'id="post-{written.pk}-note"' in row
    assert 'data-points="4"' in row


def test_vote_by_form_shows_the_sentence_in_lists_and_on_the_posts_page(
    fourth: User, written: Post
) -> None:
    others_vote(written)
    assert press(fourth, written).status_code == 303
    for path in ("/", "/new", "/u/author/", written.get_absolute_url()):
        shown = page(fourth, path)
        assert WAITS in shown, path
        assert 'value="none" aria-pressed="true"' in shown, path


def test_others_never_see_the_sentence(author: User, fourth: User, written: Post) -> None:
    others_vote(written)
    press(fourth, written)
    for someone in (None, author, User.objects.get(username="new0")):
        assert WAITS not in page(someone, "/") + page(someone, written.get_absolute_url())


def test_comment_shows_the_sentence_after_a_vote_by_script_and_by_form(
    author: User, fourth: User, written: Post
) -> None:
    comment = add_comment(author, written)
    others_vote(comment)
    votes = press(fourth, comment, **SCRIPT).content.decode()
    assert WAITS in votes
    assert f'aria-describedby="comment-{comment.pk}-note"' in votes
    for path in (written.get_absolute_url(), "/comments", comment.get_absolute_url()):
        assert WAITS in page(fourth, path), path


def test_sentence_goes_when_the_vote_is_taken_back(fourth: User, written: Post) -> None:
    others_vote(written)
    press(fourth, written)
    assert WAITS not in press(fourth, written, "none", **SCRIPT).content.decode()
    assert WAITS not in page(fourth, "/")


def test_void_votes_keep_their_arrow_and_say_so(author: User, fourth: User, written: Post) -> None:
    comment = add_comment(author, written)
    cast(fourth, written)
    cast(fourth, comment)
    void_votes()
    shown = page(fourth, written.get_absolute_url())
    assert shown.count(VOIDED) == 2
    assert VOIDED in page(fourth, "/")
    assert 'value="none" aria-pressed="true"' in shown
    assert VOIDED in press(fourth, written, "down", **SCRIPT).content.decode()


def test_void_votes_on_closed_posts_say_so_long_afterwards(
    author: User, fourth: User, written: Post, redis: Redis
) -> None:
    comment = add_comment(author, written)
    cast(fourth, written)
    cast(fourth, comment)
    void_votes()
    make_older(redis, written, days=40)
    assert VOIDED in page(fourth, "/new")
    assert VOIDED in page(fourth, written.get_absolute_url())


def test_vote_that_came_too_late_says_that_it_never_counted(
    fourth: User, written: Post, redis: Redis
) -> None:
    others_vote(written)
    cast(fourth, written)
    work()
    make_older(redis, written, days=7)
    assert NEVER in page(fourth, "/new")
    ArchivedVote.objects.filter(user_id=fourth.pk).update(state=VoteState.LATE)
    make_older(redis, written, days=33)
    ArchivedVote.objects.filter(user_id=fourth.pk).update(
        counts_at=timezone.now() - timedelta(days=20)
    )
    for path in ("/new", written.get_absolute_url()):
        assert NEVER in page(fourth, path)
        assert "you voted up" in page(fourth, path)


def test_arrow_stays_while_redis_is_down(fourth: User, written: Post, settings: Any) -> None:
    others_vote(written)
    cast(fourth, written)
    work()
    with redis_down(settings):
        assert 'aria-pressed="true"' in page(fourth, written.get_absolute_url())


def test_vote_before_log_in_says_when_it_counts(fourth: User, written: Post) -> None:
    others_vote(written)
    window = reader()
    form = {"login": fourth.username, "password": PASSWORD, "vote": "up", "post": written.pk}
    page = window.get(confirm_vote(window, window.post("/accounts/login/", form))["Location"])
    shown = page.content.decode()
    assert "Your vote on <a" in shown
    assert shown.count(WAITS) >= 1


def test_link_that_exists_becomes_a_vote_that_waits(author: User, fourth: User) -> None:
    known = post(author, kind="link", url="https://example.org/a", body="")
    others_vote(known)
    groups("books")
    sent = {"kind": "link", "title": "A page", "url": known.url, "groups": ["books"]}
    shown = reader(fourth).post("/submit", sent, follow=True).content.decode()
    assert "Someone has already posted this link. Your post was saved as an up vote." in shown
    assert WAITS in shown


def test_api_says_when_a_vote_counts(author: User, fourth: User, written: Post) -> None:
    comment = add_comment(author, written)
    for text, path in ((written, f"posts/{written.pk}"), (comment, f"comments/{comment.pk}")):
        others_vote(text)
        answer = api_vote(fourth, path)
        assert datetime.fromisoformat(answer["counts_at"]).timestamp() == new_until(fourth)
        assert answer["vote"] == 1
        assert answer["up"] == 4, "the author's vote and three others"
        assert api_vote(fourth, path, "none")["counts_at"] is None


def test_api_says_null_for_votes_that_count_and_for_void_votes(fourth: User, written: Post) -> None:
    assert api_vote(fourth, f"posts/{written.pk}")["counts_at"] is None
    void_votes()
    assert api_vote(fourth, f"posts/{written.pk}", "down")["counts_at"] is None


def api_vote(voter: User, path: str, vote: str = "up") -> Any:
    token = tokens.create(user=voter, name="Script", scopes=["vote"])
    headers = {"Authorization": f"Bearer {token}"}
    answer = reader().post(
        f"/api/v1/{path}/vote", {"vote": vote}, "application/json", headers=headers
    )
    assert answer.status_code == 200, answer.content
    return answer.json()
