"""The admin: what staff see, how many queries pages take, and how changes are synced to Redis."""

import re
from typing import Any

import pytest
from django.test import Client

from forum import __version__
from forum.ledger.archiver import archive_rest
from forum.models import ArchivedVote, Group, LedgerEntry, Post, User
from forum.store import post_cards
from forum.store.service import get_voting_service
from forum.text import usernames
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html
from tests.forum.round_trips import counted_round_trips
from tests.forum.worker_runs import run_worker
from voting.types import Order, Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)

COUNTED = ("posts", "comments", "karma")
LISTS = ["user", "post", "comment", "group", "archivedvote", "ledgerentry", "votevalue"]


def page(admin: Client, path: str) -> str:
    return get_html(f"/admin/forum/{path}", admin)


def act(admin: Client, name: str, *posts: Post) -> str:
    sent = {"action": name, "_selected_action": [post.pk for post in posts]}
    sent |= {"sure": "1", "reason": "Spam"}
    response = admin.post("/admin/forum/post/", sent, follow=True)
    return str(response.content.decode())


@pytest.mark.parametrize("path", ["/admin/", "/admin/forum/post/"])
def test_every_page_of_the_admin_shows_the_sites_name_and_version(admin: Client, path: str) -> None:
    assert f"Rostra {__version__}</p>" in get_html(path, admin)


@pytest.mark.parametrize("name", LISTS)
def test_every_list_opens_and_can_be_searched(admin: Client, ada: User, name: str) -> None:
    written = post(ada)
    common = {"post_id": written.pk, "user_id": 1, "vote": 1, "at": written.created_at}
    ArchivedVote.objects.create(**common)
    LedgerEntry.objects.create(**common, generation="g", shard=1, entry="1-1")
    page(admin, f"{name}/")
    page(admin, f"{name}/?q=ada")
    page(admin, f"{name}/?q=1")
    page(admin, f"{name}/?q=99999999999999999999")
    page(admin, f"{name}/?q=%00")


def test_the_list_of_posts_shows_points_and_rank_from_redis(
    admin: Client, ada: User, bob: User
) -> None:
    first, second = post(ada, "The first"), post(ada, "The second")
    get_voting_service().votes.cast(bob.pk, Target(first.pk), Vote.UP)
    html = page(admin, "post/")
    points = re.findall(r'<td class="field-points">([^<]*)</td>', html)
    ranks = re.findall(r'<td class="field-rank">([^<]*)</td>', html)
    assert html.index(second.title) < html.index(first.title)
    assert (points, ranks) == (["1", "2"], ["2", "1"])


def test_posts_are_filtered_by_group(admin: Client, ada: User) -> None:
    post(ada, slugs="books")
    post(ada, slugs="music")
    html = page(admin, "post/")
    assert "?groups__id__exact=" in html
    assert "groups__isnull" not in html


def test_the_list_of_groups_shows_how_many_posts_each_has(admin: Client, ada: User) -> None:
    post(ada, slugs="books music")
    post(ada, slugs="books")
    sizes = re.findall(r'<td class="field-size">([^<]*)</td>', page(admin, "group/"))
    assert sizes == ["2", "1"]


def test_list_of_people_shows_their_posts_comments_and_karma(
    admin: Client, ada: User, bob: User
) -> None:
    written = post(ada)
    add_comment(bob, written)
    get_voting_service().votes.cast(bob.pk, Target(written.pk), Vote.UP)
    archive_rest(get_voting_service().maintenance.generations.current())
    html = page(admin, "user/")
    rows = {
        name: [
            re.findall(rf'<td class="field-{of}">(?:<a [^>]*>)?([^<]*)<', row)[0] for of in COUNTED
        ]
        for row in html.split("<tr>")
        for name in re.findall(r"/change/[^>]*>(\w+)<", row)
    }
    assert rows == {"ada": ["1", "0", "1"], "bob": ["0", "1", "0"], "root": ["0", "0", "0"]}


