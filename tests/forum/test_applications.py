"""People apply to join: what applicants can do, and how moderators decide about them."""

from functools import partial
from typing import Any

import pytest

from forum.actions import comments as comment_actions
from forum.errors import AlreadyDecided, Forbidden, Invalid, NotAccepted
from forum.models import (
    Application,
    Comment,
    GroupModerator,
    InboxItem,
    ModAction,
    Post,
    QueueItem,
    User,
)
from forum.moderation.actions import applications, decisions, undo
from tests.forum.concurrency import run_at_once
from tests.forum.factories import PASSWORD, groups, person, post, reader, set_policy

pytestmark = pytest.mark.django_db(transaction=True)
Kind = ModAction.Kind


@pytest.fixture
def eve() -> User:
    eve = person("eve")
    applications.apply(eve, "I like ropes.")
    return eve


def sign_up(**more: str) -> Any:
    form = {"username": "eve", "password1": PASSWORD} | more
    return reader().post("/accounts/signup/", form)


def decide(user: User | None, eve: User, decision: str = "admit", reason: str = "") -> Any:
    path = f"/moderation/applications/{eve.application.pk}"
    return reader(user).post(path, {"decision": decision, "reason": reason})


def test_applicant_answers_the_question_and_joins_the_queue() -> None:
    set_policy(sign_up="application", question="Which knot is best?")
    assert "Which knot is best?" in reader().get("/accounts/signup/").content.decode()
    assert sign_up().status_code == 200, "an answer is needed"
    entered = sign_up(answer="The bowline.")
    assert entered.status_code == 302
    eve = User.objects.get()
    assert eve.is_applicant
    assert eve.application.answer == "The bowline."
    item = QueueItem.objects.get(person=eve)
    assert (item.kind, item.decided_at) == (QueueItem.Kind.APPLICATION, None)


def test_open_site_asks_no_question() -> None:
    assert sign_up(answer="The bowline.").status_code == 302
    assert not User.objects.get().is_applicant
    assert not Application.objects.exists()


def test_every_page_says_that_applicants_can_only_read(eve: User, stella: User) -> None:
    window = reader(eve)
    for path in ("/", "/about"):
        assert "You can only read until moderators accept" in window.get(path).content.decode()
    applications.decide(eve.application, Kind.ADMIT, by=stella)
    assert "You can only read until" not in window.get("/").content.decode()


def test_every_page_says_that_an_application_was_declined(eve: User, stella: User) -> None:
    window = reader(eve)
    window.get("/")
    declined = applications.decide(eve.application, Kind.DECLINE, by=stella, reason="No.")
    for path in ("/", "/about", "/inbox"):
        html = window.get(path).content.decode()
        assert "Your application to join was declined, so you can only read." in html
        assert "until moderators accept" not in html
    undo.undo(declined, by=stella)
    assert "You can only read until moderators accept" in window.get("/").content.decode()
    applications.decide(eve.application, Kind.ADMIT, by=stella)
    html = window.get("/").content.decode()
    assert "declined" not in html
    assert "until moderators accept" not in html


def test_applicant_reads_and_does_not_write(ada: User, eve: User) -> None:
    written, window = post(ada), reader(eve)
    assert window.get(written.get_absolute_url()).status_code == 200
    answers = {
        "comment": window.post(f"/p/{written.pk}/comment", {"body": "My long words."}),
        "vote": window.post(f"/p/{written.pk}/vote", {"vote": "up"}),
        "follow": window.post("/u/ada/follow", {"on": "1"}),
        "bio": window.post("/u/eve/about", {"about": "My long words."}),
        "post": window.post(
            "/submit",
            {"kind": "text", "title": "Hello", "body": "My long words.", "groups": "books"},
        ),
    }
    assert {name: one.status_code for name, one in answers.items()} == dict.fromkeys(answers, 403)
    for name, one in answers.items():
        assert "about your application" in one.content.decode().replace("\n", " "), name
    assert all("My long words." in answers[name].content.decode() for name in ("comment", "post"))
    assert not Comment.objects.exists()
    assert Post.objects.count() == 1


