"""Site moderators see which votes deserve a look, but not who voted which way."""

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from forum.ledger.archiver import archive_waiting
from forum.models import AccountNetwork, ArchivedVote, LedgerEntry, Post, User, VoteSign, VoteState
from forum.moderation.vote_signs.search import search
from tests.forum.comments import add_comment
from tests.forum.factories import person, post, reader
from tests.forum.voting_sites import cast, newcomers, older_person, turned_clock
from voting.types import Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
Kind = VoteSign.Kind
DAY = 86_400
PAGE = "/moderation/votes"


@pytest.fixture
def author() -> User:
    """The author, whose account is the first of a site that is older than a week."""
    return older_person("author")


@pytest.fixture
def written(author: User) -> Post:
    return post(author, "The post")


@pytest.fixture
def readers(author: User) -> list[User]:
    """Twenty older accounts, each of which voted on one of ten other posts."""
    found = [older_person(f"reader{number}") for number in range(20)]
    others = [post(author, f"Other {number}") for number in range(10)]
    for number, who in enumerate(found):
        cast(who, others[number % 10])
    return found


def seen(*people: User, network: str = "home", days_ago: int = 0) -> None:
    """Record that people use a network."""
    day = (timezone.now() - timedelta(days=days_ago)).date()
    for who in people:
        AccountNetwork.objects.create(person=who, day=day, month=f"{day:%Y-%m}", network=network)


def found(kind: VoteSign.Kind) -> list[VoteSign]:
    """Search as the worker does, and return the signs of one kind."""
    archive_waiting()
    search()
    return list(VoteSign.objects.filter(kind=kind))


def ids(*people: User) -> list[int]:
    return sorted(one.pk for one in people)


@pytest.mark.usefixtures("readers")
def test_many_new_accounts_on_one_post_are_found(written: Post) -> None:
    people = newcomers(5)
    for who in people:
        cast(who, written)
    (sign,) = found(Kind.NEW_ACCOUNTS)
    assert (sign.post, sign.comment, sign.votes, sign.accounts) == (written, None, 5, 5)
    assert sign.people == ids(*people)


@pytest.mark.usefixtures("readers")
def test_many_new_accounts_on_one_comment_are_found(author: User, written: Post) -> None:
    comment = add_comment(author, written)
    for who in newcomers(5):
        cast(who, comment)
    (sign,) = found(Kind.NEW_ACCOUNTS)
    assert (sign.post, sign.comment) == (written, comment)


@pytest.mark.usefixtures("readers")
def test_four_new_accounts_are_too_few_and_so_are_older_or_invited_ones(written: Post) -> None:
    invited = [person(f"guest{number}", counts_at_once=True) for number in range(5)]
    older = [older_person(f"older{number}") for number in range(5)]
    for who in (*newcomers(4), *invited, *older):
        cast(who, written)
    assert found(Kind.NEW_ACCOUNTS) == []


def test_new_accounts_that_vote_as_everywhere_on_the_site_are_no_sign(
    author: User, readers: list[User]
) -> None:
    crowd = newcomers(6)
    for text in [post(author, f"Loved {number}") for number in range(6)]:
        for who in (*crowd, *readers[:2]):
            cast(who, text)
    assert found(Kind.NEW_ACCOUNTS) == []


def test_nothing_is_found_in_the_first_week_of_a_site(ada: User) -> None:
    text = post(ada)
    for who in newcomers(9):
        cast(who, text)
    assert found(Kind.NEW_ACCOUNTS) == []


@pytest.mark.usefixtures("readers")
def test_waiting_votes_are_found_and_withdrawn_and_void_votes_are_not(written: Post) -> None:
    people = newcomers(7)
    for who in people:
        cast(who, written)
    cast(people[0], written, Vote.NONE)
    archive_waiting()
    LedgerEntry.objects.filter(user_id=people[1].pk).update(state=VoteState.VOID)
    assert ArchivedVote.objects.filter(state=VoteState.WAITING).exists()
    (sign,) = found(Kind.NEW_ACCOUNTS)
    assert sign.people == ids(*people[2:])


