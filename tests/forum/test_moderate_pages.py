"""Moderators act on posts and comments; readers see a notice instead of a removed text."""

import pytest
from django.test import Client

from forum.models import GroupModerator, ModAction, Post, User
from forum.moderation.actions import removals, undo
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)


def act(user: User, text: str, action: str, **form: str) -> int:
    sent = {"action": action, "reason": "spam"} | form
    return reader(user).post(f"{text}/moderate", sent).status_code


def shown(client: Client, path: str) -> str:
    return client.get(path).content.decode()


def test_moderator_removes_a_post_and_its_page_says_why(ada: User, gus: User, bob: User) -> None:
    written = post(ada, "Buy pills", body="Cheap pills.")
    assert act(gus, f"/p/{written.pk}", "remove") == 303
    answer = reader(bob).get(written.get_absolute_url())
    assert answer.status_code == 410
    assert "Removed by moderators of /g/books: spam" in answer.content.decode()
    assert "Deleted" not in answer.content.decode(), "its author didn't delete it"
    for person_who_may_read in (ada, gus):
        page = shown(reader(person_who_may_read), written.get_absolute_url())
        assert "Removed by moderators of /g/books: spam" in page
        assert "Cheap pills." in page
        assert "will appear in the lists" not in page
        reads_own = person_who_may_read == ada
        assert ("Only you and moderators can read this post." in page) is reads_own
        assert ("Only the author and moderators can read this post." in page) is not reads_own
    assert act(gus, f"/p/{written.pk}", "undo") == 303
    assert reader(bob).get(written.get_absolute_url()).status_code == 200


def test_removed_post_offers_nothing_that_cannot_work(ada: User, gus: User, bob: User) -> None:
    written = post(ada)
    add_comment(bob, written, "Well said.")
    add_comment(gus, written, "Thanks.")
    address, moderate = written.get_absolute_url(), f"/p/{written.pk}/moderate"
    offers = ("/flag", "/watch", "/edit", "/delete", "#reply")
    before = shown(reader(gus), address)
    assert [one for one in offers if one not in before] == []
    assert act(gus, f"/p/{written.pk}", "remove") == 303
    for somebody in (ada, gus):
        page = shown(reader(somebody), address)
        assert "Well said." in page
        assert [one for one in offers if f'{one}"' in page] == []
        assert (f'href="{moderate}"' in page) is (somebody == gus)


def test_removed_comment_keeps_its_place_and_deleted_one_does_not(
    ada: User, bob: User, gus: User
) -> None:
    written = post(ada)
    rude, own = add_comment(bob, written, "You fool."), add_comment(bob, written, "Never mind.")
    assert act(gus, rude.get_absolute_url(), "remove", reason="unkind") == 303
    assert reader(bob).post(f"{own.get_absolute_url()}/delete").status_code == 303
    page = shown(reader(), written.get_absolute_url())
    assert "Removed by moderators of /g/books: unkind" in page
    assert "You fool." not in page
    assert f'id="comment-{own.pk}"' not in page
    assert "Deleted comment" not in page, "a removed comment isn't called deleted"
    assert "You fool." in shown(reader(bob), written.get_absolute_url())
    assert "You fool." in shown(reader(gus), rude.get_absolute_url())


def test_nobody_else_opens_the_page(ada: User) -> None:
    written, elsewhere = post(ada), person("elsewhere")
    GroupModerator.objects.create(group=groups("maths")[0], user=elsewhere)
    for somebody in (person("mia"), ada, elsewhere):
        assert reader(somebody).get(f"/p/{written.pk}/moderate").status_code == 403
    assert reader().get(f"/p/{written.pk}/moderate").status_code == 302, "guests log in first"


def test_removing_needs_a_reason(ada: User, gus: User) -> None:
    written = post(ada)
    assert act(gus, f"/p/{written.pk}", "remove", reason="") == 422
    assert not ModAction.objects.exists()


def test_second_moderator_reads_who_decided(ada: User, gus: User, stella: User) -> None:
    written = post(ada)
    removals.remove(written, by=gus, reason="spam")
    answer = reader(stella).post(
        f"/p/{written.pk}/moderate", {"action": "remove", "reason": "rude"}
    )
    assert answer.status_code == 422, "the action isn't offered any more"
    assert "Removed by moderators of /g/books: spam" in answer.content.decode()


def test_post_in_two_groups_is_taken_out_of_the_moderators_group(ada: User, gus: User) -> None:
    written = post(ada, slugs="books maths")
    page = shown(reader(gus), f"/p/{written.pk}/moderate")
    assert f'href="/p/{written.pk}/edit"' in page
    assert f'href="/p/{written.pk}/merge"' not in page, "merging is for moderators of all groups"
    assert act(gus, f"/p/{written.pk}", "remove") == 422
    assert act(gus, f"/p/{written.pk}", "take_out") == 303
    assert [group.slug for group in written.groups.all()] == ["maths"]
    undo.undo(ModAction.objects.get(), by=person("sol", is_staff=True))
    assert {group.slug for group in written.groups.all()} == {"books", "maths"}


def test_moderators_edit_with_a_reason_and_undo_it(ada: User, gus: User, stella: User) -> None:
    written = post(ada, "Titel", body="Some text.")
    form = {"title": "Title", "body": "Some text.", "groups": "books"}
    assert reader(gus).post(f"/p/{written.pk}/edit", form).status_code == 422
    assert reader(gus).post(f"/p/{written.pk}/edit", form | {"reason": "typo"}).status_code == 303
    action = ModAction.objects.get()
    assert (action.kind, action.by, action.reason) == ("edit", gus, "typo")
    undo.undo(action, by=stella)
    found = Post.objects.get(pk=written.pk)
    assert (found.title, found.edited_at) == ("Titel", None)


def test_locked_thread_takes_no_comments_but_of_moderators(ada: User, bob: User, gus: User) -> None:
    written = post(ada)
    assert act(gus, f"/p/{written.pk}", "lock") == 303
    page = shown(reader(bob), written.get_absolute_url())
    assert "Moderators locked this thread" in page
    assert act(gus, f"/p/{written.pk}", "unlock") == 303
    assert "Moderators locked this thread" not in shown(reader(bob), written.get_absolute_url())
