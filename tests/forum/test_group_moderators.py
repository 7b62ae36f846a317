"""Moderators of a group are appointed, publicly listed and removed. Auditors only read."""

from itertools import permutations
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission

from forum.errors import AlreadyDecided, Forbidden
from forum.identity.roles import powers_of
from forum.models import Group, GroupModerator, InboxItem, ModAction, User
from forum.moderation.actions import appointments, removals, sanctions, undo
from tests.forum.factories import groups, person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/g/books/moderators"
Kind = ModAction.Kind


def add(user: User | None, name: str) -> Any:
    return reader(user).post(PAGE, {"name": name})


def remove(user: User | None, name: str, reason: str = "inactive") -> Any:
    return reader(user).post(f"{PAGE}/{name}/remove", {"reason": reason})


def test_admin_appoints_a_person_who_can_moderate_at_once(
    ada: User, bob: User, books: Group, root: User
) -> None:
    window = reader(bob)
    assert window.get("/moderation").status_code == 403
    assert add(root, "bob").status_code == 303
    assert window.get("/moderation").status_code == 200
    removals.remove(post(ada), by=bob, reason="spam")
    assert InboxItem.objects.filter(user=bob, conversation__group=books).exists()
    action = ModAction.objects.get(kind=Kind.APPOINT)
    assert (action.person, action.group, action.by) == (bob, books, root)


def test_everybody_sees_the_list_and_the_names_on_the_page_of_the_group(
    root: User, bob: User, books: Group
) -> None:
    assert "Only the moderators of the site" in reader().get(PAGE).content.decode()
    add(root, "bob")
    for path in (PAGE, "/g/books/"):
        assert 'href="/u/bob/"' in reader().get(path).content.decode()
    for user in (None, bob):
        assert "Make moderator" not in reader(user).get(PAGE).content.decode()
    assert f'href="{PAGE}"' in reader().get("/g/books/").content.decode()


def test_removed_moderator_can_do_nothing_more_and_reads_why(
    ada: User, gus: User, books: Group, root: User
) -> None:
    window = reader(gus)
    assert window.get("/moderation").status_code == 200
    assert remove(root, "gus", "").status_code == 422, "a reason is needed"
    assert remove(root, "gus").status_code == 303
    assert window.get("/moderation").status_code == 403
    with pytest.raises(Forbidden):
        removals.remove(post(ada), by=gus, reason="spam")
    assert InboxItem.objects.filter(user=gus, conversation__group=books).exists()
    assert "/u/gus/" not in reader().get("/g/books/").content.decode()


def test_moderator_resigns_without_a_reason(gus: User, books: Group) -> None:
    assert reader(gus).get(f"{PAGE}/gus/remove").status_code == 200
    assert remove(gus, "gus", "").status_code == 303
    assert not books.moderators.exists()


def test_moderators_choose_others_only_if_admins_let_them(
    gus: User, bob: User, books: Group, root: User
) -> None:
    assert add(gus, "bob").status_code == 403
    assert reader(gus).post(f"{PAGE}/setting", {"on": "1"}).status_code == 403
    assert reader(root).post(f"{PAGE}/setting", {"on": "1"}).status_code == 303
    assert (
        LogEntry.objects.get().get_change_message()
        == "The group's moderators can choose other moderators."
    )
    assert add(gus, "bob").status_code == 303
    assert remove(gus, "bob").status_code == 303
    reader(root).post(f"{PAGE}/setting", {"on": "0"})
    assert add(gus, "bob").status_code == 403


@pytest.mark.parametrize("role", ["site moderator", "other group", "auditor", "stranger"])
def test_others_choose_nobody(role: str, gus: User, bob: User, books: Group) -> None:
    user = person("cleo", is_staff=role == "site moderator", is_auditor=role == "auditor")
    if role == "other group":
        books.moderators.update(group=groups("maths")[0])
        user = gus
    Group.objects.update(moderators_appoint=True)
    GroupModerator.objects.get_or_create(group=books, user=person("dora"))
    assert add(user, "bob").status_code == 403
    assert remove(user, "dora").status_code == 403
    assert add(None, "bob")["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nobody", "Nobody has this user name."),
        ("gus", "gus already moderates this group."),
        ("eve", "eve can&#x27;t write in this group"),
        ("closed", "closed can&#x27;t write in this group"),
    ],
)
def test_these_people_cannot_be_appointed(
    name: str, sentence: str, gus: User, books: Group, root: User
) -> None:
    person("closed", is_active=False)
    sanctions.ban(person("eve"), group=books, by=root, reason="spam", until=None)
    refused = add(root, name)
    assert refused.status_code == 422
    assert sentence in refused.content.decode()
    assert books.moderators.count() == 1