def test_accounts_of_one_network_on_one_post_are_found(written: Post, readers: list[User]) -> None:
    seen(*readers[:3])
    seen(*readers[3:6], network="office")
    for who in readers[:6]:
        cast(who, written)
    (sign,) = found(Kind.NETWORK)
    assert (sign.post, sign.networks, sign.people) == (written, 2, ids(*readers[:6]))


def test_many_readers_of_large_networks_who_vote_at_random_are_no_sign(author: User) -> None:
    """A quarter of all readers share each network, as with mobile phones."""
    readers = [older_person(f"reader{number}") for number in range(24)]
    for number, who in enumerate(readers):
        seen(who, network=f"carrier{number % 4}")
    for number in range(6):
        text = post(author, f"Post {number}")
        for who in readers[number : number + 12]:
            cast(who, text)
    assert found(Kind.NETWORK) == []


def test_two_accounts_of_one_network_are_no_sign(written: Post, readers: list[User]) -> None:
    seen(*readers[:2])
    for who in readers[:2]:
        cast(who, written)
    assert found(Kind.NETWORK) == []


def test_network_that_votes_like_everybody_else_is_no_sign(
    written: Post, readers: list[User]
) -> None:
    seen(*readers[:6])
    for who in readers[:16]:
        cast(who, written)
    assert found(Kind.NETWORK) == []


def test_network_that_was_used_days_before_the_vote_is_no_sign(
    written: Post, readers: list[User]
) -> None:
    seen(*readers[:3], days_ago=3)
    for who in readers[:3]:
        cast(who, written)
    assert found(Kind.NETWORK) == []


def test_shared_networks_are_no_sign_if_the_site_says_so(
    written: Post, readers: list[User], settings: Any
) -> None:
    settings.SHARED_NETWORKS = True
    seen(*readers[:3])
    for who in readers[:3]:
        cast(who, written)
    assert found(Kind.NETWORK) == []


def test_burst_of_down_votes_names_the_author_and_all_who_voted_then(
    author: User, readers: list[User]
) -> None:
    victim = older_person("victim")
    first, second = post(victim), post(victim)
    for who in readers[:6]:
        cast(who, first, Vote.DOWN)
        cast(who, second, Vote.DOWN)
    cast(readers[6], first)
    (sign,) = found(Kind.DOWN_VOTES)
    assert (sign.person, sign.post) == (victim, None)
    assert (sign.votes, sign.people) == (13, ids(*readers[:7]))


def test_down_votes_among_as_many_up_votes_are_no_burst(readers: list[User]) -> None:
    text = post(older_person("victim"))
    for number, who in enumerate(readers):
        cast(who, text, Vote.DOWN if number % 2 else Vote.UP)
    assert found(Kind.DOWN_VOTES) == []


def test_down_votes_of_two_hours_are_no_burst(readers: list[User]) -> None:
    text = post(older_person("victim"))
    for who in readers[:6]:
        cast(who, text, Vote.DOWN)
    with turned_clock(2 * 3_600):
        for who in readers[6:12]:
            cast(who, text, Vote.DOWN)
        assert found(Kind.DOWN_VOTES) == []


@pytest.mark.usefixtures("readers")
def test_accounts_that_signed_up_together_say_what_they_have_in_common(
    author: User, written: Post
) -> None:
    people, other = newcomers(4), post(author, "Another")
    seen(*people[:3])
    seen(people[3], network="elsewhere")
    for who in people[:2]:
        cast(who, written)
    cast(people[2], other)
    cast(people[3], other)
    (sign,) = found(Kind.SIGN_UPS)
    assert sign.people == ids(*people[:3])
    assert (sign.votes, sign.shared, sign.person, sign.received) == (3, 1, author, 3)


