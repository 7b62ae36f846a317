"""Group pages: the list of groups, a group's page, and pages of several groups (mixes)."""

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from forum.models import Group, User
from forum.queries.groups import directory
from forum.views.errors import TOPICS_SHOWN
from tests.forum.factories import groups, post, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html, titles

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_index_shows_every_group_with_its_title_and_number_of_posts(ada: User) -> None:
    groups("books", "cities", "maths")
    post(ada, slugs="books")
    post(ada, slugs="books maths")
    html = get_html("/g/")
    assert re.findall(r'<h2><a href="/g/(\w+)/">', html) == ["books", "cities", "maths"]
    assert re.findall(r">(\d+) posts?<", html) == ["2", "0", "1"]
    assert 'href="/g/books+cities/"' in html


def test_groups_are_ordered_by_title() -> None:
    Group.objects.create(slug="meta", title="about this site")
    groups("books", "web")
    assert re.findall(r'<h2><a href="/g/(\w+)/">', get_html("/g/")) == ["meta", "books", "web"]


def test_site_without_groups_says_so_and_shows_staff_where_to_add_one(
    ada: User, admin: Client
) -> None:
    for window in (reader(), reader(ada), admin):
        html = get_html("/g/", window)
        assert "There are no groups yet." in html
        assert ('href="/admin/forum/group/add/"' in html) is (window is admin)
    html = reader(ada).get("/submit").content.decode()
    assert "There are no groups yet. You can post as soon as the site has a group." in html
    assert "You can choose one to three groups." not in html


def test_members_follow_groups_from_the_index_and_stay_at_its_row(ada: User) -> None:
    groups("books", "maths")
    window = reader(ada)
    assert 'aria-label="Follow Books"' in window.get("/g/").content.decode()
    sent = window.post("/g/books/follow", {"on": "1", "next": "/g/"})
    assert sent["Location"] == "/g/#group-books"
    html = window.get("/g/").content.decode()
    assert 'id="group-books"' in html
    assert 'aria-label="Stop following Books"' in html
    assert 'aria-label="Follow Maths"' in html
    assert "Follow" not in get_html("/g/"), "guests have no button"


def test_list_of_groups_marks_hidden_groups(ada: User) -> None:
    groups("books", "maths")
    window, mark = reader(ada), '<span class="tag">hidden</span>'
    assert mark not in window.get("/g/").content.decode()
    window.post("/g/maths/hide", {"on": "1"})
    html = window.get("/g/").content.decode()
    assert html.count(mark) == 1
    assert html.index('id="group-maths"') < html.index(mark)
    assert mark not in get_html("/g/")


def test_guest_who_follows_a_group_logs_in_and_returns_to_it() -> None:
    groups("books", "maths")
    assert 'href="/accounts/login/?next=/g/books/"' in get_html("/g/books/")
    assert "Follow" not in get_html("/g/books+maths/"), "combined groups can't be followed"


@pytest.mark.parametrize(
    ("listing", "form"),
    [
        ("/g/books/", "/submit?group=books"),
        ("/g/books/new", "/submit?group=books"),
        ("/g/books&maths/", "/submit?group=books&amp;group=maths"),
        ("/g/books+maths/", "/submit"),
        ("/g/books~maths/", "/submit?group=books"),
        ("/g/books&cities&maths&web/", "/submit"),
        ("/", "/submit"),
    ],
)
def test_submit_link_of_a_group_selects_it(listing: str, form: str) -> None:
    groups("books", "cities", "maths", "web")
    html = get_html(listing)
    links = re.findall(r'href="(/submit[^"]*)"', html)
    assert links == [form, form], "in the header and in the empty list"


def test_index_shows_groups_without_numbers_while_redis_is_down(ada: User, settings: Any) -> None:
    post(ada, slugs="books")
    with redis_down(settings):
        html = get_html("/g/")
    assert 'href="/g/books/"' in html
    assert "1 post<" not in html
    assert "temporarily unavailable" in html


def test_a_group_shows_its_own_posts_title_and_orders(ada: User) -> None:
    Group.objects.create(slug="books", title="All about books", description="What we read.")
    post(ada, "In books", slugs="books")
    post(ada, "Elsewhere", slugs="maths")
    html = get_html("/g/books/")
    assert titles(html) == ["In books"]
    assert "<h1>All about books</h1>" in html
    assert "What we read." in html
    for path in ("/g/books/", "/g/books/new", "/g/books/top"):
        assert f'href="{path}"' in html
        assert titles(get_html(path)) == ["In books"]
    assert titles(get_html("/g/books/top?t=all&dir=asc")) == ["In books"]


