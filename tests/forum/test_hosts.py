"""Links show international host names in their own alphabet, unless a name looks like another."""

import pytest

from forum.store.post_cards import Card
from forum.text import hosts
from forum.web.forms.fields import AddressField


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("example.org", "example.org"),
        ("xn--r8jz45g.jp", "例え.jp"),
        ("xn--fiq02ib9d179b.xn--fiqs8s", "中国移动.中国"),
        ("xn--mnchen-3ya.de", "münchen.de"),
        ("xn--80a1acny.xn--p1ai", "почта.рф"),
        ("xn--80ak6aa92e.com", "xn--80ak6aa92e.com"),
        ("xn--l-7sba6dbr.com", "xn--l-7sba6dbr.com"),
        ("xn--oogle-qmc.com", "xn--oogle-qmc.com"),
        ("xn--zz", "xn--zz"),
    ],
)
def test_a_host_is_shown_in_its_script_unless_it_imitates(stored: str, shown: str) -> None:
    assert hosts.display_host(stored) == shown
    assert Card("A title", f"https://www.{stored}/a", "link", "a-title", "ada").domain == shown


def test_invisible_characters_around_a_pasted_address_are_removed() -> None:
    field = AddressField()
    assert field.clean("https://example.org/a\u200b") == "https://example.org/a"
    assert field.clean("\u2068 example.org/a\ufeff") == "https://example.org/a"
    assert field.clean("\u200b \ufeff") == ""
