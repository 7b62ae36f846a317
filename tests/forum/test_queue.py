"""The moderation queue: who sees which items, how moderators decide, and the cost of a page."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.actions import posts as post_actions
from forum.actions import queue_items
from forum.actions.policy import policy
from forum.errors import AlreadyDecided
from forum.models import (
    Flag,
    ModAction,
    ModNote,
    Post,
    QueueItem,
    User,
    Withheld,
)
from forum.moderation.actions import decisions, removals
from forum.moderation.flags.services import flag
from forum.moderation.queue.services import decide
from tests.forum.comments import add_comment
from tests.forum.concurrency import run_at_once
from tests.forum.factories import groups, next_link, person, post, reader, set_policy
from tests.forum.outages import redis_down
from tests.forum.worker_runs import deliver_outbox

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
SPAM = Flag.Kind.SPAM


@pytest.fixture(autouse=True)
def _usual_policy() -> Iterator[None]:
    policy.forget()
    cache.clear()
    yield
    policy.forget()


def titles(window: Client, query: str = "") -> list[str]:
    """Return the titles of the items on a page of the queue, from top to bottom."""
    answer = window.get(f"/moderation{query}")
    assert answer.status_code == 200, answer
    found = re.findall(r'<h2 id="item-\d+-title"><a [^>]*>([^<]*)</a>', answer.content.decode())
    return [str(title) for title in found]


def send(window: Client, item: QueueItem, decision: str, **more: str) -> Any:
    """Press a button in the form of a queue item."""
    return window.post(f"/moderation/items/{item.pk}", {"decision": decision} | more)


def held(author: User, title: str) -> Post:
    """Publish a post, hold the post for a moderator's approval, and return it."""
    written = post(author, title)
    Post.objects.filter(pk=written.pk).update(deleted_at=timezone.now(), withheld=Withheld.HELD)
    queue_items.open_item(written, QueueItem.Kind.HELD)
    written.refresh_from_db()
    return written


def count_in_header(user: User) -> str:
    """Return the number of open items in the front page's header; "" if there is no number."""
    cache.delete(f"queue:{user.pk}")
    html = reader(user).get("/").content.decode()
    found = re.search(r'class="site-queue".*?class="count">([^<]*)<', html, re.DOTALL)
    return found[1] if found else ""


def test_open_items_are_listed_heaviest_first(ada: User, bob: User, stella: User) -> None:
    light, heavy = post(ada, "Light"), add_comment(ada, post(bob, "Talk"), "Heavy.")
    flag(light, by=bob, kind=SPAM)
    flag(heavy, by=bob, kind=SPAM, words="It sells pills.")
    flag(heavy, by=person("cleo"), kind=Flag.Kind.UNKIND)
    flag(ada, by=bob, kind=SPAM)
    window = reader(stella)
    assert titles(window) == ["ada on “Talk”", "ada", "Light"]
    html = window.get("/moderation").content.decode()
    assert "It sells pills." in html
    assert "<p>Heavy.</p>" in html
    assert heavy.get_absolute_url() in html


def test_moderators_see_the_items_of_their_groups(
    ada: User, bob: User, stella: User, gus: User
) -> None:
    for title, slugs in (("Book", "books"), ("Proof", "maths"), ("Both", "books maths")):
        flag(post(ada, title, slugs=slugs), by=bob, kind=SPAM)
    flag(ada, by=bob, kind=SPAM)
    assert set(titles(reader(gus))) == {"Book", "Both"}
    assert set(titles(reader(stella))) == {"Book", "Proof", "Both", "ada"}
    assert set(titles(reader(person("aldo", is_auditor=True)))) == {"Book", "Proof", "Both", "ada"}
    assert reader(ada).get("/moderation").status_code == 403
    assert reader().get("/moderation").status_code == 302
    proof = QueueItem.objects.get(post__title="Proof")
    assert reader(gus).get(f"/moderation/items/{proof.pk}").status_code == 403
    assert send(reader(gus), proof, "dismiss").status_code == 403


def test_flags_for_site_moderators_stay_with_them(
    ada: User, bob: User, stella: User, gus: User
) -> None:
    secret, mixed = post(ada, "Secret"), post(ada, "Mixed")
    for written in (secret, mixed):
        flag(written, by=bob, kind=SPAM, words="About a moderator.", to_admins=True)
    flag(mixed, by=person("cleo"), kind=SPAM, words="Plain.")
    assert titles(reader(gus)) == ["Mixed"]
    html = reader(gus).get("/moderation").content.decode()
    assert "Plain." in html
    assert "About a moderator." not in html
    assert titles(reader(stella)) == ["Mixed", "Secret"]
    decisions.dismiss(secret, by=stella)
    assert titles(reader(gus), "?state=decided") == []


