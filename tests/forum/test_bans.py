"""Warning and banning people, and what a banned person can and can't do."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.actions import following
from forum.actions import posts as post_actions
from forum.errors import AlreadyDecided, Banned, Forbidden, Invalid
from forum.identity.permissions import require_not_banned
from forum.identity.roles import powers_of
from forum.models import Ban, Comment, GroupModerator, ModAction, Post, User
from forum.moderation.actions import sanctions, undo
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader
from tests.forum.round_trips import counted_round_trips

pytestmark = pytest.mark.django_db(transaction=True)
LATER = timedelta(days=3)


def banned(user: User, *slugs: str) -> bool:
    """Return whether a person is banned from the whole site or from one of these groups."""
    try:
        require_not_banned(user, [group.pk for group in groups(*slugs)])
    except Banned:
        return True
    return False


def ban(user: User, by: User, slug: str = "", days: int | None = 3) -> ModAction:
    """Ban a person from a group, or from the whole site if no group is given."""
    until = None if days is None else timezone.now() + timedelta(days=days)
    place = groups(slug)[0] if slug else None
    return sanctions.ban(user, place, by=by, reason="Rude", until=until)


def test_banned_from_site_reads_but_cannot_write(ada: User, bob: User, stella: User) -> None:
    written, comment = post(ada), add_comment(bob, post(ada))
    own = post(bob)
    ban(bob, stella)
    window = reader(bob)
    assert window.get(written.get_absolute_url()).status_code == 200
    refused = {
        f"/p/{written.pk}/comment": {"body": "Still here."},
        "/submit": {"kind": "text", "title": "Still here", "body": "Yes.", "groups": "books"},
        f"/p/{own.pk}/edit": {"title": "Still here.", "body": "Yes.", "groups": "books"},
        f"{comment.get_absolute_url()}/edit": {"body": "Still here."},
        f"/p/{written.pk}/vote": {"vote": "up"},
        "/u/ada/follow": {"on": "1"},
        "/u/bob/about": {"about": "Still here."},
    }
    for address, sent in refused.items():
        response = window.post(address, sent)
        page = response.content.decode()
        assert response.status_code == 403, address
        assert "Reason: Rude" in page, address
        assert "UTC" in page, address
        assert "/conversations/write" in page, address
        assert "Still here" in page or address.endswith(("vote", "follow")), address
    assert Comment.objects.count() == 1
    assert Post.objects.count() == 3


def test_banned_from_site_may_save_read_and_change_preferences(
    ada: User, bob: User, stella: User
) -> None:
    written = post(ada)
    ban(bob, stella)
    window = reader(bob)
    assert window.post(f"/p/{written.pk}/save", {"on": "1"}).status_code == 303
    assert window.post("/preferences", {"told": ["reply"], "digest": "none"}).status_code == 303
    assert window.post("/u/ada/follow", {"on": "0"}).status_code == 303
    assert window.get("/inbox").status_code == 200


def test_banned_from_group_writes_elsewhere_and_votes(ada: User, bob: User, gus: User) -> None:
    books, maths = post(ada, slugs="books"), post(ada, slugs="maths")
    ban(bob, gus, "books")
    window = reader(bob)
    assert window.post(f"/p/{books.pk}/vote", {"vote": "up"}).status_code == 303
    assert window.post(f"/p/{books.pk}/comment", {"body": "Here."}).status_code == 403
    assert window.post(f"/p/{maths.pk}/comment", {"body": "There."}).status_code == 303
    with pytest.raises(Banned):
        post_actions.submit(author=bob, kind="text", title="New", groups=groups("maths", "books"))


def test_refused_vote_by_script_gets_sentence_and_link(ada: User, bob: User, stella: User) -> None:
    written = post(ada)
    ban(bob, stella, days=None)
    response = reader(bob).post(
        f"/p/{written.pk}/vote", {"vote": "up"}, headers={"X-Fragment": "1"}
    )
    assert response.status_code == 403
    assert "Reason: Rude" in response.content.decode()
    assert response["X-Link"].startswith("/conversations/write ")


def test_vote_of_member_needs_no_query_for_bans(ada: User, bob: User, settings: Any) -> None:
    written, window = post(ada), reader(bob)
    with counted_round_trips(settings) as (trips, _cache):
        assert window.post(f"/p/{written.pk}/vote", {"vote": "up"}).status_code == 303
        with trips.counting(), CaptureQueriesContext(connection) as asked:
            assert window.post(f"/p/{written.pk}/vote", {"vote": "none"}).status_code == 303
    assert (trips.round_trips, len(asked)) == (1, 0)


def test_ban_ends_by_itself(bob: User, ada: User, stella: User) -> None:
    written = post(ada)
    ban(bob, stella)
    Ban.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert not banned(bob)
    comment_actions.submit(author=bob, post=written, parent=None, body="Back.")


def test_ban_takes_effect_for_votes_at_once(ada: User, bob: User, stella: User) -> None:
    written, window = post(ada), reader(bob)
    assert window.post(f"/p/{written.pk}/vote", {"vote": "up"}).status_code == 303
    action = ban(bob, stella)
    assert window.post(f"/p/{written.pk}/vote", {"vote": "none"}).status_code == 403
    undo.undo(action, by=stella)
    assert window.post(f"/p/{written.pk}/vote", {"vote": "none"}).status_code == 303


def test_undoing_a_ban_brings_back_the_one_it_replaced(bob: User, stella: User, gus: User) -> None:
    first, second = ban(bob, gus, "books", days=1), ban(bob, gus, "books", days=None)
    third = ban(bob, gus, "books", days=30)
    undo.undo(second, by=gus)
    assert Ban.objects.get(lifted_at=None).action == third
    undo.undo(third, by=stella)
    assert Ban.objects.get(lifted_at=None).action == first
    undo.undo(first, by=stella)
    assert not banned(bob, "books")
    with pytest.raises(AlreadyDecided):
        undo.undo(first, by=stella)


def test_ending_a_ban_can_be_undone(bob: User, stella: User) -> None:
    ban(bob, stella)
    ended = sanctions.unban(bob, None, by=stella)
    assert not banned(bob)
    with pytest.raises(AlreadyDecided):
        sanctions.unban(bob, None, by=stella)
    undo.undo(ended, by=stella)
    assert banned(bob)


def test_who_may_ban_whom(ada: User, bob: User, stella: User, gus: User) -> None:
    admin = person("root", is_staff=True, is_superuser=True)
    second = person("second")
    GroupModerator.objects.create(group=groups("books")[0], user=second)
    refused = [(gus, bob, ""), (gus, bob, "maths"), (bob, ada, ""), (stella, stella, "")]
    refused += [(stella, admin, ""), (gus, stella, "books"), (gus, second, "books")]
    for by, whom, slug in refused:
        with pytest.raises(Forbidden):
            ban(whom, by, slug)
    assert not Ban.objects.exists()
    for by, whom, slug in ((admin, stella, ""), (gus, bob, "books"), (stella, second, "books")):
        ban(whom, by, slug)
        assert banned(whom, slug or "books")


def test_banned_moderator_has_no_powers_in_that_group(gus: User, stella: User) -> None:
    ban(gus, stella, "maths")
    assert powers_of(gus).group_ids
    action = ban(gus, stella, "books")
    assert not powers_of(gus).moderates
    undo.undo(action, by=stella)
    ban(gus, stella)
    assert not powers_of(gus).moderates


def test_ban_that_has_ended_already_is_refused(bob: User, stella: User) -> None:
    with pytest.raises(Invalid):
        sanctions.ban(bob, None, by=stella, reason="Rude", until=timezone.now())


def test_warning_is_logged_and_can_be_undone(bob: User, gus: User) -> None:
    action = sanctions.warn(bob, groups("books")[0], by=gus, reason="Be kind.")
    assert "Be kind." in reader(bob).get("/conversations/actions").content.decode()
    undo.undo(action, by=gus)
    assert "Undone on" in reader(bob).get("/conversations/actions").content.decode()


def test_banned_person_may_delete_their_own_texts(ada: User, bob: User, stella: User) -> None:
    written = add_comment(bob, post(ada))
    ban(bob, stella)
    assert reader(bob).post(f"{written.get_absolute_url()}/delete").status_code == 303


def test_follow_after_unban(ada: User, bob: User, stella: User) -> None:
    ban(bob, stella)
    sanctions.unban(bob, None, by=stella)
    following.follow(bob, ada, on=True)


def test_moderator_who_sanctions_a_fellow_moderator_reads_why_not(gus: User, stella: User) -> None:
    fellow = person("dora")
    GroupModerator.objects.create(group=groups("books")[0], user=fellow)
    window, record = reader(gus), "/moderation/people/dora"
    sent = {"place": "books", "days": "3", "reason": "Too strict for us."}
    why = "Only the site&#x27;s moderators can warn or ban a moderator of this group."
    for action in ("warn", "ban"):
        refused = window.post(f"{record}/{action}", sent)
        assert refused.status_code == 403
        assert why in refused.content.decode()
        assert "Too strict for us." in refused.content.decode()
    ban(fellow, stella, "books")
    refused = window.post(f"{record}/unban", {"place": "books"}, follow=True)
    assert refused.redirect_chain == [(record, 303)]
    assert banned(fellow, "books")


def test_moderator_who_ends_a_ban_twice_reads_that_it_has_ended(bob: User, gus: User) -> None:
    ban(bob, gus, "books")
    window, record = reader(gus), "/moderation/people/bob"
    for sentence in ("The ban of bob was ended.", "gus has already decided this: ban ended."):
        page = window.post(f"{record}/unban", {"place": "books"}, follow=True)
        assert page.redirect_chain == [(record, 303)]
        assert sentence in page.content.decode()