def test_an_empty_group_is_a_page_that_says_so() -> None:
    groups("books")
    assert "Nothing here yet." in get_html("/g/books/")


def test_a_new_group_and_a_changed_title_show_within_seconds() -> None:
    get_html("/g/")
    Group.objects.create(slug="brand-new", title="Brand new")
    assert "<h1>Brand new</h1>" in get_html("/g/brand-new/")


def post_in_books_and_maths(ada: User) -> None:
    post(ada, "Both", slugs="books maths")
    post(ada, "Books", slugs="books")
    post(ada, "Maths", slugs="maths")
    post(ada, "Web", slugs="web")


def test_groups_combine_in_the_address(ada: User) -> None:
    post_in_books_and_maths(ada)
    assert titles(get_html("/g/books+maths/new")) == ["Maths", "Books", "Both"]
    assert titles(get_html("/g/books&maths/")) == ["Both"]
    assert titles(get_html("/g/books~maths/")) == ["Books"]
    assert "<h1>Books + Maths</h1>" in get_html("/g/books+maths/")
    assert 'href="/g/books&amp;maths/new"' in get_html("/g/books&maths/")
    assert '<a class="chip hue-6" href="/g/maths/">Maths</a>' in get_html("/g/books+maths/")
    assert "Posts in Books or in Maths." in get_html("/g/books+maths/")
    assert "Posts in both Books and Maths." in get_html("/g/books&maths/")
    assert "Posts in Books that are not in Maths." in get_html("/g/books~maths/")
    assert "Posts that are in any of these groups." in get_html("/g/books+maths+web/")


def test_group_with_a_different_title_is_listed_with_both_names() -> None:
    groups("books")
    Group.objects.create(slug="meta", title="About this site")
    html = get_html("/g/?one=books")
    assert '<a href="/g/meta/">About this site</a> <span class="tag">meta</span>' in html
    assert "posts in Books but not in About this site" in html
    assert '<span class="tag">books</span>' not in html


def test_group_links_to_the_form_that_combines_it() -> None:
    groups("books")
    assert "Combine with other groups" not in get_html("/g/books/")
    groups("maths")
    assert 'href="/g/?one=maths#combine"' in get_html("/g/maths/")
    assert '<a href="/g/maths~books/">' in get_html("/g/?one=maths")
    assert '<a href="/g/books~maths/">' in get_html("/g/?one=nothing")


@pytest.mark.parametrize(
    ("chosen", "leads_to"),
    [
        ({"one": "books", "sign": "+", "two": "maths"}, "/g/books+maths/"),
        ({"one": "maths", "sign": "&", "two": "books"}, "/g/maths&books/"),
        ({"one": "maths", "sign": "~", "two": "books"}, "/g/maths~books/"),
        ({"one": "books", "sign": "/", "two": "maths"}, "/g/books+maths/"),
        ({"one": "books", "two": "maths"}, "/g/books+maths/"),
    ],
)
def test_form_of_groups_redirects_to_their_address(chosen: dict[str, str], leads_to: str) -> None:
    groups("books", "maths")
    assert reader().get("/g/combine", chosen)["Location"] == leads_to


@pytest.mark.parametrize("chosen", [{}, {"one": "books"}, {"one": "books", "two": "a/b"}])
def test_form_without_two_groups_is_not_found(chosen: dict[str, str]) -> None:
    groups("books", "maths")
    assert reader().get("/g/combine", chosen).status_code == 404


def test_combined_groups_come_from_sql_while_redis_is_down(ada: User, settings: Any) -> None:
    post_in_books_and_maths(ada)
    with redis_down(settings):
        assert titles(get_html("/g/books+maths/")) == ["Maths", "Books", "Both"]
        assert titles(get_html("/g/books&maths/")) == ["Both"]
        assert titles(get_html("/g/books~maths/")) == ["Books"]


@pytest.mark.parametrize(
    ("spelled", "canonical"),
    [
        ("/g/maths+books/", "/g/books+maths/"),
        ("/g/maths&books/new?p=2", "/g/books&maths/new?p=2"),
        ("/g/books+books/", "/g/books/"),
        ("/g/books~web~maths/", "/g/books~maths~web/"),
    ],
)
def test_other_spellings_of_a_combination_redirect_to_one(spelled: str, canonical: str) -> None:
    groups("books", "maths", "web")
    response = reader().get(spelled)
    assert response.status_code == 301
    assert response["Location"] == canonical


