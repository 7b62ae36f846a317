"""Moderators of groups that an author adds after publishing only take the post out of them."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from forum.actions import posts as post_actions
from forum.actions import rules
from forum.admin.group_merging import services
from forum.errors import Forbidden, Invalid, OtherGroup
from forum.models import (
    Comment,
    Flag,
    Group,
    GroupModerator,
    LogPlace,
    ModAction,
    OutboxItem,
    Post,
    QueuePlace,
    Rule,
    User,
)
from forum.moderation.actions import bulk, corrections, merges, removals, sanctions, undo
from forum.moderation.flags import services as flags
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader
from tests.forum.worker_runs import make_rows_due, run_worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
Kind = ModAction.Kind


@pytest.fixture
def mia() -> User:
    """The moderator of the group "maths"."""
    moderator = person("mia")
    GroupModerator.objects.create(group=groups("maths")[0], user=moderator)
    return moderator


@pytest.fixture
def theirs(mia: User) -> Post:
    """A post by the moderator of "maths", published in "books" and then added to "maths"."""
    made = post(mia, slugs="books")
    move(made, mia, "books maths")
    return made


@pytest.fixture
def moved(ada: User) -> Post:
    """A post by Ada, published in "books" and then added to "maths"."""
    made = post(ada, slugs="books")
    move(made, ada, "books maths")
    return made


def move(made: Post, by: User, slugs: str) -> None:
    """Move a post to these groups, on the page for editing it."""
    fresh = Post.objects.prefetch_related("groups").get(pk=made.pk)
    where = groups(*slugs.split())
    post_actions.edit(fresh, by=by, title=fresh.title, body=fresh.body, groups=where)


def slugs_of(made: Post) -> set[str]:
    return set(Group.objects.filter(posts=made.pk).values_list("slug", flat=True))


def fresh(made: Post) -> Post:
    return Post.objects.get(pk=made.pk)


def finish() -> None:
    """Finish all bulk actions."""
    while OutboxItem.objects.filter(kind=bulk.BulkSync.kind).exists():
        make_rows_due()
        run_worker()


def moderate(user: User, path: str, action: str) -> Any:
    return reader(user).post(f"{path}/moderate", {"action": action, "reason": "Off topic"})


def test_moderator_who_adds_their_group_removes_no_comments_of_others(
    bob: User, mia: User, theirs: Post
) -> None:
    comment = add_comment(bob, theirs)
    with pytest.raises(Forbidden):
        removals.remove(comment, by=mia, reason="I disagree")
    assert moderate(mia, comment.get_absolute_url(), "remove").status_code == 403
    assert "moderate" not in reader(mia).get(comment.get_absolute_url()).content.decode()


def test_moderator_of_an_added_group_only_takes_the_post_out(mia: User, moved: Post) -> None:
    window, path = reader(mia), f"/p/{moved.pk}"
    assert f'href="{path}/moderate"' in window.get(moved.get_absolute_url()).content.decode()
    html = window.get(f"{path}/moderate").content.decode()
    assert 'value="take_out"' in html
    for name in ("remove", "lock", "hold_replies", "dismiss"):
        assert f'value="{name}"' not in html
        assert moderate(mia, path, name).status_code == 422
    for page in ("edit", "merge"):
        assert f"{path}/{page}" not in html
        assert window.get(f"{path}/{page}").status_code == 403
    assert moderate(mia, path, "take_out").status_code == 303
    assert slugs_of(moved) == {"books"}


def test_moderators_of_the_first_group_keep_all_powers(gus: User, ada: User, moved: Post) -> None:
    comment = add_comment(ada, moved)
    removals.remove(comment, by=gus, reason="spam")
    removals.remove(fresh(moved), by=gus, reason="spam")
    assert fresh(moved).deleted_at


def test_groups_chosen_at_publishing_or_added_by_moderators_give_all_powers(
    ada: User, gus: User, mia: User
) -> None:
    both = post(ada, slugs="books maths")
    removals.remove(add_comment(ada, both), by=mia, reason="spam")
    added = post(ada, slugs="books")
    move(added, gus, "books maths")
    removals.remove(add_comment(ada, added), by=mia, reason="spam")
    assert Comment.objects.deleted().count() == 2


def test_author_who_leaves_a_group_and_returns_takes_no_power_away(ada: User, gus: User) -> None:
    made = post(ada, slugs="books")
    move(made, ada, "web")
    move(made, ada, "web books")
    removals.remove(add_comment(ada, made), by=gus, reason="spam")


def test_flags_are_for_the_moderators_who_can_decide(
    bob: User, gus: User, mia: User, moved: Post
) -> None:
    comment = add_comment(bob, moved)
    item = flags.flag(comment, by=mia, kind=Flag.Kind.SPAM, words="", to_admins=False)
    assert not item.flags.get().from_moderator
    places = QueuePlace.objects.filter(item=item).values_list("group__slug", flat=True)
    assert list(places) == ["books"]
    assert reader(mia).get(f"/moderation/items/{item.pk}").status_code in {403, 404}


def test_rules_and_bans_of_an_added_group_stop_no_comments(
    bob: User, root: User, mia: User, moved: Post
) -> None:
    maths = groups("maths")[0]
    rule = Rule(name="All", group=maths, words="so", effect=Rule.Effect.REFUSE, enabled=True)
    rule.save()
    rules.enabled.forget()
    sanctions.ban(bob, maths, by=mia, reason="I disagree", until=None)
    answer = reader(bob).post(f"/p/{moved.pk}/comment", {"body": "So it is."})
    assert answer.status_code == 303
    assert Comment.objects.visible().count() == 1


def test_removing_everything_in_an_added_group_leaves_comments_there(
    bob: User, mia: User, moved: Post
) -> None:
    add_comment(bob, moved)
    mine = post(bob, slugs="maths")
    add_comment(bob, mine)
    maths, now = groups("maths")[0], timezone.now()
    since = now - timedelta(hours=1)
    bulk.remove_everything(bob, group=maths, since=since, until=now, by=mia, reason="spam")
    finish()
    assert list(Comment.objects.visible().values_list("post", flat=True)) == [moved.pk]


def test_author_can_not_put_a_post_back(ada: User, mia: User, moved: Post) -> None:
    corrections.take_out(fresh(moved), by=mia, reason="Off topic")
    with pytest.raises(OtherGroup):
        move(moved, ada, "books maths")
    form = {"title": moved.title, "body": moved.body, "groups": ["books", "maths"]}
    refused = reader(ada).post(f"/p/{moved.pk}/edit", form)
    assert refused.status_code == 403
    assert "Moderators took this post out of Maths." in refused.content.decode()
    assert 'value="maths" checked' in refused.content.decode(), "the form is kept"
    move(moved, ada, "books web")
    assert slugs_of(moved) == {"books", "web"}


def test_author_can_not_put_a_post_back_that_was_moved_or_removed_in_bulk(
    ada: User, gus: User, mia: User
) -> None:
    made = post(ada, slugs="books maths")
    now = timezone.now()
    maths, since = groups("maths")[0], now - timedelta(hours=1)
    bulk.remove_everything(ada, group=maths, since=since, until=now, by=mia, reason="spam")
    finish()
    assert slugs_of(made) == {"books"}
    with pytest.raises(OtherGroup):
        move(made, ada, "books maths")
    move(made, gus, "web")
    with pytest.raises(OtherGroup):
        move(made, ada, "web books")


def test_undoing_lets_the_author_choose_again_and_gives_no_new_powers(
    ada: User, bob: User, mia: User, moved: Post
) -> None:
    action = corrections.take_out(fresh(moved), by=mia, reason="Off topic")
    assert action
    undo.undo(action, by=mia)
    assert slugs_of(moved) == {"books", "maths"}
    with pytest.raises(Forbidden):
        removals.remove(add_comment(bob, moved), by=mia, reason="spam")
    move(moved, ada, "books")
    move(moved, ada, "books maths")


def test_undoing_a_bulk_removal_gives_no_new_powers(ada: User, mia: User, moved: Post) -> None:
    maths, now = groups("maths")[0], timezone.now()
    since = now - timedelta(hours=1)
    action = bulk.remove_everything(ada, group=maths, since=since, until=now, by=mia, reason="spam")
    finish()
    assert slugs_of(moved) == {"books"}
    undo.undo(action, by=mia)
    finish()
    assert slugs_of(moved) == {"books", "maths"}
    with pytest.raises(Forbidden):
        removals.remove(fresh(moved), by=mia, reason="spam")


def test_post_that_moved_entirely_returns_to_its_first_group(
    ada: User, mia: User, gus: User
) -> None:
    made = post(ada, slugs="books")
    move(made, ada, "maths")
    corrections.take_out(fresh(made), by=mia, reason="Off topic")
    assert slugs_of(made) == {"books"}
    removals.remove(fresh(made), by=gus, reason="spam")


def test_last_group_can_only_be_left_to_the_sites_moderators(
    mia: User, gus: User, moved: Post
) -> None:
    corrections.take_out(fresh(moved), by=gus, reason="Off topic")
    with pytest.raises(Invalid, match="Flag it"):
        corrections.take_out(fresh(moved), by=mia, reason="Off topic")
    removals.remove(fresh(moved), by=person("stella", is_staff=True), reason="Off topic")


def test_actions_are_in_the_logs_of_all_groups_of_the_post(
    ada: User, gus: User, mia: User, moved: Post
) -> None:
    comment = add_comment(ada, moved)
    removal = removals.remove(comment, by=gus, reason="spam")
    taken = corrections.take_out(fresh(moved), by=mia, reason="Off topic")
    other = post(ada, "Another", slugs="web books")
    books = groups("books")[0]
    GroupModerator.objects.create(group=groups("web")[0], user=gus)
    merge = merges.merge(other, fresh(moved), by=gus, reason="same")
    now = timezone.now()
    add_comment(ada, post(ada, slugs="books web"))
    since = now - timedelta(hours=1)
    everything = bulk.remove_everything(
        ada, group=books, since=since, until=timezone.now(), by=gus, reason="spam"
    )
    finish()
    for action, expected in (
        (removal, {"books", "maths"}),
        (taken, {"books", "maths"}),
        (merge, {"books", "web"}),
        (everything, {"books", "web"}),
    ):
        assert action
        places = LogPlace.objects.filter(action=action).values_list("group__slug", flat=True)
        assert set(places) == expected, action


def test_merging_groups_keeps_what_was_remembered(
    ada: User, bob: User, mia: User, root: User, moved: Post
) -> None:
    web = groups("web")[0]
    GroupModerator.objects.create(group=web, user=mia)
    out = post(ada, slugs="books maths")
    corrections.take_out(out, by=mia, reason="Off topic")
    maths = groups("maths")[0]
    services.merge(source=maths, target=web, by=root)
    run_worker()
    assert not Group.objects.filter(pk=maths.pk).exists()
    assert slugs_of(moved) == {"books", "web"}
    with pytest.raises(Forbidden):
        removals.remove(add_comment(bob, moved), by=mia, reason="spam")
    with pytest.raises(OtherGroup):
        move(out, ada, "books web")