def test_forum_comes_first_and_its_groups_differ_from_staff_roles(admin: Client) -> None:
    html = admin.get("/admin/").content.decode()
    names = re.findall(r'id="(forum|auth)-group">\s*<a href="[^"]*">([^<]*)<', html)
    assert names == [("forum", "Groups"), ("auth", "Staff roles")]
    for word in ("MFA", "Authenticators"):
        assert word not in html, "libraries use the site's words"


@pytest.mark.parametrize("count", [1, 40])
@pytest.mark.parametrize("name", ["post", "group"])
def test_list_takes_one_round_trip_for_any_number_of_rows(
    admin: Client, ada: User, settings: Any, name: str, count: int
) -> None:
    posts(ada, count, slugs="topic-{}")
    with counted_round_trips(settings) as (to_voting, _to_cache):
        page(admin, f"{name}/")
        with to_voting.counting():
            page(admin, f"{name}/")
        assert to_voting.round_trips == 1


@pytest.mark.parametrize("name", ["post", "group"])
def test_list_takes_the_same_queries_for_any_number_of_rows(
    admin: Client, ada: User, name: str, django_assert_max_num_queries: Any
) -> None:
    posts(ada, 20, slugs="topic-{}")
    page(admin, f"{name}/")  # the first page of a visit records the visit
    with django_assert_max_num_queries(12):
        page(admin, f"{name}/")


def test_list_of_posts_opens_while_redis_is_down(admin: Client, ada: User, settings: Any) -> None:
    written = post(ada)
    with redis_down(settings):
        html = page(admin, "post/")
    assert written.title in html
    assert '<td class="field-rank">—</td>' in html
    assert "Voting is temporarily unavailable." in html


def test_posts_are_removed_and_restored_in_every_list_and_never_erased(
    admin: Client, ada: User, bob: User
) -> None:
    written, other = post(ada), post(bob)
    assert "1 post removed." in act(admin, "remove_chosen", written)
    assert [row.id for row in get_voting_service().listings.page(Order.HOT, 1).rows] == [other.pk]
    assert "0 posts removed." in act(admin, "remove_chosen", written)
    assert "1 post restored." in act(admin, "restore_chosen", written)
    assert get_voting_service().listings.page(Order.HOT, 1).total == 2
    assert admin.get(f"/admin/forum/post/{written.pk}/delete/").status_code == 403
    assert "delete_selected" not in page(admin, "post/")


def test_an_edit_by_staff_reaches_every_list_and_moves_the_post(admin: Client, ada: User) -> None:
    written = post(ada, slugs="books")
    (maths,) = groups("maths")
    sent = {"title": "  Better   told ", "body": "*So*.", "groups": [maths.pk]}
    sent["reason"] = "Wrong group"
    response = admin.post(f"/admin/forum/post/{written.pk}/change/", sent)
    assert response.status_code == 302
    (row,) = get_voting_service().listings.page(Order.HOT, 1, group="maths").rows
    assert post_cards.unpack(row.card).title == "Better told"
    assert get_voting_service().listings.page(Order.HOT, 1, group="books").total == 0
    written.refresh_from_db()
    assert "<em>So</em>" in written.body_html


@pytest.mark.parametrize(
    "changed", [{"title": "ab"}, {"groups": []}, {"groups": ["books", "maths", "web", "art"]}]
)
def test_staff_keep_the_rules_of_the_site(
    admin: Client, ada: User, changed: dict[str, Any]
) -> None:
    written = post(ada, slugs="books")
    slugs = changed.get("groups", ["books"])
    sent = {"title": "A title", "body": "x", "groups": [group.pk for group in groups(*slugs)]}
    sent["reason"] = "Clearer"
    sent |= {name: value for name, value in changed.items() if name != "groups"}
    response = admin.post(f"/admin/forum/post/{written.pk}/change/", sent)
    assert response.status_code == 200
    assert 'class="errorlist"' in response.content.decode()
    written.refresh_from_db()
    assert written.version == 1


