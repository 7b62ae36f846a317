"""Edit conflicts: saving from an outdated form shows the newer text, and no text is lost."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from forum.actions import comments as comment_actions
from forum.actions import edit_conflicts
from forum.actions import posts as post_actions
from forum.errors import EditConflict
from forum.models import Comment, Post, User
from tests.forum.comments import add_comment
from tests.forum.concurrency import run_at_once
from tests.forum.factories import groups, person, post, reader
from voting.types.limits import Window

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]

CONFLICT = "The text was changed after you opened this form, so your changes are not saved yet."


@pytest.fixture
def written(ada: User) -> Post:
    return post(ada, "A title", body="First words.", slugs="books")


@pytest.fixture
def comment(bob: User, written: Post) -> Comment:
    return add_comment(bob, written, "First words.")


def open_form(window: Client, edit_path: str) -> dict[str, Any]:
    """Open a form in the browser, and return the fields that the browser would send."""
    return fields(window.get(edit_path).content.decode())


def fields(html: str) -> dict[str, Any]:
    form = html[html.index('<form class="stack') :]
    found = dict(re.findall(r'<input type="(?:text|hidden)" name="(\w+)" value="([^"]*)"', form))
    found["body"] = re.findall(r'<textarea name="body"[^>]*>\s*(.*?)</textarea>', form, re.DOTALL)[
        0
    ]
    found["groups"] = re.findall(r'name="groups" value="(\w+)" checked', form)
    found.pop("csrfmiddlewaretoken", None)
    return {name: value for name, value in found.items() if value != []}


def current_version(html: str) -> str:
    """Return the part of the edit-conflict page that shows the saved text."""
    return html.partition('id="now"')[2].partition("</section>")[0]


def edit_path(on: Post | Comment) -> str:
    return f"{on.get_absolute_url()}/edit" if isinstance(on, Comment) else f"/p/{on.pk}/edit"


def states(written: Post) -> tuple[str, str, list[str]]:
    written = Post.objects.get(pk=written.pk)
    return written.title, written.body, [group.slug for group in written.groups.all()]


def test_saving_from_an_older_tab_shows_the_current_text(ada: User, written: Post) -> None:
    window = reader(ada)
    one, two = open_form(window, edit_path(written)), open_form(window, edit_path(written))
    assert window.post(edit_path(written), one | {"title": "A better title"}).status_code == 303
    answer = window.post(edit_path(written), two | {"body": "Better words <b>."})
    html = answer.content.decode()
    assert answer.status_code == 409
    assert states(written) == ("A better title", "First words.", ["books"])
    assert CONFLICT in html
    assert "Your changes were saved." not in window.get("/submit").content.decode()
    now = current_version(html)
    assert "A better title" in now
    assert "First words." in now
    assert 'value="A title"' in html
    assert "Better words &lt;b&gt;." in html


def test_saving_again_after_a_conflict_succeeds(ada: User, written: Post) -> None:
    window = reader(ada)
    old = open_form(window, edit_path(written))
    post_actions.change(written, title="A better title", body="First words.")
    answer = window.post(edit_path(written), old | {"body": "Mine."})
    again = fields(answer.content.decode())
    assert again["body"] == "Mine."
    previewed = window.post(edit_path(written), again | {"preview": "1"}).content.decode()
    assert window.post(edit_path(written), fields(previewed)).status_code == 303
    assert states(written) == ("A title", "Mine.", ["books"])


def test_conflict_shows_only_fields_that_differ(ada: User, written: Post) -> None:
    groups("maths")
    window = reader(ada)
    old = open_form(window, edit_path(written))
    post_actions.regroup(written, groups("maths"))
    html = window.post(edit_path(written), old).content.decode()
    now = current_version(html)
    assert 'href="/g/maths/"' in now
    assert "A title" not in now
    assert "First words." not in now
    assert states(written)[2] == ["maths"]


def test_moderator_and_author_see_each_others_changes(ada: User, written: Post) -> None:
    author, moderator = reader(ada), reader(person("stella", is_staff=True))
    mine, theirs = open_form(author, edit_path(written)), open_form(moderator, edit_path(written))
    author.post(edit_path(written), mine | {"body": "Of the author."})
    theirs |= {"body": "Of another.", "reason": "Clearer"}
    assert moderator.post(edit_path(written), theirs).status_code == 409
    assert states(written)[1] == "Of the author."


def test_conflict_in_the_admin_is_shown_and_can_be_saved_again(
    admin: Client, ada: User, written: Post
) -> None:
    address = f"/admin/forum/post/{written.pk}/change/"
    opened = admin.get(address).content.decode()
    old = {"title": "A title", "body": "Moderated.", "groups": [written.groups.get().pk]}
    old |= {"seen": revision_in(opened), "reason": "Clearer"}
    theirs = open_form(reader(ada), edit_path(written)) | {"body": "Of the author."}
    reader(ada).post(edit_path(written), theirs)
    response = admin.post(address, old)
    assert CONFLICT in response.content.decode()
    assert "Moderated." in response.content.decode()
    assert states(written)[1] == "Of the author."
    again = old | {"seen": revision_in(response.content.decode())}
    for _press in range(2):
        assert admin.post(address, again).status_code == 302
    assert states(written)[1] == "Moderated."


def revision_in(html: str) -> str:
    found = re.search(r'<input type="hidden" name="seen" value="(\w+)"', html)
    return found[1] if found else ""


def test_staff_with_view_permission_see_a_post_in_the_admin(written: Post) -> None:
    stella = person("stella", is_staff=True)
    stella.user_permissions.add(Permission.objects.get(codename="view_post"))
    html = reader(stella).get(f"/admin/forum/post/{written.pk}/change/").content.decode()
    assert "First words." in html
    assert 'name="seen"' not in html


def test_form_sent_twice_saves_once_without_a_conflict(
    ada: User, bob: User, written: Post, comment: Comment
) -> None:
    for user, on in ((ada, written), (bob, comment)):
        window = reader(user)
        sent = open_form(window, edit_path(on)) | {"body": "Better words."}
        for _press in range(2):
            answer = window.post(edit_path(on), sent)
            assert answer.status_code == 303
        on.refresh_from_db()
        assert on.body == "Better words."


def test_votes_and_comments_cause_no_conflict(ada: User, bob: User, written: Post) -> None:
    window = reader(ada)
    old = open_form(window, edit_path(written))
    comment = add_comment(bob, written)
    comment_actions.delete(comment, by=bob)
    assert window.post(edit_path(written), old | {"body": "Better words."}).status_code == 303


@pytest.mark.parametrize("seen", [None, ""], ids=["missing", "empty"])
def test_form_without_a_revision_is_saved(
    ada: User, bob: User, written: Post, comment: Comment, seen: str | None
) -> None:
    for user, on in ((ada, written), (bob, comment)):
        old = open_form(reader(user), edit_path(on)) | {"body": "Better words."}
        old = {name: value for name, value in old.items() if name != "seen"}
        type(on).objects.filter(pk=on.pk).update(body="Changed meanwhile.")
        sent = old if seen is None else old | {"seen": seen}
        assert reader(user).post(edit_path(on), sent).status_code == 303
        on.refresh_from_db()
        assert on.body == "Better words."


def test_unknown_revision_counts_as_an_old_one(ada: User, written: Post) -> None:
    sent = open_form(reader(ada), edit_path(written))
    sent |= {"body": "Better words.", "seen": "\0<b>" * 99}
    assert reader(ada).post(edit_path(written), sent).status_code == 409


def test_comment_changed_in_another_tab_is_not_overwritten(bob: User, comment: Comment) -> None:
    window = reader(bob)
    old = open_form(window, edit_path(comment))
    newer = open_form(window, edit_path(comment)) | {"body": "Second words."}
    window.post(edit_path(comment), newer)
    answer = window.post(edit_path(comment), old | {"body": "Third words."})
    html = answer.content.decode()
    assert answer.status_code == 409
    assert CONFLICT in html
    assert "Second words.</textarea>" in html
    assert Comment.objects.get(pk=comment.pk).body == "Second words."
    assert window.post(edit_path(comment), fields(html)).status_code == 303
    assert Comment.objects.get(pk=comment.pk).body == "Third words."


def test_refused_form_keeps_its_revision(ada: User, bob: User, comment: Comment) -> None:
    for user, on in ((ada, comment.post), (bob, comment)):
        window = reader(user)
        old = open_form(window, edit_path(on))
        type(on).objects.filter(pk=on.pk).update(body="Changed meanwhile.")
        refused = window.post(edit_path(on), old | {"body": "x" * 50_000})
        assert refused.status_code == 422
        later = fields(refused.content.decode()) | {"body": "Mine."}
        assert window.post(edit_path(on), later).status_code == 409


def test_form_kept_during_log_in_keeps_its_revision(ada: User, written: Post) -> None:
    old = open_form(reader(ada), edit_path(written))
    post_actions.change(written, title="A better title", body="First words.")
    window = reader()
    window.post(edit_path(written), old | {"body": "Mine."})
    window.force_login(ada)
    late = open_form(window, edit_path(written))
    assert late["body"] == "Mine."
    assert window.post(edit_path(written), late).status_code == 409


def test_conflict_does_not_count_as_an_edit(ada: User, written: Post, settings: Any) -> None:
    once = {"edit": (Window(1, 60),)}
    settings.LIMITS, settings.LIMITS_NEW = settings.LIMITS | once, settings.LIMITS_NEW | once
    window = reader(ada)
    old = open_form(window, edit_path(written))
    Post.objects.filter(pk=written.pk).update(title="A better title")
    response = window.post(edit_path(written), old | {"body": "Mine."})
    assert window.post(edit_path(written), fields(response.content.decode())).status_code == 303


def test_only_one_of_many_concurrent_edits_is_saved(written: Post, comment: Comment) -> None:
    books, seen_post = groups("books"), edit_conflicts.fingerprint(written)
    seen_comment = edit_conflicts.fingerprint(comment)

    def save_post(text: str) -> None:
        fresh = Post.objects.get(pk=written.pk)
        post_actions.change(fresh, title="A title", body=text, groups=books, seen=seen_post)

    def save_comment(text: str) -> None:
        comment_actions.change(Comment.objects.get(pk=comment.pk), text, seen_comment)

    for save in (save_post, save_comment):
        assert count_conflicts(8, save) == 7


def count_conflicts(many: int, save: Callable[[str], None]) -> int:
    """Call `save` with `many` texts at the same time; return how many calls raise EditConflict."""
    conflicts: list[int] = []

    def run(number: int) -> None:
        try:
            save(f"Text {number}.")
        except EditConflict:
            conflicts.append(number)

    run_at_once(*(partial(run, number) for number in range(many)))
    return len(conflicts)
