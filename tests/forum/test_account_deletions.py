"""People delete their account, and can change their mind for seven days."""

import json
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from forum.accounts.adapter import AccountAdapter
from forum.actions import account_deletions, comments, drafts, posts, security_log, ties
from forum.actions.notices import conversation_with
from forum.api import tokens
from forum.errors import Forbidden, Invalid
from forum.feeds import keys
from forum.models import (
    Block,
    Comment,
    Erasure,
    FormerName,
    InboxItem,
    LedgerEntry,
    Message,
    ModAction,
    Mute,
    OutboxItem,
    PersonNote,
    Post,
    Revision,
    SavedComment,
    SavedSearch,
    SecurityEvent,
    User,
    Watch,
)
from forum.moderation.actions import removals, sanctions, undo
from forum.operations.exporting import tables
from forum.operations.repair.check import differences
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.erasing import a_week_later, do_all_steps, erase
from tests.forum.factories import (
    PASSWORD,
    person,
    person_with_email,
    post,
    reader,
    reauthenticated_reader,
)
from tests.forum.pages import get_html
from tests.forum.past_posts import archive_all
from voting.types import Order, Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/preferences/delete-account"


@pytest.fixture
def eve() -> User:
    """Eve, who has a confirmed address and a bio."""
    return person_with_email("evelyn", about="I live in Ghent.")


def ask(someone: User, texts: str = "keep") -> Client:
    window = reauthenticated_reader(someone)
    window.post(PAGE, {"texts": texts}, follow=True)
    return window


def log_in(name: str) -> Any:
    return reader().post("/accounts/login/", {"login": name, "password": PASSWORD}, follow=True)


def everything() -> str:
    """Return all rows of all tables as text, without the sessions."""
    models: list[type[Model]] = [*tables.exported(), apps.get_model("admin.LogEntry"), OutboxItem]
    return "\n".join(
        json.dumps(list(model._default_manager.values()), default=str) for model in models
    )


def test_person_asks_and_is_logged_out_everywhere(eve: User) -> None:
    elsewhere = reader(eve)
    html = reauthenticated_reader(eve).post(PAGE, {"texts": "keep"}, follow=True).content.decode()
    assert "Your account will be deleted on" in html
    assert 'href="/accounts/login/' in html
    assert elsewhere.get("/inbox").status_code == 302
    erasure = Erasure.objects.get()
    assert (erasure.user, erasure.keeps_texts, erasure.by) == (eve, True, None)
    assert timedelta(days=6) < erasure.due_at - timezone.now() <= timedelta(days=7)


def test_password_is_asked_for_again(eve: User) -> None:
    assert "/accounts/reauthenticate/" in reader(eve).post(PAGE, {"texts": "keep"})["Location"]
    assert not Erasure.objects.exists()


def test_person_must_choose_what_happens_to_texts(eve: User) -> None:
    response = reauthenticated_reader(eve).post(PAGE)
    assert response.status_code == 422
    assert "Choose what happens to posts and comments." in response.content.decode()
    assert not Erasure.objects.exists()


def test_person_gets_an_email(eve: User) -> None:
    ask(eve)
    assert mail.outbox[-1].to == ["evelyn@example.org"]
    assert "To keep it, log in before." in mail.outbox[-1].body


def test_tokens_and_private_feeds_stop_at_once(eve: User) -> None:
    token, key = tokens.create(user=eve, name="reader", scopes=["read"]), keys.create(eve)
    feed = reverse("feed_private", args=[key, "inbox"])
    assert reader().get(feed).status_code == 200
    ask(eve)
    inbox = reader().get("/api/v1/inbox", headers={"Authorization": f"Bearer {token}"})
    assert inbox.status_code == 401
    assert reader().get(feed).status_code == 404


def test_nothing_is_erased_within_the_week(eve: User) -> None:
    post(eve, "Hers")
    ask(eve)
    account_deletions.begin_due()
    do_all_steps()
    assert "I live in Ghent." in get_html("/u/evelyn/")
    assert "Hers" in get_html("/new")


