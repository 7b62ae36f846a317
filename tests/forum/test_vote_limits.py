"""How often people may vote in a day, on one author, and down; and who may vote down."""

from typing import Any

import pytest

from forum.actions import votes
from forum.api import tokens
from forum.config import rate_limits
from forum.identity.throttle import Subject, rate_limit
from forum.identity.viewers import viewer_of
from forum.models import Post, User
from tests.forum.factories import post, reader
from tests.forum.round_trips import counted_round_trips
from tests.forum.voting_sites import DAY, older_person, turned_clock
from voting.types import Target, Vote
from voting.types.limits import Window

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def author() -> User:
    return older_person("author")


@pytest.fixture
def voter(author: User) -> User:
    return older_person("voter")


def press(voter: User, text: Post, vote: str = "up") -> tuple[int, str]:
    """Press an arrow, with the script. Return the status and the sentence below the row."""
    sent = {"vote": vote, "next": "/"}
    answer = reader(voter).post(f"/p/{text.pk}/vote", sent, headers={"X-Fragment": "1"})
    return answer.status_code, answer.content.decode()


def test_day_has_a_limit_of_votes(settings: Any, author: User, voter: User) -> None:
    settings.VOTES_A_DAY = 2
    first, second, third = (post(author) for _ in range(3))
    assert press(voter, first)[0] == 200
    assert press(voter, second)[0] == 200
    refused = press(voter, third)
    assert refused == (429, "You've reached the limit for now. Try again in 24 hours.")
    assert press(voter, first, "none")[0] == 200, "votes can always be taken back"
    assert press(voter, first, "down")[0] == 429
    with turned_clock(DAY):
        assert press(voter, third)[0] == 200


def test_votes_on_one_author_are_limited(settings: Any, author: User, voter: User) -> None:
    settings.VOTES_ON_AUTHOR = 1
    first, second, other = post(author), post(author), post(older_person("other"))
    assert press(voter, first)[0] == 200
    assert press(voter, second) == (
        429,
        "You've voted often on this author in the last 24 hours. Try again in 24 hours.",
    )
    assert press(voter, other)[0] == 200
    assert press(voter, first, "none")[0] == 200, "votes can always be taken back"


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("DOWN_A_DAY", "You've cast many down votes in the last 24 hours."),
        ("DOWN_ON_AUTHOR", "You've cast many down votes on this author in the last 24 hours."),
    ],
)
def test_down_votes_of_people_without_much_karma_are_limited(
    settings: Any, author: User, voter: User, setting: str, sentence: str
) -> None:
    setattr(settings, setting, 1)
    settings.DOWN_TRUST_KARMA = 50
    trusted, first, second = older_person("trusted"), post(author), post(author)
    User.objects.filter(pk=trusted.pk).update(karma=50)
    for who in (voter, trusted):
        assert press(who, first, "down")[0] == 200
    assert press(voter, second, "down") == (429, f"{sentence} Try again in 24 hours.")
    assert press(voter, second, "up")[0] == 200
    assert press(trusted, second, "down")[0] == 200


def test_down_votes_can_need_karma(settings: Any, author: User) -> None:
    settings.DOWN_KARMA = 20
    voter, written = older_person("voter"), post(author)
    User.objects.filter(pk=voter.pk).update(karma=12)
    sentence = "You need 20 karma to vote down, and you have 12."
    assert press(voter, written, "down") == (403, sentence)
    page = reader(voter).post(f"/p/{written.pk}/vote", {"vote": "down", "next": "/"})
    assert page.status_code == 403
    assert sentence in page.content.decode()
    assert press(voter, written, "up")[0] == 200
    experienced = older_person("experienced")
    User.objects.filter(pk=experienced.pk).update(karma=20)
    assert press(experienced, written, "down")[0] == 200


def test_programs_get_the_same_sentences(settings: Any, author: User, voter: User) -> None:
    settings.DOWN_KARMA, settings.VOTES_ON_AUTHOR = 20, 1
    token = tokens.create(user=voter, name="Script", scopes=["vote"])
    headers = {"Authorization": f"Bearer {token}"}

    def ask(vote: str) -> Any:
        path = f"/api/v1/posts/{post(author).pk}/vote"
        return reader().post(path, {"vote": vote}, "application/json", headers=headers)

    assert (ask("down").status_code, ask("up").status_code) == (403, 200)
    refused = ask("up")
    assert (refused.status_code, refused["Retry-After"]) == (429, str(DAY))
    assert "voted often on this author" in refused.json()["detail"]


def test_limit_of_a_day_replaces_windows_that_never_fill_before_it(settings: Any) -> None:
    settings.LIMITS, settings.VOTES_A_DAY = rate_limits.everybody(), 200
    windows = rate_limit(Subject.person(1, 0), "vote").windows
    assert windows == (Window(20, 10), Window(60, 60), Window(200, DAY))


def test_limits_of_a_day_cost_no_round_trip_and_no_query(
    settings: Any, author: User, voter: User, django_assert_num_queries: Any
) -> None:
    settings.VOTES_A_DAY, settings.VOTES_ON_AUTHOR, settings.DOWN_A_DAY = 200, 100, 20
    written, who = post(author), viewer_of(voter.pk)
    with counted_round_trips(settings) as (to_voting, _to_cache):
        votes.cast(who, Target(written.pk), Vote.UP, network=str)  # opens a connection
        with to_voting.counting(), django_assert_num_queries(0):
            votes.cast(who, Target(written.pk), Vote.DOWN, network=str)
        assert to_voting.round_trips == 1
