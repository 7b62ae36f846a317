"""Rules in a table recognise different URLs of the same page, and the table has no mistakes."""

import re
from dataclasses import fields
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forum.text import links
from forum.text.same_page import Rule

HOST = re.compile(r"\*|(?:\*\.)?(?!www\.)(?:[a-z0-9-]+\.)+[a-z0-9-]+")
LISTS = {"hosts", "same", "other", "keep", "drop"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://youtu.be/aBC123Def45", "https://www.youtube.com/watch?v=aBC123Def45"),
        ("https://youtu.be/aBC123Def45?t=123", "https://youtu.be/aBC123Def45"),
        (
            "https://m.youtube.com/watch?v=aBC123Def45&feature=youtu.be",
            "https://www.youtube.com/watch?v=aBC123Def45",
        ),
        ("https://blog.example.org/there/?ref=selfh.st", "https://blog.example.org/there/"),
        ("https://example.org/index.html", "https://example.org/"),
        ("https://example.org/a/index.php?id=3", "https://example.org/a/?id=3"),
        (
            "https://zh.m.wikipedia.org/wiki/投票",
            "https://zh.wikipedia.org/wiki/%E6%8A%95%E7%A5%A8",
        ),
        ("https://twitter.com/somebody/status/1?s=20", "https://x.com/somebody/status/1"),
        ("https://arxiv.org/abs/2401.00001v2", "https://arxiv.org/pdf/2401.00001"),
        ("https://arxiv.org/abs/math/0309136", "https://arxiv.org/pdf/math/0309136v1.pdf"),
        ("https://google.com/amp/s/amp.cnn.com/a/index.html", "https://cnn.com/a"),
    ],
)
def test_addresses_of_one_page_have_one_post(one: str, other: str) -> None:
    assert links.key(one) == links.key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "https://www.youtube.com/watch?v=aBC123Def45",
            "https://www.youtube.com/watch?v=ZZZ123Def45",
        ),
        ("https://news.ycombinator.com/item?id=1", "https://news.ycombinator.com/item?id=2"),
        ("https://example.org/a?page=1", "https://example.org/a?page=2"),
        ("https://example.org/a?ref=main", "https://example.org/a"),
        ("https://example.org/a?t=123", "https://example.org/a"),
        ("https://example.org/a?feature=x", "https://example.org/a"),
        ("https://m.example.org/a", "https://example.org/a"),
        ("https://youtu.be/aBC123Def45", "https://youtu.be/aBC123Def45x"),
        ("https://www.youtube.com/@ada", "https://www.youtube.com/@bob"),
        ("https://en.wikipedia.org/wiki/Voting", "https://de.wikipedia.org/wiki/Voting"),
        ("https://notx.com/ada/status/1", "https://x.com/ada/status/1"),
        ("https://x.com.example.org/ada/status/1", "https://x.com/ada/status/1"),
        ("https://x.com:8080/ada/status/1", "https://x.com/ada/status/1"),
        ("https://arxiv.org/list/cs.AI/recent", "https://arxiv.org/list/cs.CL/recent"),
        ("https://github.com/pallets/flask/issues/1", "https://github.com/pallets/flask"),
    ],
)
def test_addresses_of_two_pages_are_two_posts(one: str, other: str) -> None:
    assert links.key(one) != links.key(other)


@given(
    st.sampled_from([host.replace("*", "zh") for rule in links.RULES for host in rule.hosts]),
    st.lists(
        st.sampled_from([url.split("/", 3)[3] for rule in links.RULES for url in rule.same])
        | st.sampled_from(["index.html", "?si=1", "?amp", ".git", ".pdf", "/", "www.a", "&v=1"]),
        max_size=3,
    ).map("".join),
)
def test_a_key_is_an_address_of_the_same_page(host: str, page: str) -> None:
    key = links.key(f"https://{host if '.' in host else 'example.org'}/{page}")
    assert links.key(f"https://{key}") == key


@pytest.mark.parametrize("rule", links.RULES, ids=lambda rule: rule.hosts[0])
def test_every_rule_matches_its_examples(rule: Rule) -> None:
    assert len(rule.same) > 1
    keys = {links.key(url) for url in rule.same}
    assert len(keys) == 1, "these should be the same page"
    assert keys.isdisjoint(links.key(url) for url in rule.other), "these should be other pages"
    assert {links.key(f"https://{key}") for key in keys} == keys, "rules don't change a key"


@pytest.mark.parametrize("rule", links.RULES, ids=lambda rule: rule.hosts[0])
def test_every_rule_is_well_formed(rule: Rule) -> None:
    assert rule.reason.strip()
    assert rule.hosts
    assert all(HOST.fullmatch(host) for host in rule.hosts)
    assert all(name == name.lower() for name in (*(rule.keep or ()), *rule.drop))
    assert rule.keep is None or not rule.drop, "keep or drop, not both"
    assert rule.value is None or rule.drop, "value belongs to drop"
    assert not (rule.host and rule.drop_label), "host or drop_label, not both"
    used = {
        field for text in (rule.host, rule.page) for _, field, *_ in Formatter().parse(text or "")
    }
    assert used <= {*re.compile(rule.path or "").groupindex, None}
    for field in fields(Rule):
        given = getattr(rule, field.name)
        kind = tuple if field.name in LISTS else str
        assert isinstance(given, kind) or given == field.default


def test_there_are_rules_for_many_sites() -> None:
    assert len(links.RULES) > 50
