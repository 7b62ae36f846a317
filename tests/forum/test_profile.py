"""Profiles: what others see about a person, and what the person can write about themselves."""

from typing import Any

import pytest
from django.conf import settings
from redis import Redis

from forum.actions import posts as post_actions
from forum.ledger import counters
from forum.models import ArchivedVote, Post, User
from forum.store.service import get_voting_service
from tests.forum.factories import make_older, person, post, posts, reader
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ada() -> User:
    return person("ada", about="I count *things*.")


def archive(written: Post, user: User, vote: int) -> None:
    """Write a person's vote on a post to SQL."""
    ArchivedVote.objects.create(
        post_id=written.pk, user_id=user.pk, vote=vote, at=written.created_at
    )


def test_profile_shows_name_bio_totals_and_newest_posts(ada: User) -> None:
    older, newer = post(ada, "The older one"), post(ada, "The newer one")
    page = reader().get("/u/ada/").content.decode()
    assert "<h1>ada</h1>" in page
    assert "I count <em>things</em>." in page
    assert "2 posts" in page
    assert page.index(f'id="post-{newer.pk}"') < page.index(f'id="post-{older.pk}"')


def test_only_own_empty_profile_offers_to_post(ada: User) -> None:
    offer = '<a class="button" href="/submit">'
    assert offer in reader(ada).get("/u/ada/").content.decode()
    assert offer not in reader(person("bob")).get("/u/ada/").content.decode()


def test_a_first_post_is_on_its_authors_profile_before_the_worker_has_counted_it(ada: User) -> None:
    counters.refresh([ada.pk])
    written = post(ada)
    page = reader(ada).get("/u/ada/").content.decode()
    assert f'id="post-{written.pk}"' in page
    assert "You haven't posted anything yet." not in page
    assert reader().get("/u/ada/?p=2").status_code == 404


def test_a_new_post_gives_its_author_no_karma(ada: User) -> None:
    post(ada)
    assert "0 karma" in reader().get("/u/ada/").content.decode()


def test_deleted_posts_are_neither_shown_nor_counted(ada: User) -> None:
    kept, deleted = post(ada), post(ada)
    reader(ada).post(f"/p/{deleted.pk}/delete")
    page = reader().get("/u/ada/").content.decode()
    assert "<span>1 post</span>" in page
    assert f'id="post-{kept.pk}"' in page
    assert f'id="post-{deleted.pk}"' not in page


def test_deleted_posts_leave_no_gap_on_a_page(ada: User) -> None:
    written = posts(ada, settings.PAGE_SIZE + 1)
    post_actions.delete(written[-1])
    html = reader().get("/u/ada/").content.decode()
    assert html.count('<article class="row"') == settings.PAGE_SIZE


def test_readers_see_their_own_votes_there(ada: User) -> None:
    bob, written = person("bob"), post(ada)
    get_voting_service().votes.cast(bob.pk, Target(written.pk), Vote.DOWN)
    assert 'data-vote="down"' in reader(bob).get("/u/ada/").content.decode()


def test_readers_see_their_own_votes_long_after_voting_closed(ada: User, redis: Redis) -> None:
    bob, written = person("bob"), post(ada)
    make_older(redis, written, days=9)
    archive(written, bob, -1)
    assert 'data-vote="down"' in reader(bob).get("/u/ada/").content.decode()


def test_post_missing_from_redis_is_shown_from_sql(ada: User, redis: Redis) -> None:
    first = post(ada)
    redis.flushall()
    get_voting_service().maintenance.generations.open()
    second = post(ada)
    page = reader().get("/u/ada/").content.decode()
    assert page.index(f'id="post-{second.pk}"') < page.index(f'id="post-{first.pk}"')


def test_posts_come_from_sql_with_a_notice_while_redis_is_down(ada: User, redis: Redis) -> None:
    written = post(ada)
    redis.flushall()
    page = reader().get("/u/ada/").content.decode()
    assert f'id="post-{written.pk}"' in page
    assert "Voting and rankings are temporarily unavailable" in page


def test_many_posts_have_pages_and_the_last_says_so(ada: User) -> None:
    posts(ada, settings.PAGE_SIZE + 1)
    first, second = (reader().get(f"/u/ada/?p={n}").content.decode() for n in (1, 2))
    assert first.count("<article") == settings.PAGE_SIZE
    assert second.count("<article") == 1
    assert 'href="/u/ada/?p=2"' in first
    assert "End of list" in second
    assert reader().get("/u/ada/?p=3").status_code == 404


@pytest.mark.parametrize("count", [1, 20])
def test_a_profile_takes_the_same_two_queries_and_one_round_trip_however_many_posts(
    ada: User, redis: Redis, django_assert_num_queries: Any, count: int
) -> None:
    if get_voting_service().store.is_cluster:
        pytest.skip("counted in scripts, of which a cluster runs one for each shard")
    posts(ada, count, slugs="books maths")
    window = reader()
    window.get("/u/ada/")
    before = calls(redis)
    with django_assert_num_queries(2):
        window.get("/u/ada/")
    assert calls(redis) - before == 1


def calls(redis: Redis) -> int:
    """Return how many Lua scripts Redis has run so far."""
    stats: dict[str, Any] = redis.info("commandstats")
    names = ("evalsha", "eval", "evalsha_ro", "eval_ro")
    return sum(stats.get(f"cmdstat_{name}", {}).get("calls", 0) for name in names)


def test_other_spelling_of_the_name_redirects_to_the_profile(ada: User) -> None:
    for tab in ("", "comments", "follows", "fans"):
        assert reader().get(f"/u/ADA/{tab}?p=2")["Location"] == f"/u/ada/{tab}?p=2"
    response = reader().get("/u/ADA/")
    assert response.status_code == 302
    assert response["Location"] == "/u/ada/"


@pytest.mark.parametrize("name", ["nobody", "%00", "a" * 5_000, "%F0%9F%A6%8A"])
def test_unknown_name_is_not_found(name: str) -> None:
    response = reader().get(f"/u/{name}/")
    assert response.status_code == 404
    assert "No user with that name." in response.content.decode()


def test_only_the_person_sees_links_to_account_settings(ada: User) -> None:
    assert "Account and security" in reader(ada).get("/u/ada/").content.decode()
    assert "Account and security" not in reader(person("bob")).get("/u/ada/").content.decode()
    assert "Account and security" not in reader().get("/u/ada/").content.decode()


def test_people_can_write_a_bio(ada: User) -> None:
    response = reader(ada).post("/u/ada/about", {"about": "Now I **sing**. <script>"})
    assert response.status_code == 303
    page = reader().get("/u/ada/").content.decode()
    assert "Now I <strong>sing</strong>. &lt;script&gt;" in page


def test_bio_that_is_too_long_is_given_back(ada: User) -> None:
    response = reader(ada).post("/u/ada/about", {"about": "many words " * 200})
    assert response.status_code == 422
    assert "many words" in response.content.decode()


def test_nobody_can_change_another_persons_bio(ada: User) -> None:
    assert reader(person("bob")).post("/u/ada/about", {"about": "Ha!"}).status_code == 403
    assert reader().post("/u/ada/about", {"about": "Ha!"}).status_code == 302
    ada.refresh_from_db()
    assert ada.about == "I count *things*."
