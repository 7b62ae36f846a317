"""People search from a box on every page, and save searches."""

# ruff: noqa: RUF001

import re
from collections.abc import Callable
from datetime import datetime
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from forum.actions import following, mutes
from forum.admin.group_merging.services import rename
from forum.models import Group, Mute, SavedSearch, User
from forum.search.highlights import marked
from forum.search.parser import parse
from forum.search.services import MOST_SAVED
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader
from voting.types.limits import Window

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
Get = Callable[..., str]


@pytest.fixture
def get(client: Client) -> Get:
    """Return a function that returns the page of a search, as a guest."""

    def page(text: str, **more: str) -> str:
        return unescape(client.get("/search", {"q": text, **more}).content.decode())

    return page


def test_results_show_matches_in_titles_and_texts(ada: User, get: Get) -> None:
    written = post(ada, title="Café <b>tables", body=f"{'Long ago. ' * 40}A round table & chairs.")
    add_comment(ada, written, "My table is square.")
    page = get("cafe table")
    assert "<mark>Café</mark> <b><mark>table</mark>s" in page
    assert "A round <mark>table</mark> & chairs." in page
    assert "1 result" in page
    page = get("table")
    assert "2 results" in page
    assert "My <mark>table</mark> is square." in page
    assert written.comments.get().get_absolute_url() in page


def test_times_of_results_have_an_offset(ada: User, get: Get, client: Client) -> None:
    """Without it, programs and browsers would take them for times of their own place."""
    add_comment(ada, post(ada, "Rye bread"), "More bread")
    times = re.findall(r'<time datetime="([^"]+)"', get("bread"))
    items = client.get("/api/v1/search?q=bread").json()["items"]
    times += [item["created_at"] for item in items]
    assert len(times) == 4
    assert all(datetime.fromisoformat(at).tzinfo for at in times)


def test_titles_and_words_are_escaped(ada: User, client: Client) -> None:
    post(ada, title="<script>alert(1)</script>", body="Is <i>this</i> escaped?")
    page = client.get("/search", {"q": '<script> "><b>'}).content.decode()
    assert "<script>alert" not in page
    assert '"><b>' not in page
    assert escape('<script> "><b>') in page


def test_groups_and_people_with_matching_names_come_first(ada: User, get: Get) -> None:
    groups("gardening")
    person("gardener")
    page = get("garden")
    assert 'href="/g/gardening/">' in page
    assert 'href="/u/gardener/">@gardener' in page


def test_unknown_operators_and_no_results_are_explained(ada: User, get: Get) -> None:
    page = get("quixotic colour:red")
    assert "These parts of your search were not understood: colour:red" in page
    assert "Nothing found." in page


@pytest.mark.parametrize(
    ("text", "literal", "rest"),
    [
        ("heron AND blue", "AND", "heron blue"),
        ("NOT heron is:post", "NOT", "heron is:post"),
        ("“heron blue”", '"heron blue"', "heron blue"),
        ("@heron blue", "@heron", "heron blue"),
        ("heron.blue", "heron.blue", "heron blue"),
        ("heron/blue -red, please", "heron/blue  please", "heron blue -red"),
        ("quixotic blue heron?", "quixotic", "blue heron"),
        ("how about the blue heron?", "how  about", "the blue heron"),
    ],
)
def test_search_that_finds_nothing_says_what_was_literal_and_offers_the_rest(
    ada: User, get: Get, text: str, literal: str, rest: str
) -> None:
    post(ada, title="The blue heron")
    page = get(text)
    assert "Nothing found for the whole search." in page
    assert f"taken literally: {literal}<br>" in page
    assert f'<a href="/search?{urlencode({"q": rest})}" dir="auto">{rest}</a>' in page
    assert "<mark>heron</mark></a>" in page, "the results of the offered search"
    assert "Nothing found" not in get(rest)


def test_search_offers_nothing_that_finds_nothing(ada: User, get: Get) -> None:
    post(ada, title="The blue heron")
    for text in ("quixotic?", "quixotic AND red", "blue author:bob", "tea OR coffee", "“”"):
        assert "taken literally" not in get(text), text


def test_matches_are_marked_whatever_marks_and_accents_they_have(ada: User, get: Get) -> None:
    post(ada, title="Łódź: don’t “go, home”", body="A café, ﬁne.")
    assert "<mark>Łódź</mark>: <mark>don’t</mark>" in get("lodz don't")
    assert "“<mark>go, home</mark>”" in get('"go home"')
    assert "A <mark>café</mark>, <mark>ﬁne</mark>." in get("cafe! fine")


def test_links_of_a_search_with_typographic_quotes_know_the_current_kind(get: Get) -> None:
    page = get("“blue heron” is：post")
    assert re.search(r'<a href="[^"]*" aria-current="true">Posts</a>', page)


