"""Strangers who flag the whole front page hide nothing, on pages and in the API."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from forum.actions import rules
from forum.actions.policy import policy
from forum.api import tokens
from forum.config import rate_limits
from forum.identity import local_limiter
from forum.models import Comment, Flag, Post, QueueItem, Rule, User
from tests.forum.comments import add_comment
from tests.forum.factories import person, post, reader
from tests.forum.outages import redis_down

pytestmark = pytest.mark.django_db(transaction=True)
Flagger = Callable[[Post | Comment], Any]


@pytest.fixture(autouse=True)
def _usual_policy_and_limits(settings: Any) -> Iterator[None]:
    settings.LIMITS, settings.LIMITS_NEW = rate_limits.everybody(), rate_limits.newcomers()
    policy.forget()
    rules.enabled.forget()
    yield
    policy.forget()
    rules.enabled.forget()


@pytest.fixture(params=["pages", "API"])
def flagger(request: pytest.FixtureRequest) -> Callable[[User], Flagger]:
    """Return a function that lets a person flag something, on the pages or in the API."""

    def on_pages(by: User) -> Flagger:
        window = reader(by)

        def flag(target: Post | Comment) -> Any:
            is_post = isinstance(target, Post)
            page = f"/p/{target.pk}" if is_post else target.get_absolute_url()
            return window.post(f"{page}/flag", {"kind": "spam"})

        return flag

    def in_api(by: User) -> Flagger:
        token = tokens.create(user=by, name="Script", scopes=("read", "write"))
        headers = {"Authorization": f"Bearer {token}"}

        def flag(target: Post | Comment) -> Any:
            place = "comments" if isinstance(target, Comment) else "posts"
            address = f"/api/v1/{place}/{target.pk}/flag"
            sent = {"kind": "spam"}
            return Client().post(address, sent, content_type="application/json", headers=headers)

        return flag

    return on_pages if request.param == "pages" else in_api


def member(name: str, *, days: int = 0, karma: int = 0) -> User:
    joined = timezone.now() - timedelta(days=days, minutes=1)
    return person(name, date_joined=joined, karma=karma)


def readable(targets: list[Post | Comment]) -> list[bool]:
    """Return whether guests can open each of these posts and comments."""
    return [reader().get(target.get_absolute_url()).status_code == 200 for target in targets]


def test_eight_fresh_accounts_hide_nothing(flagger: Callable[[User], Flagger], ada: User) -> None:
    written = post(ada)
    targets: list[Post | Comment] = [written, add_comment(ada, written)]
    for number in range(8):
        flag = flagger(member(f"fresh{number}"))
        assert [flag(target).status_code for target in targets] in ([303, 303], [200, 200])
    assert readable(targets) == [True, True]
    assert [item.weight for item in QueueItem.objects.all()] == [4, 4], "moderators see them"


def test_flags_are_limited_while_redis_is_down(
    flagger: Callable[[User], Flagger], ada: User, settings: Any
) -> None:
    local_limiter.memory.clear()
    targets = [post(ada, f"Post {number}") for number in range(3)]
    with redis_down(settings):
        flag = flagger(member("fresh"))
        answers = [flag(target).status_code for target in targets]
    assert answers in ([303, 303, 429], [200, 200, 429])


def test_eight_fresh_accounts_hide_nothing_by_a_rule(
    flagger: Callable[[User], Flagger], ada: User
) -> None:
    Rule.objects.create(name="Flagged", flags_at_least=6, effect=Rule.Effect.HOLD, enabled=True)
    rules.enabled.forget()
    written = post(ada)
    for number in range(8):
        flagger(member(f"fresh{number}"))(written)
    assert readable([written]) == [True]
    for number in range(6):
        flagger(member(f"member{number}", days=3, karma=5))(written)
    assert readable([written]) == [False], "the rule counts flags of established members"


def test_eight_old_accounts_hide_nothing_by_established_authors(
    flagger: Callable[[User], Flagger],
) -> None:
    targets: list[Post | Comment] = [
        post(member("author", days=99, karma=5)),
        post(member("beginner", days=99, karma=4)),
    ]
    for number in range(8):
        flag = flagger(member(f"sleeper{number}", days=3, karma=5))
        for target in targets:
            flag(target)
    assert readable(targets) == [True, False]


def test_one_member_with_forty_flags_is_stopped(flagger: Callable[[User], Flagger]) -> None:
    author, eager = member("author", days=99, karma=5), member("eager", days=9, karma=9)
    targets: list[Post | Comment] = [post(author, f"Post {number}") for number in range(40)]
    flag = flagger(eager)
    answers = [flag(target) for target in targets]
    assert {answer.status_code for answer in answers[:10]} <= {200, 303}
    assert {answer.status_code for answer in answers[10:]} == {429}
    assert 3_500 < int(answers[10]["Retry-After"]) <= 3_600
    assert "Try again in 60 minutes." in answers[10].content.decode()
    assert Flag.objects.count() == 10
    assert all(readable(targets))
    again = flag(targets[0])
    assert again.status_code in {200, 303}, "changing a flag is always possible"
