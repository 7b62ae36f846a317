"""User names: look-alikes and official names are refused, and people change theirs once a year."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.actions import posts as post_actions
from forum.actions import renames
from forum.actions.renames import RenamedSync
from forum.errors import Invalid
from forum.models import (
    Block,
    Comment,
    FormerName,
    InboxItem,
    OutboxItem,
    Post,
    SecurityEvent,
    User,
)
from forum.models.skeletons import skeleton
from forum.queries.names import looks_taken
from forum.store import outbox
from tests.forum.comments import add_comment
from tests.forum.concurrency import run_at_once
from tests.forum.factories import (
    OUR_PAGE,
    PASSWORD,
    person,
    person_with_email,
    post,
    posts,
    reader,
    reauthenticated_reader,
)
from tests.forum.test_accounts import log_in, sign_up

pytestmark = pytest.mark.django_db(transaction=True)

LOOKS = "That user name looks like the name of somebody else."
RESERVED = "That user name is reserved."


@pytest.mark.parametrize(
    ("name", "alike"),
    [
        ("carl", "carI"),
        ("carl", "car1"),
        ("carl", "c-arl"),
        ("Carl", "carl_"),
        ("otto", "0tt0"),
        ("emma", "ernma"),
        ("will", "vvill"),
        ("tess", "te55"),
    ],
)
def test_names_that_look_like_an_existing_one_are_refused(name: str, alike: str) -> None:
    person(name)
    assert LOOKS in sign_up(alike).content.decode()
    assert User.objects.count() == 1


def test_other_names_are_not_refused() -> None:
    for name in ("carl", "carla", "karl", "carl3", "bob", "rob", "ada", "adam"):
        assert sign_up(name).status_code == 302


@pytest.mark.parametrize(
    "name",
    [
        *("admin", "Admin", "adm1n", "ADMlN", "admin2", "the-admin", "admin_carl", "superadmin"),
        *("m0derator", "moderator7", "mod", "staff", "5taff", "support", "Supp0rt-Team", "root"),
        *("rostra", "R0STRA", "rostra2026", "rostra-help", "RostraTeam", "official", "deleted"),
    ],
)
def test_official_names_are_refused(name: str) -> None:
    assert RESERVED in sign_up(name).content.decode()
    assert not User.objects.exists()


def test_name_of_this_site_is_reserved(settings: Any) -> None:
    settings.SITE_NAME = "Bird Watch"
    for name in ("birdwatch", "Bird-Watch", "b1rdwatch", "birdwatch-news"):
        assert RESERVED in sign_up(name).content.decode()
    assert sign_up("birdy").status_code == 302


@pytest.mark.parametrize("name", ["badminton", "modesty", "nomad", "rootbeer", "Steffi", "ros"])
def test_harmless_names_are_allowed(name: str) -> None:
    assert sign_up(name).status_code == 302


def test_sql_and_python_compute_the_same_skeletons() -> None:
    for name in ("carI", "Vv-0_rn1", "rn", "r-n", "2580", "AAA", "vvv"):
        made = person(name)
        assert looks_taken(name)
        assert not looks_taken(name, but_for=made)
        assert skeleton(name) == skeleton(name.swapcase())
        made.delete()


def test_look_alikes_are_found_by_an_index() -> None:
    with CaptureQueriesContext(connection) as queries:
        looks_taken("carl")
    assert len(queries) == 2
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            for query in queries:
                cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
                assert "skeleton" in str(cursor.fetchall())


def change(who: User, name: str) -> Any:
    window = reauthenticated_reader(who)
    return window.post("/preferences/name", {"name": name}, headers=OUR_PAGE)


def test_renamed_person_keeps_everything_and_logs_in_with_the_new_name(ada: User) -> None:
    written = post(ada)
    answer = change(ada, "grace")
    assert answer["Location"] == "/u/grace/"
    page = reader(ada).get("/u/grace/").content.decode()
    assert "<h1>grace" in page
    assert written.title in page
    assert log_in("grace").status_code == 302
    assert "Wrong user name" in log_in("ada").content.decode()


@pytest.mark.parametrize("rest", ["", "comments", "follows", "fans"])
def test_old_addresses_lead_to_the_new_profile(ada: User, rest: str) -> None:
    change(ada, "grace")
    answer = reader().get(f"/u/ADA/{rest}?p=1")
    assert (answer.status_code, answer["Location"]) == (302, f"/u/grace/{rest}?p=1")
    assert reader().get("/api/v1/people/ada").json()["name"] == "grace"


def test_password_is_asked_for_before_the_name_changes(ada: User) -> None:
    window = reader(ada)
    asks = window.post("/preferences/name", {"name": "grace"}, headers=OUR_PAGE)
    assert "/accounts/reauthenticate/" in asks["Location"]
    assert not FormerName.objects.exists()
    answer = window.post(asks["Location"], {"password": PASSWORD}, follow=True)
    assert "Your user name is now grace." in answer.content.decode()


def test_renamed_person_gets_a_mail_and_sees_it_in_the_security_log() -> None:
    eve = person_with_email("eve")
    change(eve, "grace")
    sent = mail.outbox[-1]
    assert "Your user name was changed" in sent.subject
    assert sent.to == ["eve@example.org"]
    assert "from “eve” to “grace”" in sent.body
    event = SecurityEvent.objects.get(person=eve, kind=SecurityEvent.Kind.NAME)
    assert event.network
    log = reader(eve).get("/preferences/security").content.decode()
    assert "User name changed <bdi>grace</bdi>" in log


def test_name_can_be_changed_once_a_year(ada: User) -> None:
    change(ada, "grace")
    again = change(ada, "lady-grace")
    assert again.status_code == 422
    assert "You can change your user name once a year" in again.content.decode()
    assert "You can change your user name again on" in (
        reader(ada).get("/preferences/name").content.decode()
    )
    FormerName.objects.update(changed_at=timezone.now() - timedelta(days=366))
    assert change(ada, "lady-grace").status_code == 303


def test_old_name_and_its_look_alikes_are_reserved_for_a_year(ada: User) -> None:
    change(ada, "grace")
    for name in ("ada", "ADA", "a-d-a"):
        assert LOOKS in sign_up(name).content.decode()
    FormerName.objects.update(changed_at=timezone.now() - timedelta(days=364))
    renames.forget_old()
    assert LOOKS in sign_up("ada").content.decode()
    FormerName.objects.update(changed_at=timezone.now() - timedelta(days=366))
    renames.forget_old()
    assert reader().get("/u/ada/").status_code == 404
    assert sign_up("ada").status_code == 302
    assert not FormerName.objects.exists()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("bob", LOOKS),
        ("B0B", LOOKS),
        ("adm1n", RESERVED),
        ("ada lovelace", "A user name can contain letters"),
        ("a", "A user name must have"),
        ("ada", "That is your user name already."),
    ],
)
def test_rules_of_sign_up_hold_for_a_new_name(ada: User, bob: User, name: str, reason: str) -> None:
    answer = change(ada, name)
    assert answer.status_code == 422
    assert reason in answer.content.decode()
    assert not FormerName.objects.exists()


def test_own_name_may_change_its_look(ada: User) -> None:
    assert change(ada, "A-da").status_code == 303


def test_of_two_people_only_one_gets_a_name(ada: User, bob: User) -> None:
    def take(who: User) -> bool:
        try:
            renames.rename(who, "grace")
        except Invalid:
            return False
        return True

    assert sorted(run_at_once(partial(take, ada), partial(take, bob))) == [False, True]


def deliver_all() -> int:
    """Let the worker deliver all rows, and return the number of steps of renames."""
    steps = 0
    while rows := list(OutboxItem.objects.order_by("pk")):
        steps += sum(row.kind == RenamedSync.kind for row in rows)
        outbox.deliver(rows)
    return steps


def test_lists_and_threads_show_the_new_name_after_some_steps(
    ada: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forum.actions.renames.STEP", 2)
    posts(ada, 3)
    last = post(bob, "By Bob")
    for text in ("One.", "Two.", "Three."):
        add_comment(ada, last, text)
    before = reader().get("/active").content.decode()
    assert "by ada" in before
    change(ada, "grace")
    assert deliver_all() > 3
    for path in ("/new", "/active", "/comments", f"/p/{last.pk}/comments"):
        page = reader().get(path).content.decode()
        assert "ada" not in page.replace("adapt", ""), path
        assert "grace" in page


def test_rename_counts_for_people_who_blocked_the_person(ada: User, bob: User) -> None:
    post(ada, "Hidden treasure")
    Block.objects.create(user=bob, blocked=ada, at=timezone.now())
    window = reader(bob)
    folded = "Post by {}, whom you blocked"
    assert folded.format("ada") in window.get("/new").content.decode()
    change(ada, "grace")
    deliver_all()
    assert folded.format("grace") in window.get("/new").content.decode()


def test_search_for_an_old_name_finds_the_renamed_author(ada: User, bob: User) -> None:
    post(ada, "By Ada")
    post(bob, "By Bob")
    change(ada, "grace")
    found = reader().get("/search?q=author:Ada").content.decode()
    assert "By Ada" in found
    assert "By Bob" not in found


def test_mention_of_an_old_name_notifies_the_renamed_person(ada: User, bob: User) -> None:
    change(ada, "grace")
    comment = add_comment(bob, post(bob), "Thanks, @Ada and @grace!")
    link = '<a href="/u/grace/" dir="ltr" rel="ugc nofollow noopener">'
    assert f"{link}@Ada</a> and {link}@grace</a>" in comment.body_html
    assert InboxItem.objects.get(user=ada).kind == InboxItem.Kind.MENTION
    FormerName.objects.update(changed_at=timezone.now() - timedelta(days=366))
    assert "/u/" not in add_comment(bob, post(bob), "Thanks, @Ada!").body_html


def test_edit_of_a_text_with_an_old_name_notifies_nobody_again(ada: User, bob: User) -> None:
    written = post(bob, body="Thanks, @ada!")
    change(ada, "grace")
    post_actions.change(written, title="A title", body="Many thanks, @ada!")
    assert 'href="/u/grace/"' in written.body_html
    assert InboxItem.objects.filter(user=ada).count() == 1


def test_edits_meanwhile_are_kept(ada: User) -> None:
    written = post(ada)
    comment = add_comment(ada, written, "Before.")
    change(ada, "grace")
    deliver_all()
    assert Post.objects.get(pk=written.pk).title == written.title
    assert Comment.objects.get(pk=comment.pk).body == "Before."
