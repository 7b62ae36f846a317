"""A replica becomes master without the latest changes. Repairs restore these changes from SQL."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from forum.actions import comments as comment_actions
from forum.actions import following, marks
from forum.ledger.archiver import archive_rest
from forum.models import Comment, Post, User
from forum.store.service import get_voting_service
from tests.cluster.nodes import Cluster
from tests.cluster.test_failover import disconnect_replica
from tests.forum import comments, factories
from tests.forum.factories import person, reader
from tests.voting.stored_state import misplaced
from tests.waiting import until
from voting import keys

pytestmark = [pytest.mark.cluster, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def site(cluster: Cluster, settings: Any) -> Iterator[Cluster]:
    """An empty site whose votes are on a cluster."""
    settings.REDIS_URL = cluster.url
    get_voting_service.cache_clear()
    get_voting_service().maintenance.generations.open()
    yield cluster
    get_voting_service.cache_clear()


def votes(voter: User, on: Post | Comment, vote: str) -> None:
    """Vote in the browser, and assert that the vote is accepted."""
    place = f"/p/{on.post_id}/c/{on.pk}" if isinstance(on, Comment) else f"/p/{on.pk}"
    assert reader(voter).post(f"{place}/vote", {"vote": vote}).status_code == 303


def shown(viewer: User, on: Post) -> dict[str, tuple[str, str]]:
    """Map the HTML id of a post and of each of its comments to its points and the viewer's vote."""
    articles = re.findall(r"<article [^>]*>", comments.page(on, window=reader(viewer)))
    return {
        _word("id", article): (_word("data-points", article), _word("data-vote", article))
        for article in articles
    }


def _word(name: str, article: str) -> str:
    found = re.search(rf'{name}="([^"]*)"', article)
    return found[1] if found else ""


def newest(on: Post) -> str:
    """Return the HTML of the page with a post's newest comments."""
    return reader().get(f"/p/{on.pk}/comments").content.decode()


def kept(who: User) -> tuple[set[str], int]:
    """Return the titles of a person's saved posts, and how many people the person follows."""
    html = reader(who).get(f"/u/{who.username}/saved").content.decode()
    return set(re.findall("Knots|Ropes", html)), get_voting_service().follows.counts(who.pk).follows


def archive() -> None:
    archive_rest(get_voting_service().maintenance.generations.current())


def checked(capsys: pytest.CaptureFixture[str]) -> str:
    """Return the differences that `check_voting` reports."""
    with pytest.raises(CommandError, match="differences"):
        call_command("check_voting")
    return capsys.readouterr().out


def test_repair_restores_what_a_promoted_replica_misses(
    site: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    ada, bob, cleo = (person(name) for name in ("ada", "bob", "cleo"))
    post = factories.post(ada, "Knots")
    early = comment_actions.write(author=ada, post=post, parent=None, body="Which one?")
    rude = comment_actions.write(author=bob, post=post, parent=None, body="Something rude.")
    assert "Something rude." in newest(post)
    votes(cleo, post, "up")
    archive()
    replica_had = shown(bob, post)

    master, replica = disconnect_replica(site, keys.post(post.pk))
    votes(bob, post, "up")
    votes(bob, early, "down")
    votes(cleo, post, "down")
    late = comment_actions.write(author=cleo, post=post, parent=early, body="The reef knot.")
    votes(bob, late, "up")
    comment_actions.delete(rude, by=bob)
    archive()
    expected = {who.username: shown(who, post) for who in (bob, cleo)}
    master.kill()
    replica.go_on()
    until(lambda: get_voting_service().posts.standing(post.pk), "the replica takes over")
    assert shown(bob, post)[f"post-{post.pk}"] == replica_had[f"post-{post.pk}"], "votes are lost"

    votes(ada, early, "none")
    archive()
    named = checked(capsys)
    assert f"post {post.pk}: people who voted up" in named
    assert f"post {post.pk}: people who voted down" in named
    assert f"comment {early.pk}: people who voted down" in named
    assert f"comment {late.pk} is missing in Redis" in named
    assert f"comment {rude.pk} is visible in Redis, but deleted in SQL" in named

    call_command("check_voting", repair=True)
    call_command("check_voting", deep=True)
    assert "Redis and SQL agree on all 1 posts." in capsys.readouterr().out
    expected["bob"][f"comment-{early.pk}"] = ("-1", "down")  # Ada has withdrawn her vote
    expected["cleo"][f"comment-{early.pk}"] = ("-1", "none")
    assert {who.username: shown(who, post) for who in (bob, cleo)} == expected
    assert misplaced(get_voting_service(), [post.pk]) == {}
    assert re.findall(r"Something rude|reef knot|Which one", newest(post)) == [
        "reef knot",
        "Which one",
    ]


def test_rebuild_restores_what_else_a_promoted_replica_misses(site: Cluster) -> None:
    ada, bob = person("ada"), person("bob")
    post = factories.post(ada, "Knots")
    marks.save(bob, factories.post(ada, "Ropes"), on=True)

    master, replica = disconnect_replica(site, keys.people.saved(bob.pk))
    marks.save(bob, post, on=True)
    following.set_follow(bob, ada, on=True)
    before = kept(bob)
    master.kill()
    replica.go_on()
    until(lambda: get_voting_service().follows.counts(bob.pk), "the replica takes over")
    assert kept(bob) == ({"Ropes"}, 0), "the last changes are lost"

    generation = get_voting_service().maintenance.generations.current()
    call_command("rebuild_voting")
    assert kept(bob) == before == ({"Knots", "Ropes"}, 1)
    assert get_voting_service().maintenance.generations.current() == generation, (
        "it was not emptied"
    )
    call_command("check_voting", deep=True)