def test_an_unknown_group_is_not_found_with_close_names_and_all_groups() -> None:
    groups("books", "maths")
    response = reader().get("/g/boks/")
    html = response.content.decode()
    assert response.status_code == 404
    assert "There is no group called boks." in html
    assert re.search(r'Did you mean <a class="chip hue-10" href="/g/books/">', html)
    assert 'href="/g/maths/"' in html


@pytest.mark.parametrize(
    ("path", "meant"),
    [("/g/a+b/", ["books"]), ("/g/we/", ["web"]), ("/g/M/", ["maths", "music"]), ("/g/eb/", [])],
)
def test_one_or_two_letters_suggest_only_groups_that_start_with_them(
    path: str, meant: list[str]
) -> None:
    groups("books", "maths", "music", "web")
    html = reader().get(path).content.decode()
    suggestion = re.search(r"Did you mean (.*?)</p>", html)
    assert re.findall(r'href="/g/(\w+)/"', suggestion[1] if suggestion else "") == meant


def test_with_very_many_groups_only_some_are_suggested(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    Group.objects.bulk_create(Group(slug=f"g{number}", title="A group") for number in range(500))
    groups("books")
    reader().get("/g/")
    with django_assert_num_queries(1):
        html = reader().get("/g/boks/").content.decode()
    assert re.search(r'Did you mean <a class="chip hue-10" href="/g/books/">', html)
    assert html.count('class="chip ') == 1 + TOPICS_SHOWN
    assert "See all groups" in html


def test_group_in_capitals_redirects_to_the_group() -> None:
    groups("books", "maths")
    for odd, usual in (
        ("/g/MATHS/?p=1", "/g/maths/?p=1"),
        ("/g/Maths/new", "/g/maths/new"),
        ("/g/Maths~BOOKS/", "/g/maths~books/"),
    ):
        response = reader().get(odd)
        assert (response.status_code, response["Location"]) == (301, usual)
    assert reader().get("/g/BOKS/").status_code == 404


@pytest.mark.parametrize("path", ["/g/books+nobody/", "/g/nobody~books/new", "/g/nobody+books/"])
def test_a_combination_with_an_unknown_group_is_not_found(path: str) -> None:
    groups("books")
    response = reader().get(path)
    assert response.status_code in {301, 404}
    assert "no group called nobody." in reader().get(path, follow=True).content.decode()


def test_a_combination_of_unknown_groups_names_each() -> None:
    html = reader().get("/g/ants+bees/").content.decode()
    assert "There are no groups called ants, bees." in html


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/g/a+b&c/", "Use only one kind of sign (+, &amp; or ~) and at most four groups"),
        ("/g/a+b&/", "Use only one kind of sign"),
        ("/g/a+b+c+d+e/", "Use only one kind of sign (+, &amp; or ~) and at most four groups"),
        ("/g/a+/", "A group name is missing"),
        ("/g/+/", "A group name is missing"),
        ("/g/a~~b/new", "A group name is missing"),
        ("/g/a~a/", "The groups before and after ~ must be different."),
        ("/g/A~b~a/", "The groups before and after ~ must be different."),
    ],
)
def test_invalid_combination_is_not_found_with_the_reason(path: str, reason: str) -> None:
    groups("a", "b", "c", "d", "e")
    response = reader().get(path)
    assert response.status_code == 404
    assert reason in response.content.decode()


def test_the_index_takes_no_query_once_the_groups_are_known(
    ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    post(ada)
    get_html("/g/")
    with django_assert_num_queries(0):
        get_html("/g/")


def test_groups_are_loaded_by_one_thread_at_a_time(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    post(ada, "Knots", slugs="crafts")
    get_html("/g/crafts/")
    monkeypatch.setattr("forum.queries.process_cache.SECONDS", 0)
    asking, answered = Event(), Event()

    def hang(execute: Any, *args: Any) -> Any:
        asking.set()
        answered.wait(10)
        return execute(*args)

    def ask() -> None:
        with connection.execute_wrapper(hang):
            directory.topics()
        connection.close()

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(ask)
        asking.wait(10)
        assert "Knots" in threads.submit(get_html, "/g/crafts/").result(5)
        assert not first.done()
        answered.set()


def test_page_of_a_group_names_each_order_once(ada: User) -> None:
    post(ada)
    html = get_html("/g/books/")
    for name in ("Hot", "New", "Active", "Top", "Views"):
        assert len(re.findall(rf">{name}</a>", html)) == 1, name
    assert '<a href="/">Front page</a>' in html
    assert len(re.findall(r">Hot</a>", get_html("/"))) == 1
    assert "Front page" not in get_html("/")
