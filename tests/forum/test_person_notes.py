"""People label others and write notes about them, which nobody else sees."""

import pytest

from forum.actions import person_notes
from forum.models import PersonNote, User
from tests.forum.comments import add_comment
from tests.forum.factories import give_messages, person, post, reader

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
LABEL = "Met at <PyCon>"
SHOWN = 'title="Your label: only you see it" dir="auto">Met at &lt;PyCon&gt;</span>'


def write(writer: User | None, about: str, label: str = LABEL, note: str = "") -> int:
    fields = {"label": label, "note": note}
    return int(reader(writer).post(f"/u/{about}/note", fields).status_code)


def page(window: User | None, path: str) -> str:
    return reader(window).get(path).content.decode()


def test_writer_sees_label_and_note_on_the_profile(ada: User, bob: User) -> None:
    assert write(ada, "bob", "  Met  at <PyCon> ", "Owes me\na book.") == 303
    profile = page(ada, "/u/bob/")
    assert profile.count(SHOWN) == 1
    assert "Owes me<br>a book." in profile
    assert "Edit note" in profile
    assert "Met at &lt;PyCon&gt;" in page(ada, "/u/bob/note")
    assert "Owes me" in page(ada, "/preferences/notes")


def test_writer_sees_the_label_beside_the_name_in_threads_lists_and_inbox(
    ada: User, bob: User
) -> None:
    cleo = person("cleo")
    written = post(bob, body="A text that mentions @bob.")
    reply = add_comment(bob, post(ada, "Another"), "@ada, see @cleo.")
    add_comment(cleo, written, "By Cleo.")
    add_comment(bob, written, "By Bob.")
    write(ada, "bob")
    for path, times in (
        (written.get_absolute_url(), 2),
        (f"/p/{reply.post_id}/c/{reply.pk}", 1),
        ("/new", 1),
        ("/comments", 2),
        ("/inbox", 1),
    ):
        assert page(ada, path).count(SHOWN) == times, path


def test_nobody_else_sees_them(ada: User, bob: User) -> None:
    written = post(bob)
    add_comment(bob, written, "By Bob.")
    write(ada, "bob", note="A secret.")
    page(ada, written.get_absolute_url())
    admin = person("root", is_staff=True, is_superuser=True)
    for other in (None, bob, admin, person("cleo")):
        for path in (written.get_absolute_url(), "/u/bob/", "/u/ada/", "/new", "/inbox"):
            html = page(other, path)
            assert "PyCon" not in html, path
            assert "A secret." not in html, path
    assert "PyCon" not in page(None, "/api/v1/people/bob")
    assert "PyCon" not in page(bob, "/preferences/notes")
    assert "Met at" not in page(bob, "/u/bob/note")


def test_label_never_gives_away_the_moderator_who_wrote(ada: User, bob: User) -> None:
    """Messages from moderators have no names, and so no labels."""
    items = give_messages(ada)
    write(ada, items[0].actor.username)
    assert "PyCon" not in page(ada, "/inbox")


def test_emptying_both_fields_deletes_the_note(ada: User, bob: User) -> None:
    write(ada, "bob")
    assert write(ada, "bob", " ") == 303
    assert not PersonNote.objects.exists()
    assert "Add a note" in page(ada, "/u/bob/")


def test_second_note_replaces_the_first(ada: User, bob: User) -> None:
    write(ada, "bob")
    write(ada, "BOB", "A baker")
    assert PersonNote.objects.get().label == "A baker"


def test_label_takes_no_more_than_30_characters(ada: User, bob: User) -> None:
    form = reader(bob).get("/u/ada/note").content.decode()
    assert 'name="label" maxlength="30"' in form


def test_wrong_notes_are_refused_with_their_text(ada: User, bob: User) -> None:
    fields = {"label": "x" * 31, "note": "Still here."}
    refused = reader(ada).post("/u/bob/note", fields)
    assert refused.status_code == 422
    assert "Still here." in refused.content.decode()
    assert write(ada, "bob", "a\x00b") == 422
    assert write(ada, "bob", "", "x" * 501) == 422
    assert write(ada, "ada") == 403
    assert write(ada, "nobody") == 404
    assert write(None, "bob") == 302
    assert not PersonNote.objects.exists()


def test_a_person_has_notes_about_a_limited_number_of_people(
    ada: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_notes, "MOST", 1)
    person("cleo")
    assert [write(ada, name) for name in ("bob", "cleo", "bob")] == [303, 422, 303]


def test_notes_go_with_either_account(ada: User, bob: User) -> None:
    write(ada, "bob")
    write(bob, "ada")
    bob.delete()
    assert not PersonNote.objects.exists()