def test_light_items_are_not_shown(ada: User, bob: User, stella: User) -> None:
    set_policy(queue_weight=0.6)
    written = post(ada, "Light")
    flag(written, by=bob, kind=SPAM)
    assert titles(reader(stella)) == []
    flag(written, by=person("cleo"), kind=SPAM)
    assert titles(reader(stella)) == ["Light"]


def test_filters_by_group_kind_and_state(ada: User, bob: User, stella: User) -> None:
    dull = post(ada, "Dull", slugs="maths")
    flag(dull, by=bob, kind=SPAM)
    flag(post(ada, "Pills"), by=bob, kind=SPAM)
    held(ada, "Waiting")
    window = reader(stella)
    assert titles(window, "?group=maths") == ["Dull"]
    assert titles(window, "?kind=held") == ["Waiting"]
    assert set(titles(window, "?kind=&group=books")) == {"Pills", "Waiting"}
    decisions.dismiss(dull, by=stella, reason="Dull is allowed")
    assert titles(window, "?state=decided") == ["Dull"]
    html = window.get("/moderation?state=decided").content.decode()
    assert "Decision by stella: flags dismissed." in html
    for unknown in ("?group=nowhere", "?kind=odd", "?after=x"):
        assert window.get(f"/moderation{unknown}").status_code == 404


def test_removal_needs_a_reason(ada: User, bob: User, stella: User) -> None:
    item = flag(post(ada, "Pills"), by=bob, kind=SPAM)
    refused = send(reader(stella), item, "remove")
    assert refused.status_code == 422
    assert "Give a reason." in refused.content.decode()
    done = send(reader(stella), item, "remove", reason="Spam", next="/moderation?kind=flagged")
    assert (done.status_code, done["Location"]) == (303, "/moderation?kind=flagged")
    item.refresh_from_db()
    assert item.decision
    assert (item.decision.kind, item.decision.reason, item.decided_by) == ("remove", "Spam", stella)


def test_refused_removal_stays_out_of_the_public_log(ada: User, bob: User, stella: User) -> None:
    item = flag(post(ada, "Pills"), by=bob, kind=SPAM)
    refused = send(reader(stella), item, "remove", is_private="on").content.decode()
    assert re.search(r'name="is_private" value="on" checked>', refused), "the choice is kept"
    assert "checked" not in send(reader(stella), item, "remove").content.decode()


def test_only_flagged_items_show_a_weight(ada: User, bob: User, stella: User) -> None:
    held(ada, "New here")
    assert "weight" not in reader(stella).get("/moderation").content.decode()
    flagged = flag(post(ada, "Pills"), by=bob, kind=SPAM)
    for page in ("/moderation", f"/moderation/items/{flagged.pk}"):
        html = reader(stella).get(page).content.decode()
        assert "weight 0.5" in html
        assert "What “weight” means" in html
        assert "shows items from a weight of 0.3 on. From 3 on, flags can hide" in html


def test_undo_button_brings_the_item_back(ada: User, bob: User, stella: User) -> None:
    item = flag(post(ada, "Pills"), by=bob, kind=SPAM)
    window = reader(stella)
    send(window, item, "remove", reason="Spam")
    page = window.get("/moderation").content.decode()
    undo = re.search(r'formaction="(/modlog/\d+/undo)"', page)
    assert undo, "the message offers to undo"
    assert reader(ada).post(undo[1]).status_code == 403
    assert window.post(undo[1], {"next": "/moderation"}).status_code == 303
    assert titles(window) == ["Pills"]
    assert window.post(undo[1]).status_code == 409


def test_held_post_is_approved_or_rejected(ada: User, stella: User) -> None:
    good, bad = held(ada, "Good"), held(ada, "Bad")
    for written, decision in ((good, "approve"), (bad, "remove")):
        item = QueueItem.objects.get(post=written)
        assert send(reader(stella), item, decision, reason="See rules").status_code == 303
    kinds = dict(QueueItem.objects.values_list("post__title", "decision__kind"))
    assert kinds == {"Good": "approve", "Bad": "reject"}
    assert "Good" in reader().get("/new").content.decode()


