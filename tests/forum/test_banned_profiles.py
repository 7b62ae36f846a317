"""Bios of banned people can be removed, and their profiles say that they are banned."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from forum.errors import Invalid
from forum.models import Group, ModAction, User
from forum.moderation.actions import sanctions, undo
from tests.forum.factories import post, reader
from tests.forum.pages import get_html
from tests.forum.worker_runs import run_worker

pytestmark = pytest.mark.django_db(transaction=True)

BIO = "Buy pills at example.org"
PERMANENT = {"permanent": "on", "reason": "Spam"}
Kind = ModAction.Kind


@pytest.fixture
def spammer(bob: User) -> User:
    bob.about = BIO
    bob.save()
    post(bob, "Pills")
    return bob


def about(spammer: User) -> str:
    return User.objects.get(pk=spammer.pk).about


def send(by: User, page: str, **form: Any) -> Any:
    return reader(by).post(f"/moderation/people/bob/{page}", form)


def test_permanent_ban_removes_the_bio_and_undoing_brings_it_back(
    stella: User, spammer: User
) -> None:
    assert "Also remove the bio" in get_html("/moderation/people/bob/ban", reader(stella))
    assert send(stella, "ban", **PERMANENT, blanks_bio="on").status_code == 303
    assert about(spammer) == ""
    action = ModAction.objects.get()
    log = get_html(action.get_absolute_url())
    assert "The bio was removed, too." in log
    assert BIO not in log
    undo.undo(action, by=stella)
    assert about(spammer) == BIO


def test_bio_that_was_written_meanwhile_stays(stella: User, spammer: User) -> None:
    ban = sanctions.ban(spammer, None, by=stella, reason="Spam", until=None, blanks_bio=True)
    User.objects.filter(pk=spammer.pk).update(about="I am sorry.")
    undo.undo(ban, by=stella)
    assert about(spammer) == "I am sorry."


def test_other_bans_leave_the_bio(stella: User, gus: User, books: Group, spammer: User) -> None:
    for form in ({**PERMANENT, "place": "books"}, {"days": "3", "reason": "Spam"}):
        refused = send(stella, "ban", **form, blanks_bio="on")
        assert refused.status_code == 422
        assert "Only a permanent ban from the whole site" in refused.content.decode()
    until = timezone.now() + timedelta(days=1)
    for group, end in ((books, None), (None, until)):
        with pytest.raises(Invalid):
            sanctions.ban(spammer, group, by=stella, reason="Spam", until=end, blanks_bio=True)
    assert "Also remove the bio" not in get_html("/moderation/people/bob/ban", reader(gus))
    send(gus, "ban", **PERMANENT, place="books", blanks_bio="on")
    send(stella, "ban", **PERMANENT)
    assert about(spammer) == BIO


def test_removing_everything_removes_the_bio_and_undoing_brings_it_back(
    stella: User, spammer: User
) -> None:
    form = {"since": "2020-01-01T00:00", "reason": "Spam", "blanks_bio": "on"}
    preview = send(stella, "remove-everything", **form).content.decode()
    assert "The bio is removed, too." in preview
    assert 'name="blanks_bio" value="on"' in preview
    assert about(spammer) == BIO
    send(stella, "remove-everything", **form, sure="1")
    assert about(spammer) == ""
    action = ModAction.objects.get(kind=Kind.REMOVE_ALL)
    run_worker()
    undo.undo(action, by=stella)
    assert about(spammer) == BIO


def test_removing_everything_in_a_group_leaves_the_bio(
    stella: User, gus: User, spammer: User
) -> None:
    form = {"since": "2020-01-01T00:00", "reason": "Spam", "place": "books", "blanks_bio": "on"}
    assert send(stella, "remove-everything", **form).status_code == 422
    where = "/moderation/people/bob/remove-everything"
    assert "Also remove the bio" not in get_html(where, reader(gus))
    send(gus, "remove-everything", **form, sure="1")
    assert ModAction.objects.get().kind == Kind.REMOVE_ALL
    assert about(spammer) == BIO


def test_only_admins_remove_bios_of_people_with_a_role(
    stella: User, root: User, spammer: User
) -> None:
    User.objects.filter(pk=spammer.pk).update(is_auditor=True)
    for page, form in (
        ("ban", PERMANENT),
        ("remove-everything", {"since": "2020-01-01T00:00", "reason": "Spam", "sure": "1"}),
    ):
        refused = send(stella, page, **form, blanks_bio="on")
        assert refused.status_code == 403
        assert "Only admins can change the account" in refused.content.decode()
    assert about(spammer) == BIO
    assert not ModAction.objects.exists()
    send(root, "ban", **PERMANENT, blanks_bio="on")
    assert about(spammer) == ""


def test_staff_remove_bios_in_the_admin(stella: User, spammer: User) -> None:
    stella.user_permissions.add(*Permission.objects.filter(codename__endswith="_user"))
    window = reader(stella)
    form = {"_selected_action": [spammer.pk], "reason": "Spam", "blanks_bio": "on"}
    window.post("/admin/forum/user/", {**form, "action": "ban_chosen", "days": "7"})
    assert about(spammer) == BIO, "only with a permanent ban"
    window.post("/admin/forum/user/", {**form, "action": "ban_chosen", "permanent": "on"})
    assert about(spammer) == ""
    User.objects.filter(pk=spammer.pk).update(about=BIO)
    chosen = {"action": "remove_everything_of_chosen", "days": "7"}
    window.post("/admin/forum/user/", form | chosen)
    assert about(spammer) == ""


def test_profile_of_a_banned_person_says_so_to_members_with_the_log_entry(
    ada: User, stella: User, books: Group, spammer: User
) -> None:
    sanctions.ban(spammer, books, by=stella, reason="Spam", until=None)
    assert "Banned from" not in get_html("/u/bob/", reader(ada)), "a group is not the site"
    ban = sanctions.ban(spammer, None, by=stella, reason="Spam", until=None)
    for path in ("/u/bob/", "/u/bob/comments"):
        html = get_html(path, reader(ada))
        assert "permanently." in html
        assert f'href="{ban.get_absolute_url()}"' in html
        assert "Banned from" not in get_html(path, reader())
    until = timezone.now() + timedelta(days=1)
    sanctions.ban(spammer, None, by=stella, reason="Spam", until=until)
    assert "Banned from" in get_html("/u/bob/", reader(ada))
    sanctions.unban(spammer, None, by=stella)
    assert "Banned from" not in get_html("/u/bob/", reader(ada))