def test_signs_of_the_last_search_replace_earlier_ones(written: Post, readers: list[User]) -> None:
    seen(*readers[:3])
    for who in readers[:3]:
        cast(who, written)
    assert len(found(Kind.NETWORK)) == len(found(Kind.NETWORK)) == 1
    for who in readers[:3]:
        cast(who, written, Vote.NONE)
    assert found(Kind.NETWORK) == []


def test_votes_older_than_a_week_are_no_sign(written: Post, readers: list[User]) -> None:
    seen(*readers[:3])
    for who in readers[:3]:
        cast(who, written)
    with turned_clock(8 * DAY):
        assert found(Kind.NETWORK) == []


def test_search_takes_as_many_queries_with_more_votes(written: Post, readers: list[User]) -> None:
    found(Kind.NETWORK)
    counts = []
    for some in (readers[:3], readers[3:]):
        for who in some:
            cast(who, written)
        archive_waiting()
        with CaptureQueriesContext(connection) as queries:
            search()
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 16


@pytest.mark.usefixtures("readers")
def test_page_shows_counts_and_accounts_but_no_directions(stella: User, written: Post) -> None:
    for number, who in enumerate(newcomers(5)):
        cast(who, written, Vote.DOWN if number else Vote.UP)
    found(Kind.NEW_ACCOUNTS)
    html = reader(stella).get(PAGE).content.decode()
    assert "Many new accounts" in html
    assert "The post" in html
    assert "5 accounts" in html
    assert "5 votes" in html
    assert "/moderation/people/new3" in html
    assert "coincidence" in html
    main = html.partition("<main")[2].partition("</main>")[0]
    assert "down" not in main.lower()


@pytest.mark.usefixtures("readers")
def test_page_leads_to_the_preview_of_voiding(stella: User, written: Post) -> None:
    people = newcomers(5)
    for who in people:
        cast(who, written)
    (sign,) = found(Kind.NEW_ACCOUNTS)
    page = reader(stella).get(PAGE)
    ((_label, (view,)),) = page.context["groups"]
    assert view.void.replace("&", "&amp;") in page.content.decode()
    path, given = urlsplit(view.void).path, parse_qs(urlsplit(view.void).query)
    assert path == "/moderation/votes/void"
    assert given["accounts"] == ["new0,new1,new2,new3,new4"]
    since, until = (parse_datetime(given[name][0]) for name in ("since", "until"))
    assert (since, until) == (sign.since, sign.until)
    times = ArchivedVote.objects.filter(user_id__in=ids(*people)).values_list("at", flat=True)
    assert all(since and until and since <= at < until for at in times)


@pytest.mark.usefixtures("readers")
def test_auditors_see_the_page_without_voiding(written: Post) -> None:
    for who in newcomers(5):
        cast(who, written)
    found(Kind.NEW_ACCOUNTS)
    page = reader(person("auditor", is_auditor=True)).get(PAGE)
    assert b"The post" in page.content
    assert b"votes/void" not in page.content


def test_only_site_moderators_and_auditors_see_the_page(gus: User, bob: User) -> None:
    for who in (gus, bob):
        assert reader(who).get(PAGE).status_code == 403
    assert reader().get(PAGE).status_code == 302


def test_page_says_that_nothing_unusual_was_found(stella: User) -> None:
    assert b"Nothing unusual was found." in reader(stella).get(PAGE).content


def test_page_takes_as_many_queries_with_more_signs(
    stella: User, author: User, written: Post, readers: list[User]
) -> None:
    seen(*readers[:3])
    counts, window = [], reader(stella)
    window.get(PAGE)
    for texts in ([written], [post(author, f"More {number}") for number in range(4)]):
        for text in texts:
            for who in readers[:3]:
                cast(who, text)
        found(Kind.NETWORK)
        with CaptureQueriesContext(connection) as queries:
            window.get(PAGE)
        counts.append(len(queries))
    assert counts[0] == counts[1]
