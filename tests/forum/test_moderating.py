"""Moderators in the admin: their role, restoring comments, links, and the staff log."""

import re
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.test import Client

from forum.errors import AlreadyDecided
from forum.models import Comment, ModAction, Post, User
from forum.moderation.actions import removals, undo
from forum.operations.repair.check import differences
from forum.store import post_sync
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment, comment_ids, page, vote
from tests.forum.factories import person, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html
from tests.forum.worker_runs import run_worker
from voting.types import Order, Vote

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def milan() -> Client:
    """The browser of Milan, whose only role is the "moderator" role that a new site has."""
    Group.objects.filter(name="Moderators").delete()
    migration = import_module("forum.migrations.0002_moderators")
    with connection.schema_editor() as editor:
        migration.add_role(apps, editor)
        migration.add_role(apps, editor)
    milan = person("milan", is_staff=True)
    milan.groups.add(Group.objects.get(name="Moderators"))
    return reader(milan)


def act(window: Client, path: str, action: str, *chosen: Any, **more: str) -> str:
    sent = {"action": action, "_selected_action": [one.pk for one in chosen], **more}
    return str(window.post(f"/admin/forum/{path}/", sent, follow=True).content.decode())


def column(html: str, name: str) -> list[str]:
    """Return the texts in one column of an admin list."""
    cells = re.findall(rf'<td class="field-{name}[^"]*">(.*?)</td>', html)
    return [re.sub("<[^>]+>", "", cell) for cell in cells]


def test_a_moderator_removes_and_restores_posts_and_comments_of_others(
    milan: Client, knots: Post, rude: Comment
) -> None:
    sure = {"sure": "1", "reason": "Unkind"}
    assert "1 comment removed." in act(milan, "comment", "remove_chosen", rude, **sure)
    assert "1 comment restored." in act(milan, "comment", "restore_chosen", rude)
    assert "1 post removed." in act(milan, "post", "remove_chosen", knots, **sure)
    assert "1 post restored." in act(milan, "post", "restore_chosen", knots)
    assert "Message sent to 1 person." in act(milan, "user", "send_message", rude.author, text="Hi")


def test_moderator_sees_groups_and_the_staff_log_but_gives_no_permissions(
    milan: Client, knots: Post
) -> None:
    for path in ("forum/group/", "admin/logentry/", "forum/user/"):
        get_html(f"/admin/{path}", milan)
    group = knots.groups.get()
    for path in ("forum/group/add/", "auth/group/", "forum/archivedvote/", "mfa/authenticator/"):
        assert milan.get(f"/admin/{path}").status_code == 403, path
    assert milan.post(f"/admin/forum/group/{group.pk}/change/", {}).status_code == 403


def test_role_changed_by_owners_is_not_overwritten(milan: Client) -> None:
    role = Group.objects.get(name="Moderators")
    role.permissions.remove(Permission.objects.get(codename="change_user"))
    with connection.schema_editor() as editor:
        import_module("forum.migrations.0002_moderators").add_role(apps, editor)
    assert not role.permissions.filter(codename="change_user").exists()


@pytest.mark.parametrize("sent", [{}, {"sure": "1", "reason": " "}], ids=["first", "no reason"])
def test_removing_posts_asks_for_a_reason_first(
    root: User, knots: Post, sent: dict[str, str]
) -> None:
    html = act(reader(root), "post", "remove_chosen", knots, **sent)
    assert "Remove 1 post?" in html
    assert "Knots" in html
    assert "You can restore the posts later" in html
    knots.refresh_from_db()
    assert knots.deleted_at is None


def test_a_restored_comment_is_back_with_its_votes_and_replies_and_is_counted(
    root: User, ada: User, bob: User, knots: Post, rude: Comment
) -> None:
    answer = add_comment(ada, knots, "Calm down.", to=rude)
    vote(ada, rude, Vote.DOWN)
    removals.remove(rude, by=root, reason="Unkind")
    assert "Rude words." not in page(knots)
    act(reader(root), "comment", "restore_chosen", rude)
    html = page(knots)
    assert "Rude words." in html
    assert comment_ids(html) == [rude.pk, answer.pk]
    assert "2 comments" in html
    run_worker()
    counts = get_voting_service().people.counts(bob.pk)
    assert counts is not None
    assert counts.comments == 1
    row, _ = get_voting_service().posts.get(knots.pk)
    assert row.comments == 2
    assert get_voting_service().listings.page(Order.ACTIVE, 1).rows[0].id == knots.pk
    assert list(differences()) == []


