"""Programs read the moderation queue and decide about its items, as moderators do on its page."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from forum.actions.policy import policy
from forum.api import tokens
from forum.models import Flag, ModAction, Post, QueueItem, User
from forum.moderation.actions import applications, decisions
from forum.moderation.flags.services import flag
from tests.forum.comments import add_comment
from tests.forum.factories import person, post, set_policy
from tests.forum.test_queue import held

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
SPAM = Flag.Kind.SPAM
Ask = Callable[..., Any]


@pytest.fixture(autouse=True)
def _usual_policy() -> Iterator[None]:
    policy.forget()
    cache.clear()
    yield
    policy.forget()


@pytest.fixture
def ask() -> Ask:
    """Return a function that sends a person's request to the API; a body makes it a POST."""

    def send(
        user: User, path: str, body: Any = None, status: int = 200, scopes: Any = ("moderate",)
    ) -> Any:
        token = tokens.create(user=user, name="Script", scopes=scopes)
        client = Client(headers={"Authorization": f"Bearer {token}"})
        if body is None:
            answer = client.get(f"/api/v1/{path}")
        else:
            answer = client.post(f"/api/v1/{path}", body, content_type="application/json")
        assert answer.status_code == status, answer.content.decode()
        return answer.json()

    return send


def test_program_reads_open_items_heaviest_first(
    ask: Ask, ada: User, bob: User, stella: User
) -> None:
    light, talk = post(ada, "Light"), post(bob, "Talk")
    heavy = add_comment(ada, talk, "Heavy.")
    flag(light, by=bob, kind=SPAM)
    flag(heavy, by=bob, kind=SPAM, words="It sells pills.")
    flag(heavy, by=person("cleo"), kind=Flag.Kind.UNKIND)
    first, second = ask(stella, "queue")["items"]
    assert (first["post"], first["comment"], first["title"]) == (talk.pk, heavy.pk, "Talk")
    assert (first["author"], first["html"]) == ("ada", "<p>Heavy.</p>\n")
    assert (first["kind"], first["state"], first["groups"]) == ("flagged", "published", ["books"])
    assert (first["weight"], second["weight"]) == (1.0, 0.5)
    reasons = {(one["kind"], one["words"], one["weight"], one["by"]) for one in first["flags"]}
    assert reasons == {("spam", "It sells pills.", 0.5, "bob"), ("unkind", "", 0.5, "cleo")}
    assert first["decisions"] == ["dismiss", "remove", "lock"]
    assert (second["post"], second["comment"]) == (light.pk, None)
    assert ask(stella, f"queue/{second['id']}") == second


def test_moderators_of_a_group_read_its_items_and_not_who_flagged(
    ask: Ask, ada: User, bob: User, gus: User, stella: User
) -> None:
    for title, slugs in (("Book", "books"), ("Proof", "maths")):
        flag(post(ada, title, slugs=slugs), by=bob, kind=SPAM)
    flag(ada, by=bob, kind=SPAM)
    (only,) = ask(gus, "queue")["items"]
    assert (only["title"], only["flags"][0]["by"]) == ("Book", None)
    assert only["flags"][0]["joined_at"]
    proof = QueueItem.objects.get(post__title="Proof")
    ask(gus, f"queue/{proof.pk}", status=403)
    ask(gus, f"queue/{proof.pk}/decide", {"decision": "dismiss"}, status=403)
    ask(gus, "queue?group=maths", status=404)
    ask(gus, "queue?kind=person", status=404)
    assert [one["author"] for one in ask(stella, "queue?kind=person")["items"]] == ["ada"]
    assert len(ask(stella, "queue?group=maths")["items"]) == 1


def test_strangers_and_other_scopes_are_refused(
    ask: Ask, ada: User, bob: User, stella: User
) -> None:
    item = flag(post(ada), by=bob, kind=SPAM)
    for user, scopes in ((ada, ["moderate"]), (stella, ["read", "vote", "write"])):
        for path, body in (
            ("queue", None),
            (f"queue/{item.pk}", None),
            (f"queue/{item.pk}/decide", {"decision": "dismiss"}),
        ):
            ask(user, path, body, status=403, scopes=scopes)
    ask(stella, "queue/999", status=404)
    auditor = person("aldo", is_auditor=True)
    assert ask(auditor, f"queue/{item.pk}")["decisions"] == []
    ask(auditor, f"queue/{item.pk}/decide", {"decision": "dismiss"}, status=403)


def test_program_decides_and_undoes(ask: Ask, ada: User, bob: User, stella: User) -> None:
    item = flag(post(ada, "Pills"), by=bob, kind=SPAM)
    path = f"queue/{item.pk}/decide"
    assert "reason: Give a reason." in ask(stella, path, {"decision": "remove"}, 422)["detail"]
    body = {"decision": "remove", "reason": "spam", "is_private": True}
    action = ask(stella, path, body)["action"]
    made = ModAction.objects.get(pk=action)
    assert (made.kind, made.by, made.reason, made.is_private) == ("remove", stella, "spam", True)
    assert Post.objects.get().withheld == "removed"
    (decided,) = ask(stella, "queue?decided=true")["items"]
    assert (decided["decision"], decided["decided_by"]) == ("remove", "stella")
    assert (decided["reason"], decided["decisions"]) == ("spam", [])
    assert ask(stella, "queue")["items"] == []
    ask(stella, f"modlog/{action}/undo", {})
    assert ask(stella, f"queue/{item.pk}")["decision"] is None