def test_undo_makes_everything_as_before(gus: User, bob: User, books: Group, root: User) -> None:
    since = books.moderators.get().created_at
    removal = appointments.discharge(books, gus, by=root, reason="inactive")
    undo.undo(removal, by=root)
    again = books.moderators.get()
    assert (again.user, again.created_at) == (gus, since)
    appointment = appointments.appoint(books, bob, by=root)
    undo.undo(appointment, by=root)
    assert not powers_of(bob).moderates
    with pytest.raises(AlreadyDecided):
        undo.undo(appointment, by=root)


@pytest.mark.parametrize("was_moderator", [True, False])
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_choices_can_be_undone_in_any_order(
    order: tuple[int, ...], was_moderator: bool, gus: User, bob: User, books: Group, root: User
) -> None:
    person = gus if was_moderator else bob
    before = list(books.moderators.order_by("pk").values())
    steps = [appointments.appoint, appointments.discharge, appointments.appoint]
    if was_moderator:
        steps = [appointments.discharge, appointments.appoint, appointments.discharge]
    actions = [step(books, person, by=root) for step in steps]
    for number in order:
        undo.undo(actions[number], by=root)
    assert list(books.moderators.order_by("pk").values()) == before


def test_moderators_who_may_not_choose_do_not_undo_the_choice(
    gus: User, bob: User, books: Group, root: User
) -> None:
    appointment = appointments.appoint(books, bob, by=root)
    for user in (gus, person("stella", is_staff=True)):
        with pytest.raises(Forbidden):
            undo.undo(appointment, by=user)


def test_appointed_moderators_do_not_dismiss_the_one_who_appointed_them(
    gus: User, bob: User, ada: User, books: Group, root: User
) -> None:
    Group.objects.update(moderators_appoint=True)
    books.refresh_from_db()
    first = appointments.appoint(books, person("first"), by=root)
    assert first.person
    second = appointments.appoint(books, bob, by=first.person)
    appointments.appoint(books, ada, by=bob)
    for user, above in ((bob, ["first"]), (ada, ["bob", "first"])):
        html = reader(user).get(PAGE).content.decode()
        assert f"{PAGE}/gus/remove" in html, "others can be dismissed"
        for name in above:
            assert f"{PAGE}/{name}/remove" not in html
            refused = remove(user, name)
            assert refused.status_code == 403
            assert f"You are a moderator because of {name}." in refused.content.decode()
    for action, user in ((first, bob), (first, ada), (second, ada)):
        with pytest.raises(Forbidden):
            undo.undo(action, by=user)
    assert remove(first.person, "bob").status_code == 303
    assert remove(ada, "gus").status_code == 303
    assert remove(root, "first").status_code == 303


def test_former_name_of_a_group_leads_to_its_moderators(books: Group) -> None:
    books.aliases.create(slug="novels")
    assert reader().get("/g/novels/moderators")["Location"] == PAGE
    assert reader().get("/g/nothing/moderators").status_code == 404


def test_moderator_without_second_factor_reads_where_to_set_it_up(
    gus: User, books: Group, settings: Any
) -> None:
    settings.PRODUCTION = True
    window = reader(gus)
    assert 'href="/accounts/2fa/"' in window.get(PAGE).content.decode()
    refused = window.get("/moderation")
    assert refused.status_code == 403
    assert 'href="/accounts/2fa/"' in refused.content.decode()
    TOTP.activate(gus, generate_totp_secret())
    assert window.get("/moderation").status_code == 200
    assert "needs two-factor" not in window.get(PAGE).content.decode()


def test_only_admins_make_auditors_who_read_the_queue(ada: User, root: User) -> None:
    page, window = f"/admin/forum/user/{ada.pk}/change/", reader(ada)
    stella = person("stella", is_staff=True)
    stella.user_permissions.add(Permission.objects.get(codename="change_user"))
    sent = {"is_active": "on", "is_auditor": "on"}
    reader(stella).post(page, sent)
    assert window.get("/moderation").status_code == 403
    assert reader(root).post(page, sent).status_code == 302
    assert window.get("/moderation").status_code == 200
    assert not powers_of(User.objects.get(pk=ada.pk)).moderates


def test_setting_of_a_group_is_for_admins_in_the_admin(books: Group, root: User) -> None:
    page = f"/admin/forum/group/{books.pk}/change/"
    fields = {"slug": "books", "title": "Books", "description": "", "moderators_appoint": "on"}
    assert reader(root).post(page, fields).status_code == 302
    books.refresh_from_db()
    assert books.moderators_appoint