def test_person_keeps_the_account_by_logging_in(eve: User) -> None:
    ask(eve)
    html = log_in("evelyn").content.decode()
    assert "You logged in, so your account won&#x27;t be deleted." in html
    a_week_later()
    assert User.objects.get(pk=eve.pk).username == "evelyn"
    kinds = SecurityEvent.objects.filter(person=eve).values_list("kind", flat=True)
    assert {SecurityEvent.Kind.DELETION, SecurityEvent.Kind.KEPT} <= set(kinds)


def test_wrong_password_keeps_nothing(eve: User) -> None:
    ask(eve)
    reader().post("/accounts/login/", {"login": "evelyn", "password": "wrong"})
    assert Erasure.objects.exists()


def test_asking_twice_is_refused(eve: User) -> None:
    account_deletions.ask(eve, keeps_texts=True)
    with pytest.raises(Invalid):
        account_deletions.ask(eve, keeps_texts=False)


def test_nothing_personal_remains_after_a_week(eve: User, bob: User, root: User) -> None:
    now = timezone.now()
    made, theirs = post(eve, "A title", body="First."), post(bob, "Other")
    TOTP.activate(eve, generate_totp_secret())
    tokens.create(user=eve, name="evelyns-token", scopes=["read"])
    keys.create(eve)
    reader(eve)
    text = drafts.DraftText(body="draft-secret")
    drafts.store(author=eve, key=drafts.new_key(), target=drafts.DraftTarget(made), text=text)
    PersonNote.objects.create(user=eve, person=bob, note="note-secret", at=now)
    PersonNote.objects.create(user=bob, person=eve, note="about-secret", at=now)
    Block.objects.create(user=bob, blocked=eve, at=now)
    Mute.objects.create(user=eve, kind="word", text="mute-secret")
    SavedSearch.objects.create(user=eve, name="search-secret", text="x")
    talk = conversation_with(eve, None)
    Message.objects.create(conversation=talk, by=eve, from_moderators=False, body="talk-secret")
    Message.objects.create(conversation=talk, by=root, from_moderators=True, body="Welcome")
    InboxItem.objects.create(user=eve, kind="moderator", actor=root, text="x", created_at=now)
    for kind, other in ((ties.Kind.PERSON, bob.pk), (ties.Kind.SAVED, theirs.pk)):
        ties.change(kind, eve.pk, other, True)
    ties.change(ties.Kind.PERSON, bob.pk, eve.pk, True)
    SavedComment.objects.create(user=eve, comment=add_comment(bob, theirs), at=now)
    security_log.record(SecurityEvent.Kind.LOG_IN, person_id=eve.pk)
    erase(eve)
    rows = everything()
    found = [word for word in ("secret", "Ghent", "example.org") if word in rows]
    assert found == []
    assert "evelyn" not in rows.replace('"name": "evelyn"', "")
    assert "Welcome" in rows
    assert not EmailAddress.objects.filter(user=eve).exists()
    assert not Session.objects.filter(session_key__startswith=f"{eve.pk}-").exists()
    for rows_of in (InboxItem, SavedComment, Watch):
        assert not rows_of.objects.filter(user=eve).exists()
    counts = get_voting_service().follows.counts(bob.pk)
    assert (counts.follows, counts.followers) == (0, 0)
    assert list(differences()) == []


def test_account_is_emptied_and_keeps_its_id(eve: User) -> None:
    eve.is_staff = True
    eve.save()
    erase(eve)
    assert eve.username == f"[deleted-{eve.pk}]"
    assert (eve.email, eve.about, eve.is_active, eve.is_staff) == ("", "", False, False)
    assert not eve.has_usable_password()
    assert Erasure.objects.get(user=eve).done_at


