"""Rules in a table recognise different URLs of the same page. Errors in the table are reported."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st

from forum.config.checks import address_rules
from forum.text import links, same_page
from forum.text.same_page import Address, Rule

RULE = """
[[rule]]
hosts = ["example.org"]
path = '/long/(?P<id>[0-9]+)'
page = "/{id}"
reason = "The short form."
same = ["https://example.org/long/1", "https://example.org/1"]
"""


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


def test_every_rule_matches_its_examples() -> None:
    assert address_rules() == []
    assert len(links.RULES) > 50


@pytest.mark.parametrize(
    ("written", "becomes", "problem"),
    [
        ('"https://example.org/1"', '"https://example.org/2"', "should be the same page"),
        ("same", "other = ['https://example.org/1']\nsame", "these should be other pages"),
        ("/{id}", "/long/9{id}", "becomes another page when the rules are applied again"),
    ],
)
def test_a_rule_that_contradicts_its_examples_stops_the_start(
    written: str, becomes: str, problem: str, tmp_path: Path
) -> None:
    text = RULE.replace(written, becomes, 1)
    if "/long/9" in becomes:
        text = text.replace("https://example.org/1", "http://example.org/long/1")
    rules = same_page.load(table(tmp_path, text))
    with pytest.raises(ImproperlyConfigured, match=r"rule 1 \(example.org\): ") as refusal:
        same_page.check_examples(rules, lambda url: key(url, rules))
    assert problem in str(refusal.value)


def key(url: str, rules: Sequence[Rule]) -> str:
    """Return the URL's key according to these rules. URLs of the same page have the same key."""
    host, _, page = url.partition("://")[2].partition("/")
    settled = same_page.canonical(Address(host, f"/{page}", ()), rules)
    return settled.host + settled.path


@pytest.mark.parametrize(
    ("written", "becomes", "problem"),
    [
        ("[[rule]]", "[[rule", "can't be read"),
        ("[[rule]]", "x = 1\n[[rule]]", "nothing but [[rule]] tables"),
        ("reason", "becauze", "there is no becauze"),
        ('reason = "The short form."\n', "", "give reason"),
        ('"The short form."', '" "', "give a reason"),
        ('"The short form."', "1", "reason is a text"),
        ('["example.org"]', '"example.org"', "hosts is a list of texts"),
        ('["example.org"]', "[]", "give hosts like example.org"),
        ('["example.org"]', '["https://example.org"]', "give hosts like example.org"),
        ('["example.org"]', '["www.example.org"]', "none with www"),
        ('["example.org"]', '["Example.org"]', "give hosts like example.org"),
        (', "https://example.org/1"', "", "at least two addresses"),
        ("[0-9]+)", "[0-9+)", "path is no regular expression"),
        ("{id}", "{ID}", "page has {ID}, and path has no group of this name"),
        ("{id}", "{id", "page can't be read"),
        ("reason", 'keep = ["a"]\ndrop = ["b"]\nreason', "give keep or drop, not both"),
        ("reason", 'keep = ["ID"]\nreason', "in small letters"),
        ("reason", 'value = "x"\nreason', "value belongs to drop"),
        ("reason", 'host = "a.org"\ndrop_label = "m"\nreason', "give host or drop_label"),
    ],
)
def test_bad_rule_stops_the_start_and_is_named(
    written: str, becomes: str, problem: str, tmp_path: Path
) -> None:
    path = table(tmp_path, RULE.replace(written, becomes, 1))
    with pytest.raises(ImproperlyConfigured) as refusal:
        same_page.load(path)
    sentence = str(refusal.value)
    assert sentence.startswith(str(path))
    assert problem in sentence


def test_missing_table_of_rules_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="can't be read"):
        same_page.load(tmp_path / "none.toml")


def table(folder: Path, text: str) -> Path:
    """Write a table of rules to a file and return its path."""
    path = folder / "rules.toml"
    path.write_text(text)
    return path
