"""Moderation in Django admin: the same actions as on the site, each with a reason."""

from typing import Any

import pytest
from django.test import Client

from forum.models import Flag, ModAction, Post, User, Withheld
from forum.moderation.flags import services as flags
from tests.forum.factories import post, reader
from tests.forum.worker_runs import make_rows_due, run_worker

pytestmark = pytest.mark.django_db
Kind = ModAction.Kind


@pytest.fixture
def admin(stella: User) -> Client:
    """The browser of Stella, a superuser."""
    User.objects.filter(pk=stella.pk).update(is_superuser=True)
    return reader(stella)


def act(admin: Client, path: str, action: str, *chosen: Any, **form: str) -> str:
    sent = {"action": action, "_selected_action": [one.pk for one in chosen], **form}
    return str(admin.post(f"/admin/forum/{path}/", sent, follow=True).content.decode())


@pytest.mark.parametrize(
    ("action", "undo", "field"),
    [("lock", "unlock", "locked"), ("hold_replies", "release_replies", "holds_replies")],
)
def test_threads_are_locked_and_held_with_a_reason(
    admin: Client, ada: User, action: str, undo: str, field: str
) -> None:
    written = post(ada)
    page = act(admin, "post", f"{action}_chosen", written)
    assert 'name="reason"' in page, "the reason is asked for"
    assert not getattr(Post.objects.get(), field)
    assert "The action was applied to 1 item." in act(
        admin, "post", f"{action}_chosen", written, reason="heated"
    )
    assert getattr(Post.objects.get(), field)
    assert ModAction.objects.get().reason == "heated"
    assert "This action failed for: " in act(
        admin, "post", f"{action}_chosen", written, reason="again"
    )
    assert "The action was applied to 1 item." in act(
        admin, "post", f"{undo}_chosen", written, reason="calm again"
    )
    assert not getattr(Post.objects.get(), field)


def test_flags_are_dismissed(admin: Client, ada: User, bob: User) -> None:
    written = post(ada)
    flags.flag(written, by=bob, kind=Flag.Kind.SPAM, words="", to_admins=False)
    assert "The action was applied to 1 item." in act(
        admin, "post", "dismiss_chosen", written, reason=""
    )
    assert Flag.objects.get().outcome == Flag.Outcome.DISAGREED


def test_duplicates_are_merged_into_the_oldest(admin: Client, ada: User, bob: User) -> None:
    first, second = post(ada, "First"), post(bob, "Second")
    assert "The action was applied to 1 item." in act(
        admin, "post", "merge_chosen", second, first, reason="duplicate"
    )
    assert Post.objects.get(pk=second.pk).merged_into == first


def test_everything_of_a_person_is_removed(admin: Client, bob: User) -> None:
    written = post(bob, "Buy pills")
    page = act(admin, "user", "remove_everything_of_chosen", bob, reason="spam", days="1")
    progress = ModAction.objects.get().get_absolute_url()
    assert f'<a href="{progress}">bob</a>' in page
    assert "1 of 1" not in reader().get(progress).content.decode()
    make_rows_due()
    run_worker()
    written.refresh_from_db()
    assert written.withheld == Withheld.REMOVED
    assert ModAction.objects.get(parent=None).kind == Kind.REMOVE_ALL
    assert "1 of 1" in reader().get(progress).content.decode()
