"""Staff moderate other people's posts and comments on the site's pages. Logs list their actions."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.test import Client

from forum.models import Comment, ModAction, Post, User
from tests.forum.comments import comment_html, page
from tests.forum.factories import person, reader
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)


def remove(window: Client, text: Post | Comment, reason: str = "Unkind") -> Any:
    """Send the form with which moderators remove a post or comment."""
    path = text.get_absolute_url() if isinstance(text, Comment) else f"/p/{text.pk}"
    return window.post(f"{path}/moderate", {"action": "remove", "reason": reason}, follow=True)


def removals() -> list[tuple[str, Post | None, Comment | None, str]]:
    """Return all removals in the moderation log, newest first."""
    found = ModAction.objects.filter(kind=ModAction.Kind.REMOVE).order_by("-pk")
    return [(str(one.by), one.post, one.comment, one.reason) for one in found]


def test_staff_remove_another_persons_comment_from_the_thread(
    stella: User, knots: Post, rude: Comment
) -> None:
    window, where = reader(stella), f"{rude.get_absolute_url()}/moderate"
    for html in (page(knots, window=window), page(rude, window=window)):
        assert f'href="{where}"' in comment_html(html, rude)
        for action in ("edit", "delete"):
            assert f"{rude.get_absolute_url()}/{action}" not in html
    html = get_html(where, window)
    assert "Record of bob" in html
    assert "Rude words." in html
    assert "Done: removed." in remove(window, rude).content.decode()
    assert "Rude words." not in page(knots)


def test_staff_can_not_edit_another_persons_comment(stella: User, rude: Comment) -> None:
    response = reader(stella).post(f"{rude.get_absolute_url()}/edit", {"body": "Kind words."})
    assert response.status_code == 403
    rude.refresh_from_db()
    assert rude.body == "Rude words."


@pytest.mark.parametrize("name", ["carol", "stella"])
def test_anybody_else_who_deletes_a_comment_reads_who_can(rude: Comment, name: str) -> None:
    user = person(name, is_staff=name == "stella")
    response = reader(user).post(f"{rude.get_absolute_url()}/delete")
    assert response.status_code == 403
    assert "Only the author can edit or delete this comment." in response.content.decode()


def test_in_production_staff_moderate_only_with_two_factors(
    stella: User, knots: Post, rude: Comment, settings: Any
) -> None:
    settings.PRODUCTION = True
    window, where = reader(stella), f"{rude.get_absolute_url()}/moderate"
    assert window.get(where).status_code == 403
    assert where not in page(knots, window=window)
    assert f"/p/{knots.pk}/edit" not in page(knots, window=window)
    TOTP.activate(stella, generate_totp_secret())
    assert window.get(where).status_code == 200
    assert where in page(knots, window=window)
    assert f"/p/{knots.pk}/edit" in page(knots, window=window)


def test_staff_see_edit_moderate_and_admin_links_on_others_posts(
    root: User, bob: User, knots: Post
) -> None:
    theirs, others = page(knots, window=reader(root)), page(knots, window=reader(bob))
    admin = f"/admin/forum/post/{knots.pk}/change/"
    for address in (f"/p/{knots.pk}/edit", f"/p/{knots.pk}/moderate", admin):
        assert f'href="{address}"' in theirs
        assert f'href="{address}"' not in others
    assert f"/p/{knots.pk}/delete" not in theirs, "only authors delete"
    assert reader(root).get(admin).status_code == 200
    assert f'href="{admin}"' not in page(knots, window=reader(knots.author))


def test_admin_link_is_for_staff_who_may_see_posts_there(knots: Post) -> None:
    sam, admin = person("sam", is_staff=True), f"/admin/forum/post/{knots.pk}/change/"
    assert admin not in page(knots, window=reader(sam))
    assert f"/p/{knots.pk}/edit" in page(knots, window=reader(sam))
    sam.user_permissions.add(Permission.objects.get(codename="view_post"))
    assert admin in page(knots, window=reader(sam))


def test_edit_page_calls_a_post_yours_only_if_it_is(ada: User, stella: User, knots: Post) -> None:
    own, others = "Edit your post", "Edit a post"
    for user, says, says_not in ((ada, own, others), (stella, others, own)):
        html = get_html(f"/p/{knots.pk}/edit", reader(user))
        assert says in html
        assert says_not not in html
        assert (f"/p/{knots.pk}/delete" in html) == (user == ada)


def test_removals_by_staff_are_in_the_moderation_log(
    stella: User, knots: Post, rude: Comment
) -> None:
    window = reader(stella)
    remove(window, rude, "Unkind")
    remove(window, knots, "Spam")
    assert removals() == [("stella", knots, None, "Spam"), ("stella", knots, rude, "Unkind")]
    assert not LogEntry.objects.exists(), "the staff log is about configuration"


def test_deletions_by_authors_are_in_no_log(
    ada: User, bob: User, knots: Post, rude: Comment
) -> None:
    reader(bob).post(f"{rude.get_absolute_url()}/delete")
    reader(ada).post(f"/p/{knots.pk}/delete")
    knots.refresh_from_db()
    rude.refresh_from_db()
    assert knots.deleted_at
    assert rude.deleted_at
    assert not LogEntry.objects.exists()
    assert not ModAction.objects.exists()


def test_removing_a_comment_twice_is_logged_once(stella: User, rude: Comment) -> None:
    window = reader(stella)
    assert remove(window, rude).status_code == 200
    refused = remove(window, rude)
    assert refused.status_code == 422
    assert "Removed by" in refused.content.decode()
    assert len(removals()) == 1


@pytest.fixture
def milan() -> Client:
    """The browser of Milan, who may change people in the admin but isn't a superuser."""
    moderator = person("milan", is_staff=True)
    moderator.user_permissions.add(Permission.objects.get(codename="change_user"))
    return reader(moderator)


