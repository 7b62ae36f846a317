"""Long texts are slow to process, so each person may send only a few of them per hour."""

from typing import Any

import pytest
from django.utils import timezone

from forum.models import Post, Revision, User
from forum.text import titles
from forum.web.forms.fields import BodyField
from tests.forum.comments import add_comment
from tests.forum.factories import reader
from tests.forum.outages import redis_down
from voting.types.limits import Window

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]
LONG = "A word. " * 300
FORMS = ["/submit", "/p/{0}/edit", "/p/{0}/comment", "/p/{0}/c/{1}/edit"]


@pytest.fixture
def few(settings: Any) -> None:
    """Set the limit to two long texts per hour."""
    settings.LIMITS = settings.LIMITS_NEW = settings.LIMITS | {"preview": (Window(2, 3_600),)}


@pytest.mark.parametrize("form", FORMS)
def test_repeated_refused_long_texts_are_throttled_and_given_back(
    few: None, ada: User, knots: Post, form: str
) -> None:
    path = form.format(knots.pk, add_comment(ada, knots).pk)
    window, wrong = reader(ada), {"title": "", "body": LONG + "x" * 50_000}
    assert [window.post(path, wrong).status_code for _ in range(2)] == [422, 422]
    refused = window.post(path, wrong)
    assert refused.status_code == 429
    assert LONG in refused.content.decode()


def test_far_too_long_text_is_refused_before_it_is_parsed(ada: User) -> None:
    """Parsing such a text could take minutes: the time can grow with the square of the length."""
    marks = "a" + "\u0301" * 50_000 + "\u0327" * 50_000
    assert titles.fold(marks) == marks
    assert titles.fold("a" + "\u0301" * 5) == "\u00e1" + "\u0301" * 4
    assert BodyField().to_python("\n" * 2_000_000 + "It begins here.") == "It begins here."


def test_refused_short_texts_are_not_throttled(few: None, ada: User) -> None:
    window, wrong = reader(ada), {"title": "", "body": "A word."}
    assert [window.post("/submit", wrong).status_code for _ in range(3)] == [422] * 3


def test_long_texts_are_throttled_while_redis_is_down(
    few: None, ada: User, knots: Post, settings: Any
) -> None:
    window, wrong = reader(ada), {"title": "", "body": LONG}
    with redis_down(settings):
        statuses = [window.post("/submit", wrong).status_code for _ in range(3)]
    assert statuses == [422, 422, 429]


@pytest.mark.parametrize(("text", "last"), [(LONG, 429), ("A word.", 200)], ids=["long", "short"])
def test_loading_a_long_history_repeatedly_is_throttled(
    few: None, knots: Post, text: str, last: int
) -> None:
    """Each visit renders the old revisions again, because only the current text has stored HTML."""
    Revision.objects.create(post=knots, title="Knots", body=text, until=timezone.now())
    statuses = [reader().get(f"/p/{knots.pk}/history").status_code for _ in range(3)]
    assert statuses == [200, 200, last]
