"""The demo content is complete, lively and always the same, and never loaded into a real site."""

from collections import Counter
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command
from django.core.management.base import CommandError

from forum.identity import roles
from forum.models import ArchivedVote, Comment, Group, OutboxItem, Post, User, Withheld
from forum.models.published_passwords import DEMO_LOGINS
from forum.operations.demo import content
from forum.operations.demo.loading import is_unused, load_demo, refusal
from forum.operations.repair.check import differences
from forum.store.service import get_voting_service
from forum.text import links
from tests.forum.demo_copies import LoadedDemo
from tests.forum.factories import person, reader
from tests.forum.outages import redis_down
from tests.tables import empty_tables
from voting.errors import StoreUnavailable
from voting.types import Order

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLE, GROUPS, ENTRIES = content.people(), content.groups(), content.entries()


def first_ids(order: Order) -> list[int]:
    return [row.id for row in get_voting_service().listings.page(order, 1).rows]


def test_a_new_site_has_31_people_a_dozen_groups_and_a_hundred_posts(demo: LoadedDemo) -> None:
    assert demo.posts == len(ENTRIES)
    assert User.objects.count() == len(PEOPLE) == 31
    assert Group.objects.count() == len(GROUPS) == 12
    assert 95 <= Post.objects.count() <= 115


@pytest.mark.usefixtures("demo")
def test_every_page_of_a_new_site_has_something_on_it() -> None:
    sizes = get_voting_service().groups.sizes([group.slug for group in GROUPS])
    assert min(sizes.values()) >= 5, sizes
    assert get_voting_service().listings.page(Order.HOT, 1).pages >= 3
    assert first_ids(Order.TOP_DAY)[:5] != first_ids(Order.TOP_WEEK)[:5]
    assert first_ids(Order.HOT)[:5] != first_ids(Order.NEW)[:5]


@pytest.mark.usefixtures("demo")
def test_redis_and_sql_agree_about_the_demo_and_nothing_waits() -> None:
    assert list(differences()) == []
    assert not OutboxItem.waiting_posts().exists()


@pytest.mark.usefixtures("demo")
def test_points_are_votes_of_people_who_had_signed_up_by_then() -> None:
    now = get_voting_service().now()
    joined = dict(User.objects.values_list("pk", "date_joined"))
    votes = list(ArchivedVote.objects.counted())
    on_posts = sum(post.up + post.down for post in Post.objects.all())
    published = Comment.objects.exclude(withheld=Withheld.HELD)
    on_comments = sum(comment.up + comment.down for comment in published)
    assert len(votes) == on_posts + on_comments
    assert all(joined[vote.user_id] <= vote.at for vote in votes)
    assert max(vote.at.timestamp() for vote in votes) <= now


@pytest.mark.usefixtures("demo")
@pytest.mark.long
def test_the_same_people_vote_and_talk_on_every_machine(redis: Any) -> None:
    def votes() -> set[tuple[str, str, str, int]]:
        names = dict(User.objects.values_list("pk", "username"))
        titles = dict(Post.objects.values_list("pk", "title"))
        bodies = {0: ""} | dict(Comment.objects.values_list("pk", "body"))
        cast = ArchivedVote.objects.values_list("post_id", "comment_id", "user_id", "vote")
        return {(titles[post], bodies[it], names[user], vote) for post, it, user, vote in cast}

    def standing() -> dict[str, tuple[int, int]]:
        found = User.objects.values_list("username", "karma", "likes_given")
        return {name: (karma, likes) for name, karma, likes in found}

    once = votes(), standing()
    empty_tables()
    redis.flushall()
    get_voting_service().maintenance.generations.open()
    load_demo()
    assert (votes(), standing()) == once


@pytest.mark.usefixtures("demo")
def test_six_log_ins_work_and_have_the_roles_that_are_printed() -> None:
    for login in DEMO_LOGINS:
        user = authenticate(username=login.username, password=login.password)
        assert isinstance(user, User), login
        powers = roles.powers_of(user)
        assert powers.is_admin == user.is_superuser == login.runs_the_site
        assert powers.is_site_moderator == (login.runs_the_site or login.moderates_the_site)
        moderated = user.moderates.values_list("group__slug", flat=True)
        assert list(moderated) == ([login.moderates] if login.moderates else [])
    usable = [user for user in User.objects.all() if user.has_usable_password()]
    assert len(usable) == len(DEMO_LOGINS) == 6


@pytest.mark.usefixtures("demo")
def test_a_site_in_use_gets_no_demo() -> None:
    call_command("load_demo")
    assert Post.objects.count() == len(ENTRIES)


