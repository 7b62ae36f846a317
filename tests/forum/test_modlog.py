"""The public moderation log: what everybody can read, what stays private, filters, and undo."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.actions import posts as post_actions
from forum.actions import visibility
from forum.models import (
    Application,
    Flag,
    ModAction,
    Post,
    User,
    Withheld,
)
from forum.moderation.actions import (
    applications,
    bulk,
    corrections,
    decisions,
    removals,
    sanctions,
    threads,
    undo,
)
from forum.moderation.flags import services as flags
from tests.forum.comments import add_comment
from tests.forum.factories import next_link, person, post, reader, set_policy

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]
Kind = ModAction.Kind


@pytest.fixture
def named_moderators() -> None:
    """Set the site's policy to show the names of moderators."""
    set_policy(names_moderators=True)


def log(query: str = "", user: User | None = None) -> str:
    """Return the HTML of the log for a person, or for a guest if no person is given."""
    response = reader(user).get(f"/modlog{query}")
    assert response.status_code == 200, response
    return response.content.decode()


def entry(action: ModAction, user: User | None = None) -> str:
    """Return the HTML of the page of one log entry."""
    response = reader(user).get(f"/modlog/{action.pk}")
    assert response.status_code == 200, response
    return response.content.decode()


def listed(query: str = "", user: User | None = None) -> list[int]:
    """Return the ids of the entries on a page of the log, from top to bottom."""
    return [int(pk) for pk in re.findall(r'<li id="action-(\d+)"', log(query, user))]


def spam(writer: User, by: User) -> ModAction:
    """Remove everything that a person wrote within the last hour."""
    now = timezone.now()
    action = bulk.remove_everything(
        writer, group=None, since=now - timedelta(hours=1), until=now, by=by, reason="Spam"
    )
    bulk.do_batch(action.pk)
    return action


def test_guest_reads_what_was_removed_and_why(ada: User, gus: User) -> None:
    written = post(ada, "Buy pills", body="Secret recipe.")
    action = removals.remove(written, by=gus, reason="Advertising")
    for page in (log(), entry(action)):
        assert f'href="{written.get_absolute_url()}"' in page
        for words in ("Removed", "Buy pills", "ada", "Advertising", "moderators of /g/books"):
            assert words in page
        assert "Secret recipe" not in page
        assert "gus" not in page
        assert ">Undo<" not in page


def test_comment_is_linked_and_not_quoted(ada: User, bob: User, stella: User) -> None:
    comment = add_comment(bob, post(ada, "A title"), "An insult.")
    page = entry(removals.remove(comment, by=stella, reason="Unkind"))
    assert f'<a href="{comment.get_absolute_url()}" dir="auto">a comment on “A title”</a>' in page
    assert "An insult" not in page


def test_ban_shows_its_end(ada: User, stella: User) -> None:
    until = timezone.now() + timedelta(days=3)
    page = entry(sanctions.ban(ada, None, by=stella, reason="Rude", until=until))
    assert "Until" in page
    assert "Permanently." in entry(
        sanctions.ban(ada, None, by=stella, reason="Rude again", until=None)
    )


@pytest.mark.usefixtures("named_moderators")
def test_moderator_is_named_if_the_site_wants_that(ada: User, gus: User, stella: User) -> None:
    by_gus = removals.remove(post(ada), by=gus, reason="spam")
    by_stella = removals.remove(post(ada), by=stella, reason="spam")
    assert "gus" in entry(by_gus)
    assert listed("?moderator=Gus") == [by_gus.pk]
    assert listed("?moderator=gus&group=books") == [by_gus.pk]
    assert listed("?moderator=stella&kind=remove") == [by_stella.pk]


def test_moderator_cannot_be_guessed_by_the_filter(ada: User, gus: User, stella: User) -> None:
    action = removals.remove(post(ada), by=gus, reason="spam")
    assert listed("?moderator=stella") == [action.pk], "the filter is ignored"
    assert 'name="moderator"' not in log()
    assert listed("?moderator=stella", user=stella) == [], "moderators may use it"
    assert "gus" in log(user=stella)


