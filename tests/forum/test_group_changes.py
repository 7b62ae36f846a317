"""Admins rename groups, close groups to new posts, and merge one group into another."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from forum.actions import following
from forum.actions import posts as post_actions
from forum.admin.group_merging import services, syncs
from forum.admin.group_merging.services import CannotMerge, SlugTaken
from forum.ledger.archiver import archive_rest
from forum.models import BoardPoints, Group, GroupAlias, OutboxItem, Post, User
from forum.operations.repair.check import differences
from forum.queries.groups import directory
from forum.store import outbox, post_sync
from forum.store.service import get_voting_service
from tests.forum.factories import groups, person, post, posts, reader
from tests.forum.outages import redis_down
from tests.forum.worker_runs import run_worker
from voting.types import Order, Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


@pytest.fixture
def prose() -> Group:
    return groups("prose")[0]


def change(admin: Client, group: Group, **changed: str) -> Any:
    sent = {"slug": group.slug, "title": group.title, "description": group.description}
    return admin.post(f"/admin/forum/group/{group.pk}/change/", sent | changed)


def merge(admin: Client, source: Group, target: Group, **more: str) -> str:
    sent = {"target": str(target.pk), "sure": "on"} | more
    path = f"/admin/forum/group/{source.pk}/merge/"
    return str(admin.post(path, sent, follow=True).content.decode())


def listed(slug: str) -> list[int]:
    return [row.id for row in get_voting_service().listings.page(Order.NEW, 1, group=slug).rows]


def submitted(author: User, *slugs: str) -> Any:
    sent = {"kind": "text", "title": "A new post", "body": "Words.", "groups": slugs}
    return reader(author).post("/submit", sent)


def vote(voter: User, on: Post) -> None:
    get_voting_service().votes.cast(voter.pk, Target(on.pk), Vote.UP)
    archive_rest(get_voting_service().maintenance.generations.current())


def test_old_address_of_a_renamed_group_redirects_to_the_new_one(
    admin: Client, ada: User, books: Group
) -> None:
    one, other = post(ada, slugs="books"), post(ada, slugs="books maths")
    assert change(admin, books, slug="reading", title="Reading").status_code == 302
    assert listed("reading") == [other.pk, one.pk]
    assert listed("books") == []
    assert listed("maths") == [other.pk]
    html = reader().get("/g/reading/").content.decode()
    assert "<h1>Reading</h1>" in html
    assert 'href="/g/reading/"' in html
    for old, new in (
        ("/g/books/", "/g/reading/"),
        ("/g/books/new?p=1", "/g/reading/new?p=1"),
        ("/g/books+maths/", "/g/maths+reading/"),
        ("/g/BOOKS/", "/g/reading/"),
    ):
        assert reader().get(old, follow=True).redirect_chain[-1][0] == new
    assert reader().get("/leaders?group=books").status_code == 200
    assert not OutboxItem.waiting_posts().exists()
    assert list(differences()) == []


def test_follows_and_hides_of_a_group_survive_its_renaming(
    admin: Client, ada: User, bob: User, books: Group
) -> None:
    following.set_follow(ada, books, on=True)
    following.hide_group(bob, books, on=True)
    change(admin, books, slug="reading")
    run_worker()
    assert get_voting_service().follows.chosen_groups(ada.pk).followed == {"reading"}
    assert get_voting_service().follows.chosen_groups(bob.pk).hidden == {"reading"}
    reader(ada).post("/g/books/follow", {"on": "0"})
    assert get_voting_service().follows.chosen_groups(ada.pk).followed == set()


def test_a_renamed_group_keeps_its_leaderboards(
    admin: Client, ada: User, bob: User, books: Group, one_day: None
) -> None:
    vote(bob, post(ada, "The best of books", slugs="books"))
    change(admin, books, slug="reading")
    run_worker()
    assert "The best of books" in reader().get("/leaders?group=reading").content.decode()
    assert not BoardPoints.objects.filter(group="books").exists()
    assert list(differences()) == []


def test_points_counted_for_the_old_name_are_moved(
    ada: User, bob: User, books: Group, one_day: None
) -> None:
    written = post(ada, slugs="books")
    vote(bob, written)
    services.rename(books, "reading")
    line = BoardPoints.objects.filter(group="reading", kind="post")
    spot = {"day": line.get().day, "kind": "post", "subject_id": written.pk}
    BoardPoints.objects.create(group="books", points=2, **spot)
    run_worker()
    assert line.get().points == 3
    assert not BoardPoints.objects.filter(group="books").exists()


def test_group_can_get_its_old_name_back(admin: Client, ada: User, books: Group) -> None:
    following.set_follow(ada, books, on=True)
    written = post(ada, slugs="books")
    for slug in ("reading", "books"):
        change(admin, books, slug=slug)
        books.refresh_from_db()
    run_worker()
    assert listed("books") == [written.pk]
    assert get_voting_service().follows.chosen_groups(ada.pk).followed == {"books"}
    assert reader().get("/g/books/").status_code == 200
    assert reader().get("/g/reading/", follow=True).redirect_chain == [("/g/books/", 302)]


def test_a_large_group_is_renamed_at_once_and_filled_by_the_worker(
    ada: User, books: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [one.pk for one in posts(ada, 12, slugs="books")]
    monkeypatch.setattr(services, "AT_ONCE", 3)
    monkeypatch.setattr(syncs, "PIECE", 5)
    monkeypatch.setattr(outbox, "GRACE", outbox.GRACE * 0)
    services.rename(books, "reading")
    assert len(listed("reading")) == 3
    assert OutboxItem.waiting_posts().count() == 2
    run_worker()
    assert outbox.repeat() == 9
    assert listed("reading") == made[::-1]
    assert listed("books") == []
    assert list(differences()) == []


def test_group_renamed_while_redis_is_down_is_synced_later(
    admin: Client, ada: User, books: Group, settings: Any
) -> None:
    written = post(ada, slugs="books")
    with redis_down(settings):
        change(admin, books, slug="reading")
    post_sync.deliver([written.pk])
    assert listed("reading") == [written.pk]
    assert listed("books") == []


def test_name_of_another_group_is_refused(admin: Client, books: Group, prose: Group) -> None:
    answer = change(admin, books, slug="prose")
    assert "Group with this Short name already exists." in answer.content.decode()
    with pytest.raises(SlugTaken):
        services.rename(books, "prose")
    assert Group.objects.get(pk=books.pk).slug == "books"


def test_new_group_may_have_the_old_name_of_another(admin: Client, ada: User, books: Group) -> None:
    change(admin, books, slug="reading")
    (new,) = groups("books")
    written = post(ada, slugs="books")
    html = reader().get("/g/books/").content.decode()
    assert written.title in html
    change(admin, new, slug="volumes")
    assert reader().get("/g/books/", follow=True).redirect_chain == [("/g/volumes/", 302)]


def test_post_to_an_old_name_is_in_the_renamed_group(
    admin: Client, ada: User, books: Group
) -> None:
    change(admin, books, slug="reading")
    assert submitted(ada, "books").status_code == 303
    assert [group.slug for group in Post.objects.get().groups.all()] == ["reading"]


def test_a_closed_group_takes_no_new_posts_and_stays_readable(
    admin: Client, ada: User, books: Group
) -> None:
    written = post(ada, slugs="books")
    groups("maths")
    change(admin, books, closed="on")
    html = reader().get("/g/books/").content.decode()
    assert "This group is closed to new posts." in html
    assert written.title in html
    assert 'href="/submit"' in html
    assert 'value="books"' not in reader(ada).get("/submit").content.decode()
    refused = submitted(ada, "books")
    assert refused.status_code == 422
    assert "Books is closed to new posts. Choose another group." in refused.content.decode()
    assert "Words." in refused.content.decode()
    assert Post.objects.count() == 1
    change(admin, books)
    assert submitted(ada, "books").status_code == 303


def test_a_post_in_a_closed_group_can_be_edited_and_others_are_not_moved_there(
    admin: Client, ada: User, books: Group
) -> None:
    inside, outside = post(ada, slugs="books"), post(ada, slugs="maths")
    change(admin, books, closed="on")
    sent = {"title": "A better title", "body": "Words.", "groups": ["books"]}
    for one, status in ((inside, 303), (outside, 422)):
        assert reader(ada).post(f"/p/{one.pk}/edit", sent).status_code == status


def test_a_merged_groups_posts_votes_and_people_are_in_the_other(
    admin: Client, ada: User, bob: User, books: Group, prose: Group, one_day: None
) -> None:
    best = post(ada, "The best of prose", slugs="prose")
    both = post(ada, slugs="prose books")
    deleted = post(ada, slugs="prose maths")
    vote(bob, best)
    post_actions.delete(deleted)
    following.set_follow(ada, prose, on=True)
    following.hide_group(bob, prose, on=True)
    assert "Prose is being merged into Books." in merge(admin, prose, books)
    assert reader().get("/g/prose/new", follow=True).redirect_chain == [("/g/books/new", 302)]
    run_worker()
    assert listed("books") == [both.pk, best.pk]
    assert listed("prose") == []
    assert {group.slug for group in deleted.groups.all()} == {"books", "maths"}
    assert get_voting_service().follows.chosen_groups(ada.pk).followed == {"books"}
    assert get_voting_service().follows.chosen_groups(bob.pk).hidden == {"books"}
    assert "The best of prose" in reader().get("/leaders?group=books").content.decode()
    assert not Group.objects.filter(slug="prose").exists()
    directory.forget()
    assert reader().get("/g/prose/", follow=True).redirect_chain == [("/g/books/", 302)]
    assert list(differences()) == []


def test_merge_keeps_choices_about_the_target_group(
    admin: Client, ada: User, books: Group, prose: Group
) -> None:
    following.hide_group(ada, books, on=True)
    following.set_follow(ada, prose, on=True)
    merge(admin, prose, books)
    run_worker()
    chosen = get_voting_service().follows.chosen_groups(ada.pk)
    assert chosen.followed == set()
    assert chosen.hidden == {"books"}


def test_merge_runs_in_batches_that_can_be_repeated(
    stella: User, ada: User, books: Group, prose: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syncs, "SOME", 2)
    made = [one.pk for one in posts(ada, 5, slugs="prose")]
    services.merge(source=prose, target=books, by=stella)
    syncs.MergeSync.deliver([syncs.MergeSync(prose.pk)])
    assert listed("books") == made[1::-1]
    assert listed("prose") == made[:1:-1]
    assert submitted(ada, "prose").status_code == 303, "it goes to the other group"
    run_worker()
    syncs.MergeSync.deliver([syncs.MergeSync(prose.pk)])
    assert listed("books")[1:] == made[::-1]
    assert list(differences()) == []


def test_all_old_names_of_a_merged_group_redirect_to_the_target(
    admin: Client, stella: User, books: Group, prose: Group
) -> None:
    (verse,) = groups("verse")
    change(admin, prose, slug="novels")
    merge(admin, Group.objects.get(pk=prose.pk), books)
    services.merge(source=books, target=verse, by=stella)
    assert reader().get("/g/novels/", follow=True).redirect_chain == [("/g/verse/", 302)]
    run_worker()
    directory.forget()
    for old in ("prose", "novels", "books"):
        assert reader().get(f"/g/{old}/", follow=True).redirect_chain == [("/g/verse/", 302)]
    assert set(GroupAlias.objects.values_list("slug", flat=True)) == {"prose", "novels", "books"}


def test_a_group_is_not_merged_into_itself_nor_twice_nor_by_accident(
    admin: Client, stella: User, books: Group, prose: Group
) -> None:
    merge(admin, prose, books, sure="")
    assert "Select a valid choice" in merge(admin, prose, prose)
    assert not Group.objects.exclude(merged_into=None).exists()
    services.merge(source=prose, target=books, by=stella)
    for source, target in ((prose, books), (books, prose), (books, books)):
        with pytest.raises(CannotMerge):
            services.merge(source=source, target=target, by=stella)
    assert "One of these groups is already being merged." in merge(admin, prose, books)


def test_a_merge_is_in_the_staff_log(admin: Client, books: Group, prose: Group) -> None:
    merge(admin, prose, books)
    messages = [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")]
    assert messages == ["Merged into Books.", "Merged Prose into this group."]


def test_only_staff_who_may_change_groups_merge_them(ada: User, books: Group, prose: Group) -> None:
    sam = reader(person("sam", is_staff=True))
    assert sam.get(f"/admin/forum/group/{prose.pk}/merge/").status_code == 403
    assert reader(ada).get(f"/admin/forum/group/{prose.pk}/merge/").status_code == 302
    assert not Group.objects.exclude(merged_into=None).exists()


def test_page_of_a_group_in_the_admin_links_to_merging(
    admin: Client, books: Group, prose: Group
) -> None:
    path = f"/admin/forum/group/{prose.pk}/merge/"
    html = admin.get(f"/admin/forum/group/{prose.pk}/change/").content.decode()
    assert f'href="{path}"' in html
    assert "This can&#x27;t be undone." in admin.get(path).content.decode()
    assert admin.get("/admin/forum/group/99999/merge/").status_code == 404
