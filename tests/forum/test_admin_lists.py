"""In the admin, staff list comments, votes, and people with two-factor authentication."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from forum.models import ArchivedVote, Comment, LedgerEntry, ModAction, Post, SecurityEvent, User
from tests.forum import comments
from tests.forum.comments import add_comment
from tests.forum.factories import post, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html
from tests.forum.past_posts import archive_all
from tests.forum.round_trips import counted_round_trips
from voting.types import Vote

pytestmark = pytest.mark.django_db(transaction=True)

VOTES = ["archivedvote", "ledgerentry"]
SURE = {"sure": 1, "reason": "Unkind"}


def page(admin: Client, path: str) -> str:
    return get_html(f"/admin/{path}", admin)


def act(admin: Client, path: str, name: str, chosen: Sequence[object], **more: object) -> Any:
    sent = {"action": name, "_selected_action": chosen} | more
    return admin.post(f"/admin/{path}", sent, follow=True)


def column(html: str, name: str) -> list[str]:
    """Return the texts in one column of an admin list."""
    cells = re.findall(rf'<t[dh] class="field-{name}[^"]*">(.*?)</t[dh]>', html)
    return [re.sub("<[^>]*>", "", cell) for cell in cells]


def test_list_of_comments_shows_author_post_and_state(
    admin: Client, bob: User, knots: Post
) -> None:
    rude = add_comment(bob, knots, "Rude words.")
    kind = add_comment(knots.author, knots, "Kind words.")
    reader(bob).post(f"{rude.get_absolute_url()}/delete")
    html = page(admin, "forum/comment/")
    assert column(html, "beginning") == [kind.body, rude.body]
    assert "column-written sorted descending" in html, "newest first"
    assert column(html, "writer") == ["ada", "bob"]
    assert column(html, "on") == ["Knots", "Knots"]
    assert column(html, "points") == ["1", "1"]
    on_site = re.findall(r'<td class="field-is_on_site"><img [^>]*alt="(\w+)"', html)
    assert on_site == ["True", "False"]
    assert "sortable column-is_on_site" in html
    for query, found in (("deleted=yes", rude), ("deleted=no", kind), ("q=bob", rude)):
        assert column(page(admin, f"forum/comment/?{query}"), "beginning") == [found.body]
    assert len(column(page(admin, "forum/comment/?q=Knots"), "beginning")) == 2


def test_comments_are_removed_in_the_admin_but_never_erased(
    admin: Client, bob: User, knots: Post
) -> None:
    rude, ruder, kind = (
        add_comment(bob, knots, f"{word} words.") for word in ("Rude", "Ruder", "Kind")
    )
    chosen = [rude.pk, ruder.pk]
    response = act(admin, "forum/comment/", "remove_chosen", chosen, **SURE)
    assert "2 comments removed." in response.content.decode()
    html = comments.page(knots)
    assert comments.comment_ids(html) == [rude.pk, ruder.pk, kind.pk]
    assert html.count("Removed by moderators: Unkind") == 2
    assert rude.body not in html
    assert "1 comment" in comments.page(knots)
    newest = reader().get(f"/p/{knots.pk}/comments").content.decode()
    assert kind.body in newest
    assert rude.body not in newest
    again = act(admin, "forum/comment/", "remove_chosen", chosen)
    assert "0 comments removed." in again.content.decode()
    assert Comment.objects.count() == 3
    assert "delete_selected" not in page(admin, "forum/comment/")
    for path in ("add/", f"{kind.pk}/delete/"):
        assert admin.get(f"/admin/forum/comment/{path}").status_code == 403


def test_staff_are_asked_before_comments_are_removed(admin: Client, bob: User, knots: Post) -> None:
    rude = add_comment(bob, knots, "Rude words.")
    add_comment(bob, knots, "Ruder words.")
    html = act(admin, "forum/comment/", "remove_chosen", [rude.pk]).content.decode()
    assert "Rude words." in html
    assert "Ruder words." not in html
    assert "You can restore the comments later." in html
    assert not Comment.objects.deleted().exists(), "nothing is removed yet"
    names = ("action", "_selected_action", "select_across")
    sent = dict(re.findall(rf'name="({"|".join(names)})" value="([^"]*)"', html))
    admin.post("/admin/forum/comment/", sent | SURE)
    assert [one.pk for one in Comment.objects.deleted()] == [rude.pk]


def test_all_comments_of_a_search_are_removed_after_confirmation(
    admin: Client, bob: User, knots: Post
) -> None:
    rude, kind = add_comment(bob, knots, "Rude words."), add_comment(bob, knots, "Kind words.")
    where = f"forum/comment/?q={rude.body.split()[0]}"
    for more in ({}, SURE):
        act(admin, where, "remove_chosen", [rude.pk], select_across=1, **more)
    assert [one.pk for one in Comment.objects.visible()] == [kind.pk]


def test_comments_removed_while_redis_is_down_are_gone_afterwards(
    admin: Client, bob: User, knots: Post, settings: Any
) -> None:
    rude = add_comment(bob, knots, "Rude words.")
    with redis_down(settings):
        act(admin, "forum/comment/", "remove_chosen", [rude.pk], **SURE)
    rude.refresh_from_db()
    assert rude.deleted_at
    assert "Rude words." not in comments.page(knots)


def test_staff_can_read_but_not_edit_a_comment_in_the_admin(
    admin: Client, bob: User, knots: Post
) -> None:
    comment = add_comment(bob, knots, "Words of mine.")
    where = f"/admin/forum/comment/{comment.pk}/change/"
    html = admin.get(where).content.decode()
    assert "Words of mine." in html
    assert 'name="_save"' not in html
    assert admin.post(where, {"body": "Words of staff."}).status_code == 403
    comment.refresh_from_db()
    assert comment.body == "Words of mine."


def test_list_of_comments_costs_the_same_for_any_number(
    admin: Client, bob: User, knots: Post, settings: Any
) -> None:
    costs = []
    with counted_round_trips(settings) as (to_voting, _to_cache):
        for more in (1, 20):
            for number in range(more):
                add_comment(bob, post(knots.author, f"Post {more} {number}"), f"Remark {number}.")
            page(admin, "forum/comment/")
            with CaptureQueriesContext(connection) as queries, to_voting.counting():
                page(admin, "forum/comment/")
            costs.append((len(queries), to_voting.round_trips))
    assert costs[0] == costs[1]
    assert costs[0][1] == 0


def test_actions_on_posts_are_in_the_moderation_log(admin: Client, root: User, knots: Post) -> None:
    act(admin, "forum/post/", "remove_chosen", [knots.pk], **SURE)
    (action,) = ModAction.objects.all()
    assert (action.kind, action.post, action.by) == (ModAction.Kind.REMOVE, knots, root)
    assert (action.reason, action.undone_by) == ("Unkind", None)
    act(admin, "forum/post/", "restore_chosen", [knots.pk])
    action.refresh_from_db()
    assert action.undone_by == root


def test_post_that_its_author_deleted_is_restored_and_logged(admin: Client, knots: Post) -> None:
    reader(knots.author).post(f"/p/{knots.pk}/delete")
    act(admin, "forum/post/", "restore_chosen", [knots.pk])
    assert Post.objects.visible().contains(knots)
    assert ModAction.objects.get().kind == ModAction.Kind.RESTORE


def test_message_to_a_person_is_in_their_history_without_its_text(admin: Client, bob: User) -> None:
    sent = {"action": "send_message", "_selected_action": bob.pk, "text": "Be kind."}
    admin.post("/admin/forum/user/", sent)
    html = page(admin, f"forum/user/{bob.pk}/history/")
    assert "Sent a message." in html
    assert "Be kind." not in html


def test_two_factor_secrets_are_never_shown_changed_or_searched(admin: Client, ada: User) -> None:
    secret = generate_totp_secret()
    kept = TOTP.activate(ada, secret).instance
    where = f"mfa/authenticator/{kept.pk}/change/"
    assert "ada" in page(admin, "mfa/authenticator/")
    for path in ("mfa/authenticator/", where):
        assert secret not in page(admin, path)
        assert 'name="data"' not in page(admin, path)
    assert admin.post(f"/admin/{where}", {"data": "{}"}).status_code == 403
    assert admin.get("/admin/mfa/authenticator/add/").status_code == 403
    guess = f"/admin/mfa/authenticator/?data__secret__startswith={secret[0]}"
    assert admin.get(guess).status_code == 400


def test_two_factor_pages_of_the_admin_are_all_in_chinese(admin: Client, ada: User) -> None:
    TOTP.activate(ada, generate_totp_secret())
    chinese = admin.get("/admin/mfa/authenticator/", headers={"Accept-Language": "zh-CN"})
    heads = re.findall(r'<div class="text">(.*?)</div>', chinese.content.decode(), re.DOTALL)
    assert [re.sub(r"<[^>]+>", "", head).strip() for head in heads if "checkbox" not in head] == [
        "用户",
        "类型",
        "创建时间",
        "上次使用",
    ]


@pytest.mark.parametrize("one_by_one", [False, True])
def test_staff_turn_off_two_factor_authentication_for_a_person(
    admin: Client, ada: User, bob: User, one_by_one: bool
) -> None:
    lost = TOTP.activate(ada, generate_totp_secret()).instance
    for user in (ada, bob):
        RecoveryCodes.activate(user)
    TOTP.activate(bob, generate_totp_secret())
    if one_by_one:
        admin.post(f"/admin/mfa/authenticator/{lost.pk}/delete/", {"post": "yes"})
    else:
        sent = {"action": "delete_selected", "_selected_action": lost.pk, "post": "yes"}
        admin.post("/admin/mfa/authenticator/", sent)
    assert not Authenticator.objects.filter(user=ada).exists(), "codes alone would lock her out"
    assert Authenticator.objects.filter(user=bob).count() == 2
    assert "Removed second factors." in page(admin, f"forum/user/{ada.pk}/history/")


@pytest.mark.parametrize("name", VOTES)
def test_votes_are_shown_with_names_and_links(
    admin: Client, ada: User, bob: User, knots: Post, name: str
) -> None:
    comment = add_comment(ada, knots, "So it is.")
    archive_all()
    ArchivedVote.objects.all().delete()
    LedgerEntry.objects.all().delete()
    comments.vote(bob, comment, Vote.DOWN)
    archive_all()
    html = page(admin, f"forum/{name}/")
    (vote,) = (ArchivedVote if name == "archivedvote" else LedgerEntry).objects.all()
    shown = [column(html, of) for of in ("post", "comment", "person", "direction")]
    assert shown == [["Knots"], ["So it is."], ["bob"], ["down"]]
    for model, thing in (("post", knots), ("comment", comment), ("user", bob)):
        assert f'href="/admin/forum/{model}/{thing.pk}/change/"' in html
    alone = page(admin, f"forum/{name}/{vote.pk}/change/")
    assert f"Vote by person {bob.pk} on comment {comment.pk} of post {knots.pk}" in alone
    assert f"/admin/forum/user/{bob.pk}/change/" in alone
    assert "object (" not in html + alone


@pytest.mark.parametrize("name", VOTES)
def test_votes_are_found_by_voter_and_by_direction(
    admin: Client, ada: User, bob: User, knots: Post, name: str
) -> None:
    comment = add_comment(ada, knots)
    comments.vote(bob, comment, Vote.DOWN)
    archive_all()
    for query, people in (("q=Bob", ["bob"]), ("q=bo", []), ("vote=-1", ["bob"])):
        assert column(page(admin, f"forum/{name}/?{query}"), "person") == people
    assert "ada" in column(page(admin, f"forum/{name}/?q={knots.pk}"), "person")
    assert "bob" not in column(page(admin, f"forum/{name}/?vote=1"), "person")


@pytest.mark.parametrize("name", VOTES)
def test_only_admins_see_who_voted_even_if_staff_get_the_permission(
    stella: User, knots: Post, name: str
) -> None:
    stella.user_permissions.add(Permission.objects.get(codename=f"view_{name}"))
    archive_all()
    window = reader(stella)
    vote = (ArchivedVote if name == "archivedvote" else LedgerEntry).objects.first()
    assert vote, f"the author's vote on {knots}"
    assert window.get(f"/admin/forum/{name}/").status_code == 403
    assert window.get(f"/admin/forum/{name}/{vote.pk}/change/").status_code == 403
    assert f"/admin/forum/{name}/" not in page(window, "")
    assert not SecurityEvent.objects.filter(kind=SecurityEvent.Kind.VOTES_SEEN).exists()


@pytest.mark.usefixtures("knots")
@pytest.mark.parametrize("name", VOTES)
def test_each_look_at_who_voted_is_in_the_security_log(
    admin: Client, root: User, name: str
) -> None:
    archive_all()
    page(admin, f"forum/{name}/?q=ada")
    vote = (ArchivedVote if name == "archivedvote" else LedgerEntry).objects.get()
    page(admin, f"forum/{name}/{vote.pk}/change/")
    looks = SecurityEvent.objects.filter(kind=SecurityEvent.Kind.VOTES_SEEN).order_by("pk")
    assert [(one.by, one.person, one.details["address"]) for one in looks] == [
        (root, None, f"/admin/forum/{name}/?q=ada"),
        (root, None, f"/admin/forum/{name}/{vote.pk}/change/"),
    ]
    assert all(one.network for one in looks)
    log = page(admin, "forum/securityevent/")
    assert log.count("An admin looked at who voted") >= 2


@pytest.mark.parametrize("name", VOTES)
def test_vote_on_something_deleted_still_shows_ids(admin: Client, name: str, knots: Post) -> None:
    fields = {"post_id": 990, "comment_id": 991, "user_id": 992, "vote": 0, "at": knots.created_at}
    ArchivedVote.objects.create(**fields)
    LedgerEntry.objects.create(**fields, generation="g", shard=1, entry="1-1")
    html = page(admin, f"forum/{name}/?q=992")
    shown = [column(html, of) for of in ("post", "comment", "person", "direction")]
    assert shown == [["#990"], ["#991"], ["#992"], ["none"]]


@pytest.mark.parametrize("name", VOTES)
def test_list_of_votes_takes_the_same_queries_for_any_number(
    admin: Client, ada: User, bob: User, knots: Post, name: str
) -> None:
    costs = []
    for more in (1, 15):
        for number in range(more):
            comments.vote(bob, add_comment(ada, post(ada, f"Post {more} {number}")), Vote.UP)
        archive_all()
        page(admin, f"forum/{name}/")
        with CaptureQueriesContext(connection) as queries:
            page(admin, f"forum/{name}/")
        costs.append(len(queries))
    assert costs[0] == costs[1]
