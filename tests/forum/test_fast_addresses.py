"""Addresses that are made without Django's `reverse`, because pages have many of them."""

import pytest
from django.urls import reverse

from forum.web.addresses import address


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("search", ()),
        ("inbox_item", (7,)),
        ("comment", (7, 8)),
        ("post", (7, "a-title")),
        ("post", (7, "日本-ブログ")),
        ("profile", ("ada",)),
        ("profile", ("ada.b+c@d_e-f",)),
        ("profile", ("José 50%",)),
        ("group", ("books",)),
    ],
)
def test_address_is_the_one_that_reverse_returns(name: str, parts: tuple[int | str, ...]) -> None:
    assert address(name, *parts) == reverse(name, args=parts)
