"""Edits by moderators are logged, and the author is notified."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry

from forum.actions import edit_conflicts
from forum.models import (
    Conversation,
    Group,
    InboxItem,
    ModAction,
    Post,
    Revision,
    User,
)
from tests.forum.factories import groups, post, reader
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def books() -> Group:
    return groups("books", "maths")[0]


@pytest.fixture
def written(ada: User, books: Group) -> Post:
    return post(ada, "A title", body="First words.")


def edit(user: User, written: Post, status: int = 303, **form: Any) -> str:
    """Send the form to edit a post, with a reason, and return the HTML of the response."""
    sent = {"title": "A title", "body": "First words.", "groups": "books", "reason": "Clearer"}
    answer = reader(user).post(f"/p/{written.pk}/edit", sent | form)
    assert answer.status_code == status
    return str(answer.content.decode())


def notice(user: User) -> str:
    """Open the only item in a person's inbox, and return the HTML of the conversation."""
    (item,) = InboxItem.objects.filter(user=user)
    assert item.kind == InboxItem.Kind.MODERATOR
    conversation = Conversation.objects.get(user=user)
    opened = reader(user).get(f"/inbox/{item.pk}")
    assert opened["Location"] == conversation.get_absolute_url()
    return get_html(opened["Location"], reader(user))


def test_edit_by_moderator_is_saved_logged_and_the_author_notified(
    ada: User, stella: User, written: Post
) -> None:
    edit(stella, written, body="Better words.")
    (revision,) = Revision.objects.all()
    assert (revision.body, revision.by) == ("First words.", stella), "also within five minutes"
    (action,) = ModAction.objects.all()
    assert (action.kind, action.by, action.post) == ("edit", stella, written)
    assert (action.person, action.reason) == (ada, "Clearer")
    assert "Message from the moderators" in get_html("/inbox", reader(ada))
    html = notice(ada)
    assert "Edited" in html
    assert "Reason: Clearer" in html
    assert f'href="/p/{written.pk}/history"' in html
    assert "The post is now in" not in html
    assert "stella" not in html


def test_the_edit_history_says_that_a_moderator_changed_it_and_not_who(
    ada: User, stella: User, written: Post
) -> None:
    edit(stella, written, body="Better words.")
    history = get_html(f"/p/{written.pk}/history", reader())
    assert "First words." in history
    assert "Edited by a moderator." in history
    assert "stella" not in history


def test_author_is_notified_when_moderators_move_their_post(
    ada: User, stella: User, written: Post
) -> None:
    edit(stella, written, groups="maths")
    html = notice(ada)
    assert "The post is now in Maths." in html
    assert f"/p/{written.pk}/history" not in html
    assert not Revision.objects.exists()
    edit(stella, written, body="Better words.", groups="books")
    html = get_html(Conversation.objects.get().get_absolute_url(), reader(ada))
    assert "The post is now in Books." in html
    assert f"/p/{written.pk}/history" in html


def test_change_in_the_admin_is_logged_once_and_the_author_notified(
    ada: User, root: User, written: Post
) -> None:
    form = {"title": "A better title", "body": "First words.", "reason": "Wrong group"}
    form["groups"] = str(groups("maths")[0].pk)
    form["seen"] = edit_conflicts.fingerprint(written)
    answer = reader(root).post(f"/admin/forum/post/{written.pk}/change/", form)
    assert answer.status_code == 302
    html = notice(ada)
    assert "Reason: Wrong group" in html
    assert "The post is now in Maths." in html
    assert f"/p/{written.pk}/history" in html
    assert Revision.objects.get().by == root
    assert ModAction.objects.get().by == root
    assert not LogEntry.objects.exists()


def test_admin_asks_for_a_reason_only_if_somebody_elses_post_changes(
    root: User, written: Post
) -> None:
    where, window = f"/admin/forum/post/{written.pk}/change/", reader(root)
    form = {"title": "A title", "body": "First words.", "groups": str(groups("books")[0].pk)}
    assert window.post(where, form).status_code == 302, "nothing changes"
    for changes in ({"body": "Other words."}, {"groups": str(groups("maths")[0].pk)}):
        refused = window.post(where, form | changes)
        assert refused.status_code == 200
        assert (
            "Give a reason. Everybody can read it in the moderation log."
        ) in refused.content.decode()
    assert not ModAction.objects.exists()
    own = f"/admin/forum/post/{post(root).pk}/change/"
    assert 'name="reason"' not in get_html(own, window)
    assert window.post(own, form | {"body": "Other words."}).status_code == 302


def test_nobody_is_notified_of_their_own_changes(ada: User, stella: User, written: Post) -> None:
    edit(ada, written, body="Better words.", groups="maths")
    edit(stella, post(stella), body="My own words.")
    assert not InboxItem.objects.exists()
    assert not ModAction.objects.exists()
    assert not Revision.objects.exclude(by=None).exists()


def test_unchanged_edit_notifies_nobody(ada: User, stella: User, written: Post) -> None:
    edit(stella, written)
    assert not InboxItem.objects.filter(user=ada).exists()
    assert not ModAction.objects.exists()


def test_group_moderator_moves_posts_out_of_their_groups_only(ada: User, gus: User) -> None:
    both = post(ada, "In both", slugs="books maths", body="First words.")
    html = edit(gus, both, 403, title="In both", body="My long words.", groups="books")
    assert ("To take a post out of a group, you must moderate that group.") in html
    assert "My long words." in html, "what was typed is still there"
    edit(gus, both, title="In both", groups="maths")
    assert [group.slug for group in both.groups.all()] == ["maths"]
    action = ModAction.objects.get()
    assert (action.by, action.group) == (gus, Group.objects.get(slug="books"))
