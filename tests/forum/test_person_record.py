"""A person's moderation record: what moderators see, and which parts the person sees."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.actions import queue_items
from forum.models import Ban, Flag, GroupModerator, ModAction, ModNote, QueueItem, User
from forum.moderation.actions import removals, sanctions
from forum.web import queue_count
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)
RECORD = "/moderation/people/ada"


def html(user: User, address: str = RECORD) -> str:
    """Return the HTML of a page. Assert that the person gets status 200."""
    response = reader(user).get(address)
    assert response.status_code == 200, (address, response.status_code)
    return str(response.content.decode())


def flag(by: User, about: User) -> QueueItem:
    item = queue_items.open_item(about, QueueItem.Kind.PERSON)
    Flag.objects.create(user=by, item=item, kind=Flag.Kind.UNKIND, weight=1)
    return item


def test_record_counts_actions_and_upheld_flags(ada: User, bob: User, stella: User) -> None:
    item = flag(bob, ada)
    sanctions.warn(ada, None, by=stella, reason="Be kind.")
    removals.remove(add_comment(ada, post(bob)), by=stella, reason="Unkind")
    item.refresh_from_db()
    assert item.decided_by == stella
    page = html(stella)
    assert "(answered by moderators)</a>" in page
    assert "1 removal<" in page
    assert "1 warning<" in page
    assert "1 upheld flag against this person" in page
    assert "flags by this person: 1 upheld, 0 rejected" in html(stella, "/moderation/people/bob")


def test_moderator_warns_bans_and_ends_ban_on_the_site(ada: User, gus: User) -> None:
    window = reader(gus)
    warned = window.post(f"{RECORD}/warn", {"place": "books", "reason": "Be kind."})
    assert warned["Location"] == RECORD
    window.post(f"{RECORD}/ban", {"place": "books", "days": "3", "reason": "Still rude."})
    found = Ban.objects.get()
    assert found.until
    assert abs(found.until - timezone.now() - timedelta(days=3)) < timedelta(minutes=1)
    assert "Banned from Books until" in html(gus)
    window.post(f"{RECORD}/ban", {"place": "books", "permanent": "on", "reason": "Still rude."})
    assert Ban.objects.get(lifted_at=None).until is None
    assert window.post(f"{RECORD}/unban", {"place": "books"}).status_code == 303
    assert not Ban.objects.filter(lifted_at=None)


def test_incomplete_forms_come_back(ada: User, gus: User) -> None:
    window = reader(gus)
    for name, sent in {
        "ban": {"place": "books", "reason": "Rude"},
        "warn": {"place": "books"},
        "write": {"place": "books"},
    }.items():
        assert window.get(f"{RECORD}/{name}?group=books").status_code == 200
        assert window.post(f"{RECORD}/{name}", sent).status_code == 422
    elsewhere = {"place": "maths", "reason": "Rude", "days": "3"}
    assert window.post(f"{RECORD}/ban", elsewhere).status_code == 422
    site = {"place": "", "reason": "Rude", "days": "3"}
    assert window.post(f"{RECORD}/ban", site).status_code == 422
    assert window.post(RECORD, {"place": "books", "text": ""}).status_code == 422
    assert not ModAction.objects.exists()


def test_notes_are_read_by_moderators_of_their_place_only(
    ada: User, gus: User, stella: User
) -> None:
    reader(gus).post(RECORD, {"place": "books", "text": "Third account?"})
    reader(stella).post(RECORD, {"place": "", "text": "Wrote to us."})
    assert ModNote.objects.count() == 2
    assert "Third account?" in html(stella)
    assert "Third account?" in html(person("audrey", is_auditor=True))
    assert "Wrote to us." not in html(gus)
    other = person("other")
    GroupModerator.objects.create(group=groups("maths")[0], user=other)
    assert "Third account?" not in html(other)


def test_strangers_and_auditors_are_refused(ada: User, bob: User) -> None:
    auditor = person("audrey", is_auditor=True)
    for name in ("", "/warn", "/ban", "/write"):
        assert reader(bob).get(f"{RECORD}{name}").status_code == 403
        assert reader().get(f"{RECORD}{name}").status_code == 302
        assert reader(auditor).get(f"{RECORD}{name}").status_code == (403 if name else 200)
        assert reader(auditor).post(f"{RECORD}{name}", {"text": "Hm."}).status_code == 403
    assert reader(auditor).post(f"{RECORD}/unban").status_code == 403
    assert reader(auditor).get(f"{RECORD}/unban").status_code == 405
    assert not ModNote.objects.exists()


def test_moderators_see_no_notes_about_themselves(gus: User, stella: User) -> None:
    address = "/moderation/people/gus"
    reader(stella).post(address, {"place": "books", "text": "Too strict."})
    assert "Too strict." in html(stella, address)
    assert "Too strict." not in html(gus, address)
    assert reader(gus).post(address, {"place": "books", "text": "I'm fine."}).status_code == 403


def test_private_actions_of_other_groups_stay_private(ada: User, gus: User, stella: User) -> None:
    removals.remove(
        post(ada, "Somebody's address", slugs="maths"), by=stella, reason="Privacy", is_private=True
    )
    assert "Somebody" in html(stella)
    assert "Somebody" not in html(gus)
    assert "Somebody" in html(ada, "/conversations/actions")


def test_record_costs_the_same_with_many_rows(
    ada: User, bob: User, stella: User, settings: Any
) -> None:
    settings.PAGE_SIZE = 4
    window, found = reader(stella), []
    for number in range(2):
        for _time in range(1 + 4 * number):
            flag(bob, ada)
            sanctions.ban(ada, None, by=stella, reason="Rude", until=None)
            removals.remove(post(ada), by=stella, reason="Spam")
            ModNote.objects.create(user=ada, by=stella, text="Hm.")
        window.get(RECORD)
        queue_count.forget(stella.pk)
        with CaptureQueriesContext(connection) as asked:
            page = window.get(RECORD).content.decode()
        found.append(len(asked))
    assert found[0] == found[1]
    assert page.count('<article class="panel">') == settings.PAGE_SIZE
    assert 'rel="next"' in page


def test_profile_links_to_the_record_for_moderators(ada: User, bob: User, gus: User) -> None:
    link = f'href="{RECORD}"'
    assert link in html(gus, "/u/ada/")
    assert link not in html(bob, "/u/ada/")
    assert "/conversations/actions" in html(ada, "/u/ada/")
    assert "/conversations/actions" not in html(bob, "/u/ada/")


def test_site_moderators_warn_and_ban_from_the_admin(ada: User, bob: User) -> None:
    admin = person("root", is_staff=True, is_superuser=True)
    window, chosen = reader(admin), {"_selected_action": [ada.pk, bob.pk, admin.pk]}
    form = window.post("/admin/forum/user/", chosen | {"action": "ban_chosen"})
    assert '<li dir="auto">ada</li><li dir="auto">bob</li>' in form.content.decode()
    assert not ModAction.objects.exists()
    for sent in (
        {"action": "warn_chosen", "reason": "Rude"},
        {"action": "ban_chosen", "reason": "Rude", "days": "3"},
    ):
        page = window.post("/admin/forum/user/", chosen | sent, follow=True).content.decode()
        assert "This action succeeded for: ada, bob." in page
        assert "This action failed for: root." in page
    assert Ban.objects.filter(lifted_at=None, group=None).count() == 2
    window.post("/admin/forum/user/", chosen | {"action": "end_bans"})
    assert not Ban.objects.filter(lifted_at=None)
    assert ModAction.objects.filter(kind=ModAction.Kind.UNBAN).count() == 2