def changed(window: Client, whom: User, **more: str) -> User:
    """Change a person with the admin's form, and return the person."""
    form = {"email": "", "about": whom.about, "is_active": "on", **more}
    window.post(f"/admin/forum/user/{whom.pk}/change/", form)
    return User.objects.get(pk=whom.pk)


def test_moderator_changes_people_but_gives_no_permissions(milan: Client, bob: User) -> None:
    found = changed(milan, bob, about="A troll.", is_staff="on", is_superuser="on")
    assert found.about == "A troll."
    assert not found.is_staff
    assert not found.is_superuser


def test_changes_by_the_person_survive_a_moderators_older_form(milan: Client, bob: User) -> None:
    path = f"/admin/forum/user/{bob.pk}/change/"
    page = milan.get(path).content.decode()
    names = dict.fromkeys(("about", "is_active"), "")
    shown = {f"initial-{name}": "" for name in names} | {"initial-is_active": "True"}
    assert all(f'name="{name}"' in page for name in shown)
    User.objects.filter(pk=bob.pk).update(email="new@example.org", about="New words.")
    milan.post(path, {"email": "", "about": "", **shown})
    found = User.objects.get(pk=bob.pk)
    assert (found.email, found.about, found.is_active) == ("new@example.org", "New words.", False)


def test_moderator_gives_themselves_no_permissions(milan: Client) -> None:
    assert not changed(milan, User.objects.get(username="milan"), is_superuser="on").is_superuser


def test_moderator_can_not_change_the_address_of_others(
    milan: Client, stella: User, bob: User
) -> None:
    assert changed(milan, bob, email="milan@example.org").email == ""
    assert changed(milan, stella, email="milan@example.org").email == ""


def test_moderator_turns_off_two_factor_authentication_of_members_only(
    milan: Client, stella: User, bob: User
) -> None:
    User.objects.get(username="milan").user_permissions.add(
        *Permission.objects.filter(codename__in=["view_authenticator", "delete_authenticator"])
    )
    factors = {who: TOTP.activate(who, generate_totp_secret()).instance for who in (bob, stella)}
    where = "/admin/mfa/authenticator/"
    for factor in factors.values():
        milan.post(f"{where}{factor.pk}/delete/", {"post": "yes"})
        chosen = {"action": "delete_selected", "_selected_action": factor.pk, "post": "yes"}
        milan.post(where, chosen)
    assert list(Authenticator.objects.values_list("user__username", flat=True)) == ["stella"]


def test_moderator_can_not_get_a_staff_password_by_changing_an_address(
    milan: Client, stella: User, bob: User
) -> None:
    User.objects.get(username="milan").user_permissions.add(
        *Permission.objects.filter(content_type__app_label="account")
    )
    where = "/admin/account/emailaddress/"
    for who in (bob, stella):
        address = EmailAddress.objects.create(user=who, email=f"{who}@a.example")
        milan.post(f"{where}{address.pk}/change/", {"email": "m@b.example", "user": stella.pk})
    milan.post(f"{where}add/", {"email": "me@b.example", "user": stella.pk})
    known = EmailAddress.objects.order_by("pk").values_list("user__username", "email")
    assert list(known) == [("bob", "m@b.example"), ("stella", "stella@a.example")]


def test_only_superusers_change_staff_roles(milan: Client, root: User) -> None:
    User.objects.get(username="milan").user_permissions.add(
        *Permission.objects.filter(codename__in=["add_group", "change_group", "delete_group"])
    )
    team = Group.objects.create(name="Helpers")
    every = [str(pk) for pk in Permission.objects.values_list("pk", flat=True)]
    for window, expected in ((milan, 403), (reader(root), 302)):
        form = {"name": "Helpers", "permissions": every}
        answer = window.post(f"/admin/auth/group/{team.pk}/change/", form)
        assert answer.status_code == expected
    assert team.permissions.count() == len(every)


def test_superuser_makes_others_staff(root: User, bob: User) -> None:
    assert changed(reader(root), bob, is_staff="on").is_staff
