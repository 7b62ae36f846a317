"""Edits by staff are logged, and the author is notified."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry

from forum.content import edit_conflicts
from forum.identity import languages
from forum.models import InboxItem, Post, Revision, User
from tests.forum.factories import groups, post, reader

pytestmark = pytest.mark.django_db(transaction=True)

EDITED = "A moderator edited your post. See its edit history for the earlier version."
MOVED = "A moderator moved your post. It is now in Maths."


@pytest.fixture
def written(ada: User) -> Post:
    groups("maths")
    return post(ada, "A title", body="First words.")


def edit(user: User, written: Post, **form: Any) -> None:
    sent = {"title": "A title", "body": "First words.", "groups": "books"} | form
    assert reader(user).post(f"/p/{written.pk}/edit", sent).status_code == 303


def notices(user: User) -> list[str]:
    return list(InboxItem.objects.filter(user=user).order_by("pk").values_list("text", flat=True))


def test_edit_by_staff_is_saved_logged_and_the_author_notified(
    ada: User, stella: User, written: Post
) -> None:
    edit(stella, written, body="Better words.")
    (revision,) = Revision.objects.all()
    assert (revision.body, revision.by) == ("First words.", stella), "also within five minutes"
    (entry,) = LogEntry.objects.all()
    assert (entry.user, entry.object_id) == (stella, str(written.pk))
    assert entry.get_change_message() == "Edited."
    assert notices(ada) == [EDITED]
    inbox = reader(ada).get("/inbox").content.decode()
    assert "Message from the moderators" in inbox
    assert EDITED in inbox
    assert "stella" not in inbox
    (item,) = InboxItem.objects.all()
    assert reader(ada).get(f"/inbox/{item.pk}")["Location"] == f"/p/{written.pk}/a-title"


def test_the_edit_history_says_that_a_moderator_changed_it_and_not_who(
    ada: User, stella: User, written: Post
) -> None:
    edit(stella, written, body="Better words.")
    history = reader().get(f"/p/{written.pk}/history").content.decode()
    assert "First words." in history
    assert "Edited by a moderator." in history
    assert "stella" not in history


def test_author_is_notified_when_staff_move_their_post(
    ada: User, stella: User, written: Post
) -> None:
    edit(stella, written, groups="maths")
    assert notices(ada) == [MOVED]
    assert not Revision.objects.exists()
    edit(stella, written, body="Better words.", groups="books")
    assert notices(ada)[1] == f"{EDITED} A moderator moved your post. It is now in Books."


def test_change_in_the_admin_is_logged_once_and_the_author_notified(
    ada: User, stella: User, written: Post
) -> None:
    maths = groups("maths")[0]
    form = {"title": "A better title", "body": "First words.", "groups": str(maths.pk)}
    form["seen"] = edit_conflicts.fingerprint(written)
    answer = reader(stella).post(f"/admin/forum/post/{written.pk}/change/", form)
    assert answer.status_code == 302
    assert notices(ada) == [f"{EDITED} {MOVED}"]
    assert Revision.objects.get().by == stella
    assert LogEntry.objects.count() == 1


def test_author_is_notified_in_their_language(ada: User, stella: User, written: Post) -> None:
    languages.choose(ada, "zh-hans")
    edit(stella, written, groups="maths")
    assert len(notices(ada)) == 1


def test_nobody_is_notified_of_their_own_changes(ada: User, stella: User, written: Post) -> None:
    edit(ada, written, body="Better words.", groups="maths")
    edit(stella, post(stella), body="My own words.")
    assert not InboxItem.objects.exists()
    assert not LogEntry.objects.exists()
    assert not Revision.objects.exclude(by=None).exists()


def test_unchanged_edit_notifies_nobody(ada: User, stella: User, written: Post) -> None:
    edit(stella, written)
    assert notices(ada) == []