def test_filters(ada: User, bob: User, gus: User, stella: User) -> None:
    removed = removals.remove(post(ada), by=stella, reason="spam")
    lock = threads.set_thread(post(bob), Kind.LOCK, by=gus, reason="heated")
    warned = sanctions.warn(ada, None, by=stella, reason="Rude")
    maths = removals.remove(post(bob, slugs="maths"), by=stella, reason="spam")
    assert lock
    assert listed() == [maths.pk, warned.pk, lock.pk, removed.pk]
    assert listed("?group=books") == [lock.pk, removed.pk], "also what site moderators did there"
    assert listed("?group=books&kind=lock") == [lock.pk]
    assert listed("?group=books&person=ada") == [removed.pk]
    assert listed("?kind=remove") == [maths.pk, removed.pk]
    assert listed("?person=ADA") == [warned.pk, removed.pk]
    assert reader().get("/modlog?person=nobody").status_code == 422
    assert reader().get("/modlog?group=nowhere").status_code == 422
    assert '<a href="/modlog?group=books"' in reader().get("/g/books/").content.decode()


def test_private_action_shows_neither_title_nor_person(
    ada: User, bob: User, gus: User, stella: User
) -> None:
    written = post(ada, "Bob lives in Elm Street")
    lock = threads.set_thread(written, Kind.LOCK, by=gus, reason="heated")
    assert lock
    assert "Elm Street" in log()
    action = removals.remove(written, by=gus, reason="Private data", is_private=True)
    for user in (None, bob):
        for page in (log(user=user), entry(action, user), entry(lock, user)):
            assert "Elm" not in page.title()
            assert "elm" not in page
        assert "ada" not in entry(action, user)
        assert "Private data" in entry(action, user)
        assert listed("?person=ada", user) == [lock.pk], "the filter doesn't tell the person"
    for user in (ada, gus, stella):
        assert "Elm Street" in entry(action, user), "people see what was done to their posts"
        assert listed("?person=ada", user) == [action.pk, lock.pk]


def test_title_that_readers_may_not_know_is_not_shown(ada: User, stella: User) -> None:
    held, deleted = post(ada, "Held title"), post(ada, "Deleted title")
    for written in (held, deleted):
        threads.set_thread(written, Kind.LOCK, by=stella, reason="heated")
    visibility.withhold(held, Withheld.HELD)
    post_actions.delete(deleted, by=ada)
    page = log()
    assert "Held title" not in page
    assert "Deleted title" not in page
    assert page.count("a post") == 2
    assert "Held title" in log(user=stella)


def test_log_says_where_a_post_was_moved_to(ada: User, gus: User) -> None:
    written = post(ada, slugs="books maths")
    corrections.take_out(written, by=gus, reason="Off topic")
    assert "The post is now in Maths." in log()


def test_applicant_who_was_declined_is_not_named(ada: User, stella: User) -> None:
    application = Application.objects.create(user=ada, answer="I like books.")
    action = applications.decide(application, Kind.DECLINE, by=stella, reason="Not now")
    assert "Application declined" in entry(action)
    assert "ada" not in entry(action)
    assert "I like books" not in entry(action, stella)


def test_flaggers_are_not_named(ada: User, bob: User, stella: User) -> None:
    written = post(ada)
    flags.flag(written, by=bob, kind=Flag.Kind.OTHER, words="Look at this")
    action = decisions.dismiss(written, by=stella, reason="Fine")
    assert "bob" not in entry(action)
    assert "Look at this" not in entry(action)


def test_moderator_undoes_with_one_click(ada: User, gus: User) -> None:
    written = post(ada, "Good after all")
    action = removals.remove(written, by=gus, reason="spam")
    window = reader(gus)
    assert f'formaction="/modlog/{action.pk}/undo"' in window.get("/modlog").content.decode()
    answer = window.post(f"/modlog/{action.pk}/undo", {"next": "/modlog?kind=remove"})
    assert answer.status_code == 303
    assert answer["Location"] == "/modlog?kind=remove"
    page = window.get(answer["Location"]).content.decode()
    assert "The action was undone." in page
    assert "Undone on" in page
    assert f'formaction="/modlog/{action.pk}/undo"' not in page
    assert Post.objects.visible().filter(pk=written.pk).exists()
    assert window.post(f"/modlog/{action.pk}/undo").status_code == 409, "undone before"