def test_locking_keeps_the_item_open(ada: User, bob: User, stella: User) -> None:
    written = post(ada, "Heated")
    item = flag(written, by=bob, kind=SPAM)
    assert send(reader(stella), item, "lock", reason="Cool down").status_code == 303
    written.refresh_from_db()
    assert written.locked
    assert titles(reader(stella)) == ["Heated"]


def test_auditor_reads_and_cannot_decide(ada: User, bob: User) -> None:
    item = flag(post(ada, "Pills"), by=bob, kind=SPAM)
    window = reader(person("aldo", is_auditor=True))
    assert "queue-form" not in window.get("/moderation").content.decode()
    assert send(window, item, "dismiss").status_code == 403


def test_moderator_does_not_decide_about_their_own_text(bob: User, gus: User) -> None:
    item = flag(post(gus, "Mine"), by=bob, kind=SPAM)
    assert send(reader(gus), item, "dismiss").status_code == 403
    admin = person("admin", is_staff=True, is_superuser=True)
    own = flag(post(admin, "Mine"), by=bob, kind=SPAM)
    assert send(reader(admin), own, "dismiss").status_code == 303


def test_own_texts_have_only_buttons_that_work(ada: User, bob: User, gus: User) -> None:
    mine = post(gus, "Mine")
    for written in (mine, post(ada, "Not mine")):
        flag(written, by=bob, kind=SPAM)
    item = QueueItem.objects.get(post=mine)
    own = reader(gus).get(f"/moderation/items/{item.pk}").content.decode()
    assert "only another moderator can decide on it" in own
    assert ('value="dismiss"' in own, 'value="remove"' in own) == (False, True)
    assert reader(gus).get("/moderation").content.decode().count('value="dismiss"') == 1
    assert "Dismiss flags" not in reader(gus).get(f"/p/{mine.pk}/moderate").content.decode()


def test_flagged_moderator_sees_no_form_about_themselves(bob: User, stella: User) -> None:
    flag(stella, by=bob, kind=SPAM)
    for user, decides in ((stella, False), (person("stan", is_staff=True), True)):
        assert ("queue-form" in reader(user).get("/moderation").content.decode()) is decides


def test_second_moderator_sees_who_decided(ada: User, bob: User, stella: User) -> None:
    item = flag(post(ada, "Pills"), by=bob, kind=SPAM)
    send(reader(stella), item, "dismiss")
    late = send(reader(person("stan", is_staff=True)), item, "remove", reason="Spam")
    assert late.status_code == 409
    page = late.content.decode()
    for part in ("stella has already decided this: flags dismissed.", '<a href="/moderation">'):
        assert part in page
    assert not Post.objects.get().deleted_at


def test_one_of_two_moderators_at_the_same_time_decides(ada: User, bob: User) -> None:
    item = flag(post(ada, "Pills"), by=bob, kind=SPAM)
    people = {
        person("stella", is_staff=True): ModAction.Kind.DISMISS,
        person("stan", is_staff=True): ModAction.Kind.REMOVE,
    }
    refusals: dict[User, AlreadyDecided] = {}

    def act(by: User, decision: ModAction.Kind) -> None:
        try:
            decide(QueueItem.objects.get(pk=item.pk), decision, by=by, reason="Spam")
        except AlreadyDecided as error:
            refusals[by] = error

    run_at_once(*(partial(act, by, decision) for by, decision in people.items()))
    (winner,) = people.keys() - refusals.keys()
    (refusal,) = refusals.values()
    assert refusal.action
    assert refusal.action.by == winner
    item.refresh_from_db()
    assert item.decided_by == winner
    assert ModAction.objects.filter(undone_at=None).count() == 1
    removed = Post.objects.get().withheld == Withheld.REMOVED
    assert removed == (people[winner] == ModAction.Kind.REMOVE)


def test_flags_of_a_deleted_text_are_dismissed_without_blame(
    ada: User, bob: User, stella: User
) -> None:
    written = post(ada, "Pills")
    item = flag(written, by=bob, kind=SPAM)
    post_actions.delete(written, by=ada)
    window = reader(stella)
    assert "deleted by its author" in window.get("/moderation").content.decode()
    assert send(window, item, "remove", reason="Spam").status_code == 410
    assert send(window, item, "dismiss").status_code == 303
    assert bob.flags.get().outcome == Flag.Outcome.OPEN


