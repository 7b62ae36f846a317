"""Authors restore what they deleted within an hour. Later, only admins can."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.actions import own_deletions
from forum.actions import posts as post_actions
from forum.actions.own_deletions import RESTORABLE
from forum.actions.visibility import Content
from forum.errors import Forbidden, Gone
from forum.models import Comment, User
from forum.moderation.actions import removals, sanctions, undo
from forum.operations.repair.check import differences
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.factories import person, post, reader
from tests.forum.pages import get_html
from tests.forum.past_posts import archive_all
from voting.types import Order, Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=["post", "comment"])
def text(request: Any, ada: User, bob: User) -> Content:
    """A post by Ada, or a comment by Ada on a post by Bob."""
    return post(ada) if request.param == "post" else add_comment(ada, post(bob))


def delete(text: Content) -> None:
    if isinstance(text, Comment):
        comment_actions.delete(text, text.author)
    else:
        post_actions.delete(text, by=text.author)


def path(text: Content) -> str:
    return text.get_absolute_url() if isinstance(text, Comment) else f"/p/{text.pk}"


def is_visible(text: Content) -> bool:
    return type(text).objects.get(pk=text.pk).deleted_at is None


def wait_an_hour(text: Content) -> None:
    earlier = timezone.now() - RESTORABLE - timedelta(seconds=1)
    type(text).objects.update(deleted_at=earlier)
    text.refresh_from_db()


def test_author_undoes_a_deletion(ada: User, text: Content) -> None:
    window = reader(ada)
    html = window.post(f"{path(text)}/delete", follow=True).content.decode()
    assert f'formaction="{path(text)}/restore">Undo' in html
    assert not is_visible(text)
    html = window.post(f"{path(text)}/restore", follow=True).content.decode()
    assert "Everybody can read it again." in html
    assert is_visible(text)
    assert reader().get(text.get_absolute_url()).status_code == 200


def test_page_of_a_deleted_text_leads_its_author_to_the_button(
    ada: User, bob: User, text: Content
) -> None:
    delete(text)
    window, where = reader(ada), f"{path(text)}/restore"
    gone = window.get(f"{path(text)}/delete", follow=True)
    assert gone.status_code == 410
    assert f'href="{where}">Restore</a>' in gone.content.decode()
    assert text.body in get_html(where, window)
    assert window.post(where).status_code == 303
    assert is_visible(text)
    delete(text)
    assert where not in reader(bob).get(text.get_absolute_url()).content.decode()


def test_votes_come_back(bob: User, ada: User) -> None:
    made = post(ada)
    get_voting_service().votes.cast(bob.pk, Target(made.pk), Vote.UP)
    archive_all()
    delete(made)
    own_deletions.restore(made, by=ada)
    (row,) = get_voting_service().listings.page(Order.NEW, 1, viewer=bob.pk).rows
    assert (row.id, row.up, row.vote) == (made.pk, 2, Vote.UP)
    archive_all()
    assert list(differences()) == []


def test_after_an_hour_only_an_admin_restores(ada: User, root: User, text: Content) -> None:
    delete(text)
    wait_an_hour(text)
    refused = reader(ada).post(f"{path(text)}/restore")
    assert refused.status_code == 403
    assert "Only admins can restore it." in refused.content.decode()
    assert ">Restore</a>" not in reader(ada).get(f"{path(text)}/edit").content.decode()
    removals.restore(text, by=root, reason="By request")
    assert is_visible(text)


def test_moderators_restore_nothing_that_its_author_deleted(
    gus: User, stella: User, text: Content
) -> None:
    delete(text)
    for user in (gus, stella):
        with pytest.raises(Forbidden):
            removals.restore(text, by=user, reason="Interesting")
        where = f"{path(text)}/moderate"
        html = get_html(where, reader(user))
        assert "Only admins can restore it." in html
        assert 'name="action"' not in html
        form = {"action": "restore", "reason": "Interesting"}
        assert reader(user).post(where, form).status_code == 422
    assert not is_visible(text)


def test_site_moderator_restores_nothing_of_the_kind_in_the_admin(ada: User, stella: User) -> None:
    made = post(ada)
    delete(made)
    stella.user_permissions.add(*Permission.objects.filter(codename__endswith="_post"))
    form = {"action": "restore_chosen", "_selected_action": [made.pk]}
    html = reader(stella).post("/admin/forum/post/", form, follow=True).content.decode()
    assert "This action failed for: A title." in html
    assert not is_visible(made)


def test_others_and_banned_people_restore_nothing(
    ada: User, bob: User, root: User, text: Content
) -> None:
    delete(text)
    for user in (person("cleo"), person("stella", is_staff=True)):
        assert reader(user).post(f"{path(text)}/restore").status_code == 403
    sanctions.ban(ada, None, by=root, reason="spam", until=None)
    assert reader(ada).post(f"{path(text)}/restore").status_code == 403
    assert not is_visible(text)


def test_author_restores_nothing_that_moderators_removed(ada: User, root: User) -> None:
    made = post(ada)
    action = removals.remove(made, by=root, reason="spam")
    with pytest.raises(Gone):
        own_deletions.restore(made, by=ada)
    undo.undo(action, by=root)
    own_deletions.restore(made, by=ada)
    assert is_visible(made)


def test_author_reads_what_they_deleted_while_it_is_stored(
    ada: User, bob: User, text: Content
) -> None:
    delete(text)
    wait_an_hour(text)
    where = f"{path(text)}/restore"
    gone = reader(ada).get(f"{path(text)}/edit").content.decode()
    assert f'href="{where}">Read what you deleted</a>' in gone
    html = get_html(where, reader(ada))
    assert text.body in html
    assert "It is stored until" in html
    assert "<button" not in html[html.index("<main") : html.index("</main")]
    assert reader(bob).get(where).status_code == 403
    assert where not in reader(bob).get(f"{path(text)}/edit").content.decode()