def test_user_names_never_change_and_people_are_never_deleted(admin: Client, ada: User) -> None:
    html = page(admin, f"user/{ada.pk}/change/")
    assert 'name="username"' not in html
    assert "150 characters" not in html, "the site's limit replaces Django's"
    assert 'name="about"' in html
    assert admin.get(f"/admin/forum/user/{ada.pk}/delete/").status_code == 403


def test_staff_create_people_with_the_same_rules_for_names(admin: Client) -> None:
    secret = "a long enough sentence"
    sent = {"usable_password": "true", "password1": secret, "password2": secret}
    html = admin.get("/admin/forum/user/add/").content.decode()
    assert f"{usernames.SHORTEST} to {usernames.LONGEST} letters" in html
    admin.post("/admin/forum/user/add/", sent | {"username": "not a name"})
    assert not User.objects.filter(username="not a name").exists()
    admin.post("/admin/forum/user/add/", sent | {"username": "grace"})
    look_alike = admin.post("/admin/forum/user/add/", sent | {"username": "gr-ace"})
    assert "looks like the name of somebody else" in look_alike.content.decode()
    official = admin.post("/admin/forum/user/add/", sent | {"username": "adm1n"})
    assert "That user name is reserved" in official.content.decode()
    assert User.objects.get(username="grace").counts_at_once, "votes of known people never wait"


def test_account_with_an_official_name_can_be_edited(admin: Client) -> None:
    support = person("support")
    form = {"email": "", "about": "Ask here.", "is_active": "on", "initial-about": ""}
    assert admin.post(f"/admin/forum/user/{support.pk}/change/", form).status_code == 302
    support.refresh_from_db()
    assert (support.username, support.about) == ("support", "Ask here.")


@pytest.mark.parametrize(
    ("language", "message"), [("en", "2 to 30 letters"), ("zh-hans", "2 到 30 个")]
)
def test_length_of_names_is_explained_in_the_staff_members_language(
    admin: Client, language: str, message: str
) -> None:
    form = admin.get("/admin/forum/user/add/", headers={"Accept-Language": language})
    assert message in form.content.decode()


def test_a_group_stays_while_posts_are_in_it(admin: Client, ada: User) -> None:
    post(ada, slugs="books")
    books, empty = Group.objects.get(slug="books"), groups("empty")[0]
    assert admin.get(f"/admin/forum/group/{books.pk}/delete/").status_code == 403
    assert admin.get(f"/admin/forum/group/{empty.pk}/delete/").status_code == 200


@pytest.mark.parametrize("mark", ["follow", "hide"])
def test_follows_and_hides_of_a_deleted_group_do_not_return_with_its_name(
    admin: Client, ada: User, mark: str
) -> None:
    (lonely,) = groups("lonely")
    reader(ada).post(f"/g/lonely/{mark}", {"on": "1"})
    deleted = admin.post(f"/admin/forum/group/{lonely.pk}/delete/", {"post": "yes"})
    assert deleted.status_code == 302
    assert not Group.objects.exists()
    groups("lonely")
    run_worker()
    chosen = get_voting_service().follows.chosen_groups(ada.pk)
    assert chosen.followed | chosen.hidden == set()
    assert get_voting_service().follows.counts(ada.pk).groups == 0


@pytest.mark.parametrize("name", ["archivedvote", "ledgerentry"])
def test_votes_and_logs_are_read_only(admin: Client, name: str) -> None:
    assert admin.get(f"/admin/forum/{name}/add/").status_code == 403


def test_admin_refuses_others(bob: User) -> None:
    assert reader(bob).get("/admin/", follow=True).status_code == 403
    response = reader().get("/admin/", follow=True)
    assert response.redirect_chain[-1][0] == "/accounts/login/?next=%2Fadmin%2F"


def test_in_production_staff_need_two_factors(admin: Client, settings: Any) -> None:
    settings.PRODUCTION = True
    response = admin.get("/admin/", follow=True)
    assert "/accounts/2fa/" in [step[0] for step in response.redirect_chain]
    assert admin.get("/admin/forum/post/").status_code == 302