def test_page_shows_the_authors_record_and_notes(ada: User, bob: User, stella: User) -> None:
    removals.remove(post(ada), by=stella, reason="Spam")
    ModNote.objects.create(user=ada, by=stella, text="Watch her.")
    flag(post(ada), by=bob, kind=SPAM)
    html = reader(stella).get("/moderation").content.decode()
    assert "removed 1" in html
    assert "1 note" in html


def test_header_counts_what_a_moderator_can_decide(
    ada: User, bob: User, stella: User, gus: User
) -> None:
    assert count_in_header(stella) == ""
    for title, slugs in (("Book", "books"), ("Proof", "maths"), ("Both", "books maths")):
        flag(post(ada, title, slugs=slugs), by=bob, kind=SPAM)
    assert (count_in_header(stella), count_in_header(gus)) == ("3", "2")
    assert count_in_header(person("aldo", is_auditor=True)) == ""
    assert count_in_header(ada) == ""


def test_items_follow_their_post_to_other_groups(ada: User, bob: User, gus: User) -> None:
    written = post(ada, "Proof", slugs="maths")
    flag(add_comment(ada, written, "Ha."), by=bob, kind=SPAM)
    assert titles(reader(gus)) == []
    post_actions.regroup(written, groups("books"))
    assert titles(reader(gus)) == ["ada on “Proof”"]


@pytest.mark.parametrize("query", ["?", "?state=decided&", "?group=books&"])
def test_pages_continue_where_the_last_one_ended(
    ada: User, bob: User, stella: User, settings: Any, query: str
) -> None:
    settings.PAGE_SIZE = 2
    written = [post(ada, f"Post {number}") for number in range(5)]
    for number, one in enumerate(written):
        flag(one, by=bob, kind=SPAM)
        if number % 2:
            flag(one, by=person(f"p{number}"), kind=SPAM)
        if "decided" in query:
            decisions.dismiss(one, by=stella)
    window, seen, path = reader(stella), [], f"/moderation{query}"
    for _page in range(3):
        seen += titles(window, path.removeprefix("/moderation"))
        html = window.get(path).content.decode()
        path = next_link(html) if 'rel="next"' in html else ""
        path = f"/moderation{path}" if path.startswith("?") else path
    expected = [4, 3, 2, 1, 0] if "decided" in query else [3, 1, 4, 2, 0]
    assert (seen, path) == ([f"Post {number}" for number in expected], "")


@pytest.mark.parametrize("name", ["stella", "gus"])
def test_cost_of_the_queue_is_independent_of_its_content(
    ada: User, bob: User, stella: User, gus: User, name: str
) -> None:
    window = reader(User.objects.get(username=name))
    found = set()
    for number in (1, 6):
        for title in range(number):
            author, flagger = person(f"a{number}{title}"), person(f"f{number}{title}")
            flag(post(author, f"P {number} {title}"), by=flagger, kind=SPAM)
            flag(add_comment(author, post(ada, slugs="books maths")), by=flagger, kind=SPAM)
        window.get("/moderation")
        with CaptureQueriesContext(connection) as queries:
            window.get("/moderation")
        found.add(len(queries))
    assert found == {10}


def test_admin_lists_items_and_flags_and_changes_none(ada: User, bob: User, stella: User) -> None:
    item = flag(add_comment(ada, post(ada), "Pills!"), by=bob, kind=SPAM, words="It sells.")
    window = reader(stella)
    for path, shown in (("queueitem", "ada: Pills!"), ("flag", "It sells.")):
        answer = window.get(f"/admin/forum/{path}/")
        assert answer.status_code == 200
        assert shown in answer.content.decode()
        assert window.get(f"/admin/forum/{path}/add/").status_code == 403
    assert window.get(f"/admin/forum/queueitem/{item.pk}/change/").status_code == 200
    assert window.post(f"/admin/forum/queueitem/{item.pk}/delete/").status_code == 403


def test_flagging_and_deciding_work_while_redis_is_down(
    ada: User, bob: User, stella: User, settings: Any
) -> None:
    written = post(ada, "Pills")
    with redis_down(settings):
        assert reader(bob).post(f"/p/{written.pk}/flag", {"kind": "spam"}).status_code == 303
        assert titles(reader(stella)) == ["Pills"]
        item = QueueItem.objects.get()
        assert send(reader(stella), item, "remove", reason="Spam").status_code == 303
    deliver_outbox()
    assert "Pills" not in reader().get("/new").content.decode()