def test_texts_stay_without_a_name(eve: User, bob: User) -> None:
    made = post(eve, "Hers", body="Her words")
    comment = add_comment(eve, post(bob, "His"), "Her comment")
    erase(eve)
    assert "[deleted]" in reader().get("/new.atom").content.decode()
    for path in ("/new", "/g/books/new", made.get_absolute_url(), comment.get_absolute_url()):
        html = get_html(path)
        assert "evelyn" not in html
        assert '<span class="author">[deleted]</span>' in html
        assert "[deleted-" not in html
    assert "Her words" in get_html(made.get_absolute_url())
    assert "Her comment" in get_html(comment.get_absolute_url())
    assert "[deleted]" in get_html("/comments")
    assert "[deleted]" in get_html("/search?q=words")
    assert list(differences()) == []


def test_texts_are_removed_if_the_person_chose_so(eve: User, bob: User) -> None:
    made = post(eve, "Hers", kind="link", url="https://example.net/hers", body="Her words")
    theirs = post(bob, "His")
    comment = add_comment(eve, theirs, "Her comment")
    reply = add_comment(bob, theirs, "His reply", comment)
    erase(eve, keeps_texts=False)
    assert reader().get(made.get_absolute_url()).status_code == 410
    html = get_html(theirs.get_absolute_url())
    assert "Her comment" not in html
    assert "His reply" in html
    rows = everything()
    assert not {"Hers", "Her words", "Her comment", "example.net"} & set(rows.split('"'))
    assert Comment.objects.get(pk=reply.pk).deleted_at is None
    assert list(differences()) == []


def test_many_texts_are_removed_in_steps(eve: User, bob: User) -> None:
    made = [post(eve, f"Post {number}") for number in range(23)]
    for number in range(60):
        add_comment(eve, post(bob, "His") if number == 0 else made[0], f"Comment {number}")
    erase(eve, keeps_texts=False)
    assert not Post.objects.filter(author=eve).exclude(title="").exists()
    assert not Comment.objects.filter(author=eve).exclude(body="").exists()
    assert not Post.objects.filter(author=eve, deleted_at=None).exists()


def test_texts_that_moderators_removed_or_hold_do_not_come_back(
    eve: User, bob: User, root: User
) -> None:
    made, comment = post(eve, "Rude"), add_comment(eve, post(bob), "Rude, too")
    actions = [removals.remove(text, by=root, reason="rude") for text in (made, comment)]
    erase(eve, keeps_texts=False)
    for action in actions:
        undo.undo(ModAction.objects.get(pk=action.pk), by=root)
    assert Post.objects.get(pk=made.pk).deleted_at
    assert Comment.objects.get(pk=comment.pk).deleted_at


def test_earlier_versions_and_deleted_texts_are_erased_even_if_texts_stay(
    eve: User, bob: User
) -> None:
    kept, deleted = post(eve, "Kept"), post(eve, "Deleted", body="Deleted words")
    Revision.objects.create(post=kept, title="Before", body="Older", until=timezone.now())
    comment = add_comment(eve, post(bob), "Deleted comment")
    posts.delete(deleted, by=eve)
    comments.delete(comment, eve)
    erase(eve)
    assert not Revision.objects.exists()
    rows = everything()
    assert not {"Deleted words", "Deleted comment", "Older"} & set(rows.split('"'))
    assert "Kept" in get_html("/new")


def test_votes_stay_counted(eve: User, ada: User) -> None:
    made = post(ada)
    get_voting_service().votes.cast(eve.pk, Target(made.pk), Vote.UP)
    archive_all()
    erase(eve)
    (row,) = get_voting_service().listings.page(Order.NEW, 1, viewer=eve.pk).rows
    assert (row.up, row.vote) == (2, Vote.UP)
    assert LedgerEntry.objects.filter(user_id=eve.pk).exists()
    archive_all()
    assert list(differences()) == []


def test_name_is_reserved_for_a_year_and_leads_nowhere(eve: User) -> None:
    erase(eve)
    assert reader().get("/u/evelyn/").status_code == 404
    assert reader().get(f"/u/{eve.username}/").status_code == 404
    with pytest.raises(ValidationError):
        AccountAdapter().clean_username("Evelyn")
    assert FormerName.objects.get().user is None
    FormerName.objects.update(changed_at=timezone.now() - timedelta(days=366))
    assert AccountAdapter().clean_username("evelyn") == "evelyn"