def test_admitted_person_writes_and_is_notified(ada: User, eve: User, stella: User) -> None:
    written = post(ada)
    with pytest.raises(NotAccepted):
        comment_actions.submit(author=eve, post=written, parent=None, body="Hello.")
    assert decide(stella, eve).status_code == 303
    eve.refresh_from_db()
    comment_actions.submit(author=eve, post=written, parent=None, body="Hello.")
    assert InboxItem.objects.filter(user=eve, kind=InboxItem.Kind.MODERATOR).exists()
    assert eve.mails_moderators, "the decision is emailed to those who gave an address"
    item = QueueItem.objects.get(person=eve)
    assert item.decision
    assert item.decision.kind == Kind.ADMIT


def test_declining_needs_a_reason_that_the_person_reads(eve: User, stella: User) -> None:
    window, address = reader(stella), f"/moderation/applications/{eve.application.pk}"
    refused = window.post(address, {"decision": "decline"}, follow=True)
    assert refused.redirect_chain == [("/moderation", 303)]
    assert "Give a reason. The applicant will read it." in refused.content.decode()
    assert Application.objects.get().accepted is None
    assert decide(stella, eve, "decline", "No answer given.").status_code == 303
    action = ModAction.objects.get()
    assert (action.kind, action.reason) == (Kind.DECLINE, "No answer given.")
    eve.refresh_from_db()
    assert eve.is_applicant
    refused = reader(eve).post("/u/eve/about", {"about": "Me."})
    assert "Your application to join was declined" in refused.content.decode()


@pytest.mark.parametrize("kind", [Kind.ADMIT, Kind.DECLINE])
def test_undone_decision_waits_in_the_queue_again(
    eve: User, stella: User, kind: ModAction.Kind
) -> None:
    action = applications.decide(eve.application, kind, by=stella, reason="Hm.")
    undo.undo(action, by=stella)
    eve.refresh_from_db()
    assert eve.is_applicant
    assert Application.objects.get().accepted is None
    assert QueueItem.objects.get(person=eve).decided_at is None
    applications.decide(eve.application, Kind.ADMIT, by=stella)
    assert not User.objects.get(pk=eve.pk).is_applicant


def test_second_moderator_sees_who_decided(eve: User, stella: User) -> None:
    action = applications.decide(eve.application, Kind.ADMIT, by=stella)
    stan = person("stan", is_staff=True)
    with pytest.raises(AlreadyDecided) as refused:
        applications.decide(eve.application, Kind.DECLINE, by=stan, reason="No.")
    assert refused.value.action == action
    assert "stella has already decided" in decide(stan, eve).content.decode()
    assert not User.objects.get(pk=eve.pk).is_applicant


def test_of_two_moderators_at_once_exactly_one_decides(eve: User, stella: User) -> None:
    stan = person("stan", is_staff=True)

    def status(user: User, decision: str) -> int:
        return int(decide(user, eve, decision, "Because.").status_code)

    statuses = run_at_once(partial(status, stella, "admit"), partial(status, stan, "decline"))
    assert sorted(statuses) == [303, 409]
    action = ModAction.objects.get()
    application = Application.objects.select_related("user").get()
    assert application.accepted is (action.kind == Kind.ADMIT)
    assert application.user.is_applicant is (action.kind == Kind.DECLINE)


def test_only_site_moderators_decide(eve: User) -> None:
    gus = person("gus")
    GroupModerator.objects.create(group=groups("books")[0], user=gus)
    for user in (eve, person("bob"), gus, person("olga", is_auditor=True)):
        assert decide(user, eve).status_code == 403
    assert decide(None, eve)["Location"].startswith("/accounts/login/")
    path = f"/moderation/applications/{eve.application.pk}"
    assert reader(gus).get(path).status_code == 405
    assert eve.is_applicant


def test_moderator_reads_the_answer_in_the_queue_and_the_log_does_not_show_it(
    eve: User, stella: User
) -> None:
    page = reader(stella).get("/moderation").content.decode()
    assert "I like ropes." in page
    assert f'action="/moderation/applications/{eve.application.pk}"' in page
    action = applications.decide(eve.application, Kind.ADMIT, by=stella)
    for path in ("/modlog", f"/modlog/{action.pk}"):
        log = reader().get(path).content.decode()
        assert "Application accepted" in log
        assert "ropes" not in log


def test_application_cannot_be_dismissed_like_a_flag(eve: User, stella: User) -> None:
    with pytest.raises(Invalid):
        decisions.dismiss(eve, by=stella)
    with pytest.raises(Forbidden):
        applications.decide(eve.application, Kind.ADMIT, by=person("bob"))
    assert QueueItem.objects.get().decided_at is None