def test_person_with_a_name_of_the_demo_keeps_it(capsys: Any) -> None:
    person("Ada")
    assert not is_unused()
    call_command("load_demo")
    assert "in use" in capsys.readouterr().out
    assert not Post.objects.exists()


@pytest.mark.parametrize(
    ("name", "value"), [("PRODUCTION", True), ("HOST", "0.0.0.0"), ("HOST", "forum.example.org")]
)
def test_public_site_gets_no_known_passwords(settings: Any, name: str, value: Any) -> None:
    setattr(settings, name, value)
    assert name in refusal()
    with pytest.raises(CommandError, match=name):
        call_command("load_demo")
    assert not User.objects.exists()


def test_without_redis_the_command_says_what_to_start_and_writes_nothing(settings: Any) -> None:
    with redis_down(settings), pytest.raises(CommandError, match="does not respond"):
        call_command("load_demo")
    assert not User.objects.exists()


def test_redis_that_dies_in_the_middle_leaves_the_posts_in_the_outbox(redis: Any) -> None:
    redis.config_set("maxmemory", 1)
    try:
        with pytest.raises(StoreUnavailable):
            load_demo()
    finally:
        redis.config_set("maxmemory", 0)
    comments = Comment.objects.visible().count()
    assert Post.objects.count() == len(ENTRIES)
    waiting = OutboxItem.objects.filter(kind=OutboxItem.POST)
    assert waiting.values("subject_id").distinct().count() == len(ENTRIES)
    assert waiting.count() >= len(ENTRIES) + comments


def test_a_post_with_its_votes_comments_and_readers_takes_fewer_than_two_queries(
    demo: LoadedDemo,
) -> None:
    of_moderation = 25 * len(content.steps())
    assert demo.queries < 2 * len(ENTRIES) + of_moderation


def test_content_files_are_consistent() -> None:
    names, slugs = {one.username for one in PEOPLE}, {group.slug for group in GROUPS}
    joined = {one.username: one.joined * 24 for one in PEOPLE}
    assert Counter(entry.key for entry in ENTRIES).most_common(1)[0][1] == 1
    assert names == {entry.author for entry in ENTRIES}
    for entry in ENTRIES:
        assert 1 <= len(entry.groups) <= 3, entry.key
        assert slugs.issuperset(entry.groups), entry.key
        assert joined[entry.author] > entry.hours_ago, entry.key
        assert bool(entry.url) != bool(entry.body), entry.key
        assert not entry.url or links.normalise(entry.url) == entry.url, entry.key
        assert 3 <= len(entry.title) <= 200, entry.key


def test_titles_have_all_widths_and_scripts() -> None:
    lengths = {len(entry.title) for entry in ENTRIES}
    assert min(lengths) == 3
    assert max(lengths) >= 195
    assert any("\u4e00" <= letter <= "\u9fff" for entry in ENTRIES for letter in entry.title)
    assert {entry.kind for entry in ENTRIES} == set(Post.Kind)
    assert sum(entry.ups < entry.downs for entry in ENTRIES) >= 2


def test_content_files_about_people_are_consistent() -> None:
    threads = content.threads()
    names = {one.username for one in content.people()}
    groups = {group.slug for group in content.groups()}
    posts = {entry.key: entry for entry in content.entries()}
    assert set(content.ties()) == names
    assert set(threads) <= set(posts)
    for name, ties in content.ties().items():
        assert names - {name} >= set(ties.follows), name
        assert groups >= {*ties.groups, *ties.hides}, name
        assert set(posts) >= {*ties.saved, *ties.hidden, *ties.opened}, name
        assert not set(ties.groups) & set(ties.hides), name
    for key, remarks in threads.items():
        depths = [remark.deep for remark in remarks]
        steps = zip([-1, *depths], depths, strict=False)
        assert all(0 <= deep <= before + 1 for before, deep in steps), key
        assert names >= {remark.by for remark in remarks}, key
        accepted = [remark for remark in remarks if remark.accepted]
        assert len(accepted) <= (posts[key].kind == Post.Kind.QUESTION), key
        assert all(remark.deep == 0 for remark in accepted), key
        asides = [remark for remark in remarks if remark.on_question]
        assert not any(remark.deep or remark.accepted for remark in asides), key
        assert not asides or posts[key].kind == Post.Kind.QUESTION, key


@pytest.mark.usefixtures("demo")
def test_new_member_sees_votes_that_wait() -> None:
    member = User.objects.get(username="new_in_town")
    assert not member.counts_at_once
    page = reader(member).get("/new").content.decode()
    assert "when your account is one day old" in page
    assert "when your account" not in reader().get("/new").content.decode()
