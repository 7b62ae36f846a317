"""While somebody types a name, the site offers people and groups whose names begin alike."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from forum.actions import following
from forum.config import rate_limits
from forum.models import Group, User
from tests.forum.factories import groups, person, reader
from tests.forum.outages import redis_down
from voting.types.limits import Window

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


def offered(user: User, begun: str, kind: str = "people") -> list[list[str]]:
    answer = reader(user).get(f"/complete/{kind}", {"q": begun})
    assert answer.status_code == 200
    found: list[list[str]] = answer.json()["options"]
    return found


def test_followed_people_come_first_and_then_the_well_known(bob: User) -> None:
    for name, karma in (("Anna", 1), ("anton", 9), ("ann_b", 5), ("bert", 99), ("anjo", 7)):
        person(name, karma=karma, is_active=name != "anjo")
    following.set_follow(bob, User.objects.get(username="Anna"), on=True)
    assert offered(bob, "AN") == [["Anna"] * 2, ["anton"] * 2, ["ann_b"] * 2]
    assert offered(bob, "ann_") == [["ann_b"] * 2], "an underscore stands for itself"
    for nothing in ("", "%", "bob", "\0", "x" * 999):
        assert offered(bob, nothing) == []


def test_groups_are_offered_by_title_and_by_short_name(bob: User) -> None:
    groups("books", "maths")
    Group.objects.create(slug="js", title="Bootstrapping")
    Group.objects.create(slug="boats", title="Boats", closed=True)
    groups()
    assert offered(bob, "BO", "groups") == [["books", "Books"], ["js", "Bootstrapping"]]
    assert offered(bob, "js", "groups") == [["js", "Bootstrapping"]]


@pytest.mark.parametrize("kind", ["people", "groups"])
def test_completion_is_for_members_and_limited(bob: User, settings: Any, kind: str) -> None:
    assert reader().get(f"/complete/{kind}?q=a").status_code == 302
    settings.LIMITS = rate_limits.everybody() | {"complete": (Window(2, 60),)}
    settings.LIMITS_NEW = settings.LIMITS
    with redis_down(settings):
        offered(bob, "b", kind)
    for status in (200, 200, 429):
        assert reader(bob).get(f"/complete/{kind}?q=a").status_code == status


def test_completing_a_name_takes_a_query_for_the_person_and_one_for_names(bob: User) -> None:
    window = reader(bob)
    window.get("/complete/people?q=a")
    with CaptureQueriesContext(connection) as queries:
        window.get("/complete/people?q=a")
    assert len(queries) == 2