def test_undo_is_refused_to_others(ada: User, bob: User, gus: User, stella: User) -> None:
    action = removals.remove(post(ada, slugs="maths"), by=stella, reason="spam")
    for user in (ada, bob, gus):
        assert reader(user).post(f"/modlog/{action.pk}/undo").status_code == 403
        assert ">Undo<" not in entry(action, user)
    guest = reader().post(f"/modlog/{action.pk}/undo")
    assert guest.status_code in {302, 303}
    assert "/accounts/login/" in guest["Location"]
    assert reader(stella).get(f"/modlog/{action.pk}/undo").status_code == 405
    assert reader(stella).post(f"/modlog/{action.pk + 1}/undo").status_code == 404
    assert reader().get(f"/modlog/{action.pk + 1}").status_code == 404


def test_bulk_action_is_one_line_that_expands(ada: User, bob: User, stella: User) -> None:
    for number in range(7):
        post(bob, f"Pills {number}")
    action = spam(bob, by=stella)
    assert listed() == [action.pk]
    line = log()
    assert "<details>" in line
    assert "Pills 6" in line
    assert "Pills 0" not in line, "only the newest parts are in the line"
    assert "Pills 0" in entry(action)
    part = action.parts.latest("pk")
    assert f"/modlog/{action.pk}" in entry(part)
    undo.undo(part, by=stella)
    assert entry(action).count("Undone on") == 1


def test_pages_keep_the_filter(ada: User, stella: User, settings: Any) -> None:
    settings.PAGE_SIZE = 2
    made = [
        threads.set_thread(post(ada, f"Post {n}"), Kind.LOCK, by=stella, reason="heated")
        for n in range(3)
    ]
    sanctions.warn(ada, None, by=stella, reason="Rude")
    first = log("?kind=lock&group=books&person=ada")
    assert "Post 2" in first
    assert "Post 0" not in first
    second = log(next_link(first).removeprefix("/modlog"))
    assert "Post 0" in second
    assert "Post 1" not in second
    assert len(made) == 3
    assert reader().get("/modlog?before=x").status_code == 404


@pytest.mark.usefixtures("named_moderators")
def test_page_takes_constant_queries(bob: User, stella: User, settings: Any) -> None:
    settings.GUEST_PAGE_SECONDS = 0
    counts = []
    for _ in range(2):
        for number in range(4):
            writer = person(f"writer{ModAction.objects.count()}-{number}")
            on = post(writer, slugs=f"g{number} books")
            removals.remove(add_comment(bob, on), by=stella, reason="spam")
            removals.remove(on, by=stella, reason="spam")
            post(writer)
            spam(writer, by=stella)
        log()  # fill the caches of this process
        asked = []
        for query in ("", "?group=books", "?kind=remove", "?person=bob", "?moderator=stella"):
            with CaptureQueriesContext(connection) as queries:
                log(query)
            asked.append(len(queries))
        counts.append(asked)
    assert counts[0] == counts[1] == [3, 4, 1, 2, 4]


def test_admin_lists_and_undoes(ada: User) -> None:
    root = person("root", is_staff=True, is_superuser=True)
    written = post(ada, "Good after all")
    action = removals.remove(written, by=root, reason="spam")
    window = reader(root)
    assert "spam" in window.get("/admin/forum/modaction/").content.decode()
    undoing = {"action": "undo_chosen", "_selected_action": [str(action.pk)]}
    answer = window.post("/admin/forum/modaction/", undoing, follow=True)
    assert "1 action undone." in answer.content.decode()
    assert Post.objects.visible().filter(pk=written.pk).exists()
    again = window.post("/admin/forum/modaction/", undoing, follow=True)
    assert "Nothing was changed" in again.content.decode()