def test_links_change_kind_and_period_and_keep_the_rest(ada: User, get: Get) -> None:
    page = get("tea is:link after:7d", o="date")
    assert 'href="/search?q=tea+after:7d+is:comment&o=date"' in page.replace("%3A", ":")
    assert 'href="/search?q=tea+is:link+after:1y&o=date"' in page.replace("%3A", ":")
    assert 'href="/search?q=tea+is:link&o=date"' in page.replace("%3A", ":")


def test_results_have_pages(ada: User, client: Client, settings: Any) -> None:
    settings.PAGE_SIZE = 2
    for number in range(3):
        post(ada, title=f"Tea {number}")
    first = client.get("/search?q=tea").content.decode()
    second = client.get("/search?q=tea&p=2").content.decode()
    assert [f"{number}</a>" in first for number in range(3)] == [False, True, True]
    assert 'start="3"' in second
    assert client.get("/search?q=tea&p=3").status_code == 404
    assert client.get("/search?q=tea&p=x").status_code == 404


def test_muted_posts_and_their_comments_are_hidden_from_results(ada: User, bob: User) -> None:
    written = post(ada, "New crypto coins", body="A garden.")
    add_comment(ada, written, "A garden chair.")
    add_comment(bob, written, "My garden.")
    post(ada, "A rose garden")
    window = reader(bob)
    mutes.mute(bob, Mute.Kind.WORD, "crypto")
    page = window.get("/search", {"q": "garden"}).content.decode()
    assert "chair" not in page
    assert "2 results on this page are hidden" in page
    assert "rose" in page
    assert "My <mark>garden</mark>" in page
    mutes.mute(bob, Mute.Kind.WORD, "rose")
    page = window.get("/search", {"q": "rose"}).content.decode()
    assert "1 result on this page is hidden" in page
    assert "Nothing found" not in page


def test_too_long_a_search_is_refused_and_kept(client: Client) -> None:
    answer = client.get("/search", {"q": "x" * 501})
    assert answer.status_code == 422
    assert "x" * 501 in answer.content.decode()


def test_too_many_searches_are_refused_with_a_time_to_wait(client: Client, settings: Any) -> None:
    settings.LIMITS = settings.LIMITS | {"search": (Window(1, 60),)}
    assert client.get("/search?q=tea").status_code == 200
    answer = client.get("/search?q=tea")
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0
    assert 'value="tea"' in answer.content.decode()
    assert client.get("/search").status_code == 200, "the help page is not counted"


def test_members_save_searches_and_delete_them(ada: User) -> None:
    browser = reader(ada)
    form = {"name": "Tea & co", "text": "tea is:link"}
    page = browser.post("/search/saved", form, follow=True).content.decode()
    assert "Saved the search" in page
    assert '<a href="/search?q=tea%20is%3Alink" dir="auto">Tea &amp; co</a>' in page
    page = browser.post("/search/saved", form, follow=True).content.decode()
    assert "You already have a search with this name." in page
    saved = SavedSearch.objects.get()
    reader(person("bob")).post(f"/search/saved/{saved.pk}/delete")
    assert SavedSearch.objects.exists(), "others can't delete it"
    browser.post(f"/search/saved/{saved.pk}/delete")
    assert not SavedSearch.objects.exists()


def test_number_of_saved_searches_is_limited(ada: User) -> None:
    for number in range(MOST_SAVED):
        SavedSearch.objects.create(user=ada, name=str(number), text="tea")
    page = reader(ada).post("/search/saved", {"name": "One", "text": "tea"}, follow=True)
    assert "You can save at most 50 searches." in page.content.decode()


def test_browsers_find_the_search(client: Client) -> None:
    assert 'rel="search"' in client.get("/").content.decode()
    answer = client.get("/opensearch.xml")
    assert answer["Content-Type"] == "application/opensearchdescription+xml; charset=utf-8"
    assert b'template="http://testserver/search?q={searchTerms}"' in answer.content


def test_same_search_finds_what_changed_since(ada: User, bob: User) -> None:
    search, cleo = "boat group:{} author:cleo", person("cleo")

    def titles(group: str, reader_of: User) -> list[str]:
        page = reader(reader_of).get("/search", {"q": search.format(group)}).content.decode()
        return re.findall(r'<h2 class="title"><a [^>]*>A <mark>(\w+)</mark></a>', page)

    assert titles("sailing", ada) == []
    post(cleo, "A boat", slugs="sailing")
    assert titles("sailing", ada) == ["boat"]
    rename(Group.objects.get(slug="sailing"), "seas")
    assert titles("seas", ada) == ["boat"]
    assert titles("sailing", ada) == ["boat"], "by its old name"
    following.block(ada, cleo, on=True)
    assert titles("seas", ada) == []
    assert titles("seas", bob) == ["boat"]


@pytest.mark.parametrize("before", ["ﬁne ﬂat", "Ҋ й", "Ꭰ", "É È", "œ ß"])
def test_words_after_rare_letters_are_marked_where_they_stand(before: str) -> None:
    words = parse("thing", now=timezone.now(), member=False).words
    assert marked(f"{before} Thing", words) == f"{before} <mark>Thing</mark>"