def test_nobody_can_choose_the_name_of_a_deleted_account(eve: User) -> None:
    erase(eve)
    with pytest.raises(ValidationError):
        AccountAdapter().clean_username(f"[deleted-{eve.pk + 1}]")


def test_erased_person_cannot_log_in_or_reset_the_password(eve: User) -> None:
    erase(eve)
    mail.outbox.clear()
    for login in ("evelyn", "evelyn@example.org", eve.username):
        assert "/accounts/login/" in log_in(login).request["PATH_INFO"]
    reader().post("/accounts/password/reset/", {"email": "evelyn@example.org"})
    assert not any(eve.username in message.body for message in mail.outbox)


def test_leaders_leave_out_deleted_accounts(eve: User, ada: User) -> None:
    made = post(eve)
    get_voting_service().votes.cast(ada.pk, Target(made.pk), Vote.UP)
    archive_all()
    assert "evelyn" in get_html("/leaders")
    erase(eve)
    html = get_html("/leaders")
    assert "evelyn" not in html
    assert 'href="/u/[' not in html


def test_steps_can_be_repeated(eve: User, ada: User) -> None:
    post(eve)
    account_deletions.ask(eve, keeps_texts=False)
    Erasure.objects.update(due_at=timezone.now())
    account_deletions.begin_due()
    account_deletions.begin_due()
    assert OutboxItem.objects.filter(kind="erasure").count() == 1
    OutboxItem.objects.filter(kind="erasure").delete()
    a_week_later()
    a_week_later()
    assert Erasure.objects.get().done_at
    assert FormerName.objects.count() == 1


def test_log_in_is_too_late_once_the_worker_has_begun(eve: User) -> None:
    account_deletions.ask(eve, keeps_texts=True)
    User.objects.filter(pk=eve.pk).update(is_active=False)
    assert not account_deletions.cancel(eve)
    assert Erasure.objects.exists()


def test_moderation_log_keeps_entries_without_the_name(eve: User, root: User) -> None:
    sanctions.ban(eve, None, by=root, reason="spam", until=None)
    erase(eve)
    html = get_html("/modlog")
    assert "spam" in html
    assert "evelyn" not in html


def test_staff_delete_an_account_on_request(eve: User, root: User, admin: Client) -> None:
    form = {"action": "delete_accounts", "_selected_action": [eve.pk]}
    html = admin.post("/admin/forum/user/", form).content.decode()
    assert 'name="texts"' in html
    html = admin.post(
        "/admin/forum/user/", form | {"texts": "remove"}, follow=True
    ).content.decode()
    assert "This action succeeded for: evelyn." in html
    erasure = Erasure.objects.get()
    assert (erasure.user, erasure.by, erasure.keeps_texts) == (eve, root, False)
    assert "Asked for the deletion of the account." in everything()
    assert mail.outbox[-1].to == ["evelyn@example.org"]
    assert "evelyn" in get_html("/admin/forum/erasure/", admin)


def test_staff_ask_for_a_copy_that_only_the_person_can_fetch(
    eve: User, root: User, admin: Client
) -> None:
    form = {"action": "export_data", "_selected_action": [eve.pk]}
    admin.post("/admin/forum/user/", form)
    do_all_steps()
    window = reauthenticated_reader(root)
    assert window.get("/preferences/data/my-data.zip").status_code == 404
    own = reauthenticated_reader(eve).get("/preferences/data/my-data.zip")
    assert own["Content-Type"] == "application/zip"
    assert "Asked for a copy of the person&#x27;s data." in get_html(
        f"/admin/forum/user/{eve.pk}/history/", admin
    )


def test_site_moderators_delete_no_account_with_powers(stella: User, root: User) -> None:
    with pytest.raises(Forbidden):
        account_deletions.ask(root, keeps_texts=True, by=stella)
    account_deletions.ask(person("dora"), keeps_texts=True, by=stella)