def test_restoring_a_comment_twice_counts_it_once(root: User, knots: Post, rude: Comment) -> None:
    removals.remove(rude, by=root, reason="Unkind")
    undo.bring_back(rude, by=root)
    with pytest.raises(AlreadyDecided):
        undo.bring_back(Comment.objects.get(pk=rude.pk), by=root)
    knots.refresh_from_db()
    assert knots.comment_count == 1
    assert knots.commented_at == rude.created_at
    (action,) = ModAction.objects.all()
    assert (action.comment, action.undone_by) == (rude, root)


def test_a_comment_restored_while_redis_is_down_can_be_voted_on_when_it_is_back(
    root: User, ada: User, rude: Comment, settings: Any
) -> None:
    removals.remove(rude, by=root, reason="Unkind")
    with redis_down(settings):
        undo.bring_back(rude, by=root)
    post_sync.deliver([rude.post_id])
    assert vote(ada, rude, Vote.UP).up == 2


def test_admin_links_people_their_posts_and_the_site(
    root: User, bob: User, knots: Post, rude: Comment
) -> None:
    window = reader(root)
    mine = get_html(f"/admin/forum/user/{bob.pk}/change/", window)
    for kind in ("post", "comment"):
        where = f"/admin/forum/{kind}/?author__id__exact={bob.pk}"
        assert f'href="{where}"' in mine
        assert f'href="{where}"' in get_html("/admin/forum/user/", window)
        assert ("Rude words." in get_html(where, window)) == (kind == "comment")
    about_post = get_html(f"/admin/forum/post/{knots.pk}/change/", window)
    comments = f"/admin/forum/comment/?post__id__exact={knots.pk}"
    assert f'href="{comments}"' in about_post
    assert "Rude words." in get_html(comments, window)
    about_comment = get_html(f"/admin/forum/comment/{rude.pk}/change/", window)
    for html, thing, others in (
        (mine, bob, ()),
        (about_post, knots, (knots.author,)),
        (about_comment, rude, (bob, knots)),
    ):
        shown = re.search(r'href="(/admin/r/[^"]+)" class="viewsitelink"', html)
        assert shown
        assert window.get(shown[1])["Location"].endswith(thing.get_absolute_url())
        for other in others:
            link = f"/admin/forum/{other._meta.model_name}/{other.pk}/change/"
            assert f'href="{link}"' in html


def test_only_staff_see_links_to_the_admin_and_to_moderating(
    root: User, ada: User, bob: User, rude: Comment
) -> None:
    moderating = f"{rude.get_absolute_url()}/moderate"
    for path, link in (
        ("/u/bob/", f"/admin/forum/user/{bob.pk}/change/"),
        (rude.get_absolute_url(), moderating),
    ):
        assert f'href="{link}"' in get_html(path, reader(root))
        assert f'href="{link}"' not in get_html(path, reader(ada))
    admin = f'href="/admin/forum/comment/{rude.pk}/change/"'
    assert admin in get_html(moderating, reader(root))
    assert admin not in get_html(moderating, reader(person("stan", is_staff=True))), "no permission"


def test_staff_log_shows_who_did_what_and_can_be_searched(
    root: User, bob: User, knots: Post, rude: Comment
) -> None:
    window = reader(root)
    removals.remove(rude, by=root, reason="Unkind")
    act(window, "user", "send_message", bob, text="Be kind.")
    window.post("/admin/forum/group/add/", {"slug": "ropes", "title": "Ropes"})
    window.post(f"/admin/forum/post/{knots.pk}/pin/", {"place": "site", "days": ""})
    html = get_html("/admin/admin/logentry/", window)
    assert column(html, "details") == [
        "Pinned to the front page.",
        "Added.",
        "Sent a message.",
    ], "moderation has a log of its own"
    assert f'href="/admin/forum/post/{knots.pk}/change/"' in html
    assert f'href="/admin/forum/user/{root.pk}/change/"' in html
    added = get_html("/admin/admin/logentry/?q=ropes&action_flag=1", window)
    assert column(added, "thing") == ["ropes"]
    assert 'href="/admin/admin/logentry/"' in get_html("/admin/", window)
    for path in ("add/", f"{LogEntry.objects.latest('pk').pk}/delete/"):
        assert window.get(f"/admin/admin/logentry/{path}").status_code == 403
