"""Moderators remove posts and comments, and undo removals."""

import pytest

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.errors import AlreadyDecided, Forbidden, Gone
from forum.models import ModAction, Post, User
from forum.moderation.actions import removals, threads, undo
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)


def test_removed_post_disappears_and_undo_brings_it_back(ada: User, stella: User) -> None:
    written = post(ada, "Buy pills")
    action = removals.remove(written, by=stella, reason="spam")
    assert "Buy pills" not in reader().get("/new").content.decode()
    undo.undo(action, by=stella)
    assert "Buy pills" in reader().get("/new").content.decode()
    found = Post.objects.get(pk=written.pk)
    assert (found.withheld, found.withheld_by, found.deleted_at) == ("", None, None)


def test_group_moderator_removes_in_their_group_only(ada: User, gus: User) -> None:
    books, maths = groups("books", "maths")
    removals.remove(post(ada, "In books", groups=[books]), by=gus, reason="spam")
    for others in ([maths], [books, maths]):
        with pytest.raises(Forbidden):
            removals.remove(post(ada, "In maths", groups=others), by=gus, reason="spam")


def test_second_moderator_sees_who_decided(ada: User, stella: User) -> None:
    written = post(ada)
    action = removals.remove(written, by=stella, reason="spam")
    with pytest.raises(AlreadyDecided) as refused:
        removals.remove(written, by=person("stan", is_staff=True), reason="rude")
    assert refused.value.action == action


def test_removed_answer_is_accepted_again_after_undo(ada: User, stella: User) -> None:
    asked = post(ada, kind=Post.Kind.QUESTION)
    answer = add_comment(person("bob"), asked)
    comment_actions.accept(asked, answer, by=ada)
    action = removals.remove(answer, by=stella, reason="wrong")
    assert Post.objects.get(pk=asked.pk).accepted is None
    undo.undo(action, by=stella)
    assert Post.objects.get(pk=asked.pk).accepted == answer


def test_deleted_post_cannot_be_removed(ada: User, stella: User) -> None:
    written = post(ada)
    post_actions.delete(written, by=ada)
    with pytest.raises(Gone):
        removals.remove(written, by=stella, reason="spam")


def test_undoing_twice_is_refused(ada: User, stella: User) -> None:
    action = threads.set_thread(post(ada), ModAction.Kind.LOCK, by=stella, reason="heated")
    assert action
    undo.undo(action, by=stella)
    with pytest.raises(AlreadyDecided):
        undo.undo(action, by=stella)
