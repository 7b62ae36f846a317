"""Staff and moderators carry a mark beside their names, which nobody else can have."""

from typing import Any

import pytest
from django.test import Client

from forum.actions import marks
from forum.admin.pins import services
from forum.models import Comment, Group, User
from forum.moderation.actions import appointments
from forum.queries.groups import directory
from tests.forum.comments import add_comment
from tests.forum.factories import OUR_PAGE, give_messages, groups, post, reader

pytestmark = pytest.mark.django_db(transaction=True)

STAFF = '<span class="tag role">staff</span>'
MODERATOR = '<span class="tag role">moderator of /g/books</span>'


def seen(path: str, window: Client | None = None) -> str:
    return (window or reader()).get(path, follow=True).content.decode()


def test_staff_have_a_mark_in_threads_lists_of_comments_and_profiles(
    stella: User, bob: User
) -> None:
    written = post(stella, "By Stella")
    comment = add_comment(stella, written, "Hello.")
    add_comment(bob, written, "Hello, too.")
    thread = seen(f"/p/{written.pk}")
    assert thread.count(STAFF) == 2, "beside the author of the post and of the comment"
    assert f'href="/u/stella/">stella</a> {STAFF}' in thread
    assert seen(f"/p/{written.pk}/c/{comment.pk}").count(STAFF) == 1
    assert seen("/comments").count(STAFF) == 1
    assert f"<h1>stella {STAFF}</h1>" in seen("/u/stella/")
    assert STAFF not in seen("/u/bob/")


def test_moderators_have_a_mark_with_their_group(gus: User, bob: User) -> None:
    written = post(bob)
    add_comment(gus, written, "Hello.")
    assert seen(f"/p/{written.pk}").count(MODERATOR) == 1
    assert f"<h1>gus {MODERATOR}</h1>" in seen("/u/gus/")


def test_staff_have_a_mark_in_lists_of_posts_and_in_search_results(stella: User, bob: User) -> None:
    written = post(stella, "By Stella")
    post(bob, "By Bob")
    marks.save(bob, written, on=True)
    window = reader(bob)
    lists = ("/", "/new", "/g/books/", "/u/stella/", f"/day/{written.created_at.date()}")
    for path in (*lists, "/u/bob/saved"):
        assert seen(path, window).count(f'href="/u/stella/">stella</a> {STAFF}') == 1, path
    assert seen("/u/stella/").count(STAFF) == 2, "beside the heading and in the list"
    found = seen("/search?q=stella")
    assert f'href="/u/stella/">stella</a> {STAFF}' in found
    assert STAFF not in seen("/search?q=bob")


def test_lists_show_for_moderators_the_group_of_the_post(gus: User, root: User, bob: User) -> None:
    appointments.appoint(groups("films")[0], gus, by=root)
    written, other = post(gus, slugs="films"), post(gus, slugs="maths")
    add_comment(gus, written, "Hello.")
    films = MODERATOR.replace("books", "films")
    assert seen("/new").count(films) == 1
    assert seen("/new").count("moderator of 2 groups") == 1, "of no group of the other post"
    assert seen("/g/films/").count(films) == 1
    assert seen(f"/p/{written.pk}").count(films) == 2, "beside the post and the comment"
    assert seen(f"/p/{other.pk}").count("moderator of 2 groups") == 1


def test_list_of_a_group_shows_its_moderators_as_such(gus: User, root: User) -> None:
    appointments.appoint(groups("films")[0], gus, by=root)
    both = post(gus, slugs="books films")
    services.pin(post=both, group=groups("films")[0], until=None, by=root)
    assert seen("/g/films/").count(MODERATOR.replace("books", "films")) == 1, "also when pinned"
    assert seen("/g/films/new").count(MODERATOR.replace("books", "films")) == 1
    assert seen("/g/books/").count(MODERATOR) == 1


def test_inbox_shows_the_marks_of_those_who_wrote(stella: User, bob: User) -> None:
    written = post(bob)
    add_comment(stella, written, "Hello.")
    give_messages(bob)
    assert f"stella {STAFF} replied to you" in seen("/inbox", reader(bob))
    assert seen("/inbox", reader(bob)).count(STAFF) == 1, "none beside a message from moderators"


def test_row_keeps_the_mark_after_a_vote_in_a_list(stella: User, bob: User) -> None:
    written = post(stella)
    headers = OUR_PAGE | {"X-Fragment": "row"}
    answer = reader(bob).post(f"/p/{written.pk}/vote", {"vote": "up"}, headers=headers)
    assert STAFF in answer.content.decode()


def test_moderator_of_several_groups_has_a_mark_with_their_number(gus: User, root: User) -> None:
    appointments.appoint(groups("films")[0], gus, by=root)
    assert '<span class="tag role">moderator of 2 groups</span>' in seen("/u/gus/")


def test_mark_stays_after_a_vote(stella: User, bob: User) -> None:
    written = post(stella)
    headers = OUR_PAGE | {"X-Fragment": "post"}
    answer = reader(bob).post(f"/p/{written.pk}/vote", {"vote": "up"}, headers=headers)
    assert STAFF in answer.content.decode()


def test_post_whose_title_is_a_name_gets_no_mark_beside_the_title(stella: User) -> None:
    written = post(stella, "stella")
    thread = seen(f"/p/{written.pk}")
    assert thread.count(STAFF) == 1
    assert f'href="/u/stella/">stella</a> {STAFF}' in thread


def test_cached_pages_of_guests_follow_appointments_at_once(
    ada: User, root: User, books: Group, settings: Any
) -> None:
    settings.GUEST_PAGE_SECONDS = 3_600
    written = post(ada)
    add_comment(ada, written, "Hello.")
    path, window = f"/p/{written.pk}/{written.slug}", reader(root)
    directory.forget()
    assert MODERATOR not in seen(path)
    window.post("/g/books/moderators", {"name": "ada"}, headers=OUR_PAGE)
    assert seen(path).count(MODERATOR) == 2
    window.post("/g/books/moderators/ada/remove", {"reason": "Enough."}, headers=OUR_PAGE)
    assert MODERATOR not in seen(path)


def test_cached_pages_of_guests_follow_the_admin_at_once(
    stella: User, root: User, settings: Any
) -> None:
    settings.GUEST_PAGE_SECONDS = 3_600
    path = f"/p/{post(stella).pk}"
    assert STAFF in seen(path)
    form = {"email": "", "about": "", "is_active": "on", "initial-is_staff": "on"}
    answer = reader(root).post(f"/admin/forum/user/{stella.pk}/change/", form, headers=OUR_PAGE)
    assert answer.status_code == 302, answer.content.decode()[:3000]
    assert STAFF not in seen(path)


def test_disabled_staff_have_no_mark(stella: User) -> None:
    stella.is_active = False
    stella.save()
    assert STAFF not in seen("/u/stella/")


def test_deleted_comment_shows_no_mark(stella: User, ada: User) -> None:
    written = post(ada)
    comment = add_comment(stella, written, "Hello.")
    add_comment(ada, written, "A reply.", comment)
    reader(stella).post(f"/p/{written.pk}/c/{comment.pk}/delete", headers=OUR_PAGE)
    assert Comment.objects.get(pk=comment.pk).deleted_at
    assert STAFF not in seen(f"/p/{written.pk}")
