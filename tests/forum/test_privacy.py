"""A page says what the site stores, why, and how long."""

from typing import Any

import pytest

from forum.models import User
from tests.forum.factories import reader
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)


def test_everybody_reaches_the_page_from_the_footer(ada: User) -> None:
    for window in (reader(), reader(ada)):
        assert '<a href="/privacy">Privacy</a>' in get_html("/", window)
        assert "What Rostra stores about people" in get_html("/privacy", window)


def test_page_says_how_long_each_thing_is_stored() -> None:
    html = get_html("/privacy")
    for sentence in (
        "You and admins can read them for 90 days.",
        "Your inbox: 365 days after you read an item.",
        "The security log, with a keyed hash of your network: 90 days.",
        "You can change your mind for 7 days, by logging in.",
    ):
        assert sentence in html


def test_page_knows_the_setting_for_deleted_texts(settings: Any) -> None:
    settings.DELETED_TEXT_DAYS = 30
    assert "You and admins can read them for 30 days." in get_html("/privacy")
    settings.DELETED_TEXT_DAYS = 0
    assert "You and admins can read them without end." in get_html("/privacy")


def test_page_is_in_chinese_too() -> None:
    page = reader().get("/privacy", headers={"Accept-Language": "zh-CN"})
    assert "只有你能看到" in page.content.decode()