def test_held_posts_are_approved_or_rejected(ask: Ask, ada: User, stella: User) -> None:
    for title, decision in (("Good", "approve"), ("Bad", "reject"), ("Worse", "remove")):
        item = QueueItem.objects.get(post=held(ada, title))
        assert ask(stella, f"queue/{item.pk}")["decisions"] == ["approve", "remove"]
        ask(stella, f"queue/{item.pk}/decide", {"decision": decision, "reason": "See rules"})
    kinds = dict(QueueItem.objects.values_list("post__title", "decision__kind"))
    assert kinds == {"Good": "approve", "Bad": "reject", "Worse": "reject"}


def test_second_moderator_learns_who_decided_and_when(
    ask: Ask, ada: User, bob: User, stella: User
) -> None:
    item = flag(post(ada, "Pills"), by=bob, kind=SPAM)
    made = decisions.dismiss(item.target, by=stella)
    body = {"decision": "remove", "reason": "spam"}
    late = ask(person("stan", is_staff=True), f"queue/{item.pk}/decide", body, 409)
    assert late["detail"].startswith("stella has already decided this: flags dismissed.")
    assert (late["decision"], late["decided_by"]) == ("dismiss", "stella")
    assert late["decided_at"] == made.created_at.isoformat()
    assert not Post.objects.get().deleted_at


def test_wrong_decisions_are_refused_with_the_possible_ones(
    ask: Ask, ada: User, bob: User, stella: User
) -> None:
    item = flag(post(ada, "Pills"), by=bob, kind=SPAM)
    path = f"queue/{item.pk}/decide"
    unknown = ask(stella, path, {"decision": "burn"}, 422)["detail"]
    assert unknown == (
        "decision: Choose one of these: admit, approve, decline, dismiss, lock, reject, remove,"
        " restore_flagged."
    )
    impossible = ask(stella, path, {"decision": "approve"}, 409)["detail"]
    assert impossible == ("“approve” isn't possible now. Possible actions: dismiss, remove, lock.")
    about_ada = flag(ada, by=bob, kind=SPAM)
    path = f"queue/{about_ada.pk}/decide"
    assert "dismiss" in ask(stella, path, {"decision": "admit"}, 409)["detail"]
    ask(stella, path, {"decision": "dismiss"})


def test_moderators_do_not_decide_about_their_own_texts(ask: Ask, bob: User, gus: User) -> None:
    item = flag(post(gus, "Mine"), by=bob, kind=SPAM)
    assert ask(gus, f"queue/{item.pk}")["decisions"] == ["remove", "lock"]
    refused = ask(gus, f"queue/{item.pk}/decide", {"decision": "dismiss"}, 403)
    assert "your own posts" in refused["detail"]


def test_applicants_are_admitted_or_declined(ask: Ask, stella: User) -> None:
    for name, decision in (("eve", "admit"), ("mallory", "decline")):
        applicant = person(name)
        applications.apply(applicant, "I like ropes.")
        item = QueueItem.objects.get(person=applicant)
        shown = ask(stella, f"queue/{item.pk}")
        assert (shown["kind"], shown["about"]) == ("application", "I like ropes.")
        assert shown["decisions"] == ["admit", "decline"]
        path = f"queue/{item.pk}/decide"
        ask(stella, path, {"decision": "dismiss"}, 409)
        if decision == "decline":
            ask(stella, path, {"decision": decision}, 400)
        ask(stella, path, {"decision": decision, "reason": "Knots"})
        ask(stella, path, {"decision": decision, "reason": "Knots"}, 409)
        applicant.refresh_from_db()
        assert applicant.is_applicant is (decision == "decline")


@pytest.mark.parametrize("query", ["?", "?decided=true&", "?group=books&"])
def test_pages_continue_where_the_last_one_ended(
    ask: Ask, ada: User, bob: User, stella: User, settings: Any, query: str
) -> None:
    settings.PAGE_SIZE = 2
    for number in range(5):
        written = post(ada, f"Post {number}")
        flag(written, by=bob, kind=SPAM)
        if "decided" in query:
            decisions.dismiss(written, by=stella)
    found, path = [], f"queue{query}"
    while path:
        page = ask(stella, path)
        found += [one["title"] for one in page["items"]]
        path = (page["next"] or "").partition("/api/v1/")[2]
        if len(found) == 2:
            (first,) = Post.objects.filter(title=found[0])
            QueueItem.objects.filter(post=first).delete()
    assert found == [f"Post {number}" for number in (4, 3, 2, 1, 0)]
    ask(stella, "queue?after=x", status=422)


def test_light_items_are_left_out(ask: Ask, ada: User, bob: User, stella: User) -> None:
    set_policy(queue_weight=0.6)
    flag(post(ada), by=bob, kind=SPAM)
    assert ask(stella, "queue")["items"] == []
