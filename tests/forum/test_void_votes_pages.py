"""The page on which moderators void votes, the offers that lead to it, and the public log."""

from datetime import timedelta
from html import unescape
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from forum.actions import renames
from forum.models import ModAction, Post, SecurityEvent, User
from forum.moderation.votes import queries
from tests.forum.comments import add_comment
from tests.forum.factories import post, reader
from tests.forum.merging import merge
from tests.forum.voting_sites import cast, older_person, work
from voting.types import Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
HOUR = timedelta(hours=1)
ADDRESS = "/moderation/votes/void"


@pytest.fixture
def author() -> User:
    return older_person("author")


def ring(on: Post, many: int) -> list[str]:
    """Let many people vote a post up, and return their names."""
    people = [older_person(f"ring{number}") for number in range(many)]
    for one in people:
        cast(one, on)
    work()
    return [one.username for one in people]


def span() -> dict[str, str]:
    since, until = timezone.now() - HOUR, timezone.now() + timedelta(seconds=1)
    return {"since": since.isoformat(), "until": until.isoformat()}


def asked(names: list[str], **more: str) -> dict[str, str]:
    return {"accounts": ", ".join(names), "place": "", **span(), **more}


def text(window: Client, address: str, **sent: str) -> str:
    """Return the page that a browser gets for a form, or without a form."""
    answer = window.post(address, sent) if sent else window.get(address)
    return unescape(answer.content.decode())


def points(on: Post) -> int:
    return Post.objects.get(pk=on.pk).points


def voided(window: Client, names: list[str], **more: str) -> str:
    """Void votes, and return the address of the log entry."""
    answer = window.post(ADDRESS, asked(names, reason="Ring", sure="2", **more))
    assert answer.status_code == 303, answer.content.decode()
    work()
    return str(answer["Location"])


def test_preview_shows_posts_ranks_and_karma_and_changes_nothing(
    author: User, stella: User
) -> None:
    written, other = post(author, "Pushed"), post(older_person("other"), "Honest")
    cast(older_person("fan"), other)
    names = ring(written, 3)
    page = text(reader(stella), ADDRESS, **asked(names))
    assert "3 votes, 3 accounts" in page
    assert "Pushed</a>: from #1 to #2 on the site, points from 4 to 1" in page
    assert "author</a>: karma from 3 to 0" in page
    assert "Honest" not in page
    assert points(written) == 4
    assert not ModAction.objects.exists()


def test_link_with_accounts_and_time_span_shows_the_preview(author: User, stella: User) -> None:
    names = ring(post(author, "Pushed"), 2)
    query = urlencode({"accounts": ",".join(names), **span()})
    page = text(reader(stella), f"{ADDRESS}?{query}")
    assert "2 votes, 2 accounts" in page
    assert "Void the votes" in page
    assert "ring0" in text(reader(stella), f"{ADDRESS}?accounts=ring0"), "the form is filled"


def test_changing_a_preview_keeps_its_time_span(author: User, stella: User) -> None:
    ring(post(author, "Pushed"), 1)
    until = "2026-11-30T08:23:24"
    form = text(reader(stella), ADDRESS, **asked(["ring0"], change="1") | {"until": until})
    assert f'value="{until}"' in form


def test_votes_on_merged_posts_are_counted_once(author: User, stella: User, root: User) -> None:
    duplicate, remaining = post(author), post(older_person("other"), "Remaining")
    names = ring(duplicate, 2)
    merge(duplicate, remaining, root)
    page = text(reader(stella), ADDRESS, **asked(names))
    assert "2 votes, 2 accounts" in page
    address = voided(reader(stella), names)
    assert "2 votes voided" in text(reader(), address)
    parts = ModAction.objects.filter(parent__kind=ModAction.Kind.VOID_VOTES)
    assert [part.details["done"] for part in parts] == [1, 1]
    text(reader(stella), f"{address}/undo", reason="")
    work()
    assert "2 votes restored" in text(reader(), address)


def test_renamed_people_are_found_by_their_old_names(author: User, stella: User) -> None:
    ring(post(author, "Pushed"), 1)
    renames.rename(User.objects.get(username="ring0"), "honest")
    assert "1 vote, 1 account" in text(reader(stella), ADDRESS, **asked(["ring0"]))
    both = text(reader(stella), ADDRESS, **asked(["ring0", "honest"]))
    assert "1 vote, 1 account" in both


def test_public_log_says_everywhere_how_many_votes_were_voided(author: User, stella: User) -> None:
    voided(reader(stella), ring(post(author), 3))
    assert "3 votes voided" in text(reader(), "/modlog.atom")
    (entry,) = reader().get("/api/v1/modlog").json()["items"]
    assert entry["votes"] == 3


def test_preview_is_what_happens(author: User, stella: User) -> None:
    written, honest = post(author, "Pushed"), post(older_person("other"), "Honest")
    cast(older_person("fan"), honest)
    comment = add_comment(author, written)
    names = ring(written, 4)
    for name in names[:2]:
        cast(User.objects.get(username=name), comment)
        cast(User.objects.get(username=name), honest, Vote.DOWN)
    work()
    page = text(reader(stella), ADDRESS, **asked(names))
    assert "8 votes, 4 accounts" in page
    assert "Pushed</a>: from #1 to #2 on the site, points from 5 to 1" in page
    assert "Honest</a>: from #2 to #1 on the site, points from 0 to 2" in page
    assert "author</a>: karma from 6 to 0" in page
    assert "other</a>: karma from -1 to 1" in page
    voided(reader(stella), names)
    assert (points(written), points(honest)) == (1, 2)
    assert User.objects.get(pk=author.pk).karma == 0
    assert list(Post.objects.order_by("-score")) == [honest, written]


def test_site_moderator_does_not_learn_how_one_person_voted(
    author: User, stella: User, root: User
) -> None:
    names = ring(post(author, "Secretly liked"), 1)
    page = text(reader(stella), ADDRESS, **asked(names))
    assert "1 vote, 1 account" in page
    assert "Secretly liked" not in page
    assert "author" not in page.partition("<main")[2].replace("An author's vote", "")
    assert "Secretly liked" in text(reader(root), ADDRESS, **asked(names))


def test_each_preview_is_in_the_security_log(author: User, stella: User) -> None:
    names = ring(post(author, "Pushed"), 2)
    query = urlencode({"accounts": ",".join(names), **span()})
    text(reader(stella), f"{ADDRESS}?{query}")
    text(reader(stella), ADDRESS, **asked(names, sure="1", reason=""))
    text(reader(stella), ADDRESS)
    looks = SecurityEvent.objects.filter(kind=SecurityEvent.Kind.VOID_PREVIEW)
    ids = [str(User.objects.get(username=name).pk) for name in names]
    assert [one.details["accounts"] for one in looks] == [", ".join(ids)] * 2
    assert {(one.by, one.person) for one in looks} == {(stella, None)}
    assert all(one.network for one in looks)


def test_votes_are_voided_only_with_a_reason_and_after_confirming(
    author: User, stella: User
) -> None:
    written, window = post(author), reader(stella)
    names = ring(written, 2)
    nameless = window.post(ADDRESS, asked(names, sure="1", reason=""))
    assert nameless.status_code == 422
    assert "Give a reason." in nameless.content.decode()
    answer = window.post(ADDRESS, asked(names, sure="1", reason="Ring"))
    assert answer.status_code == 303
    assert "0 of 2 votes voided, still running" in text(window, answer["Location"])
    work()
    assert "2 votes voided" in text(window, answer["Location"])
    assert points(written) == 1
    assert window.post(f"{answer['Location']}/undo").status_code == 303
    assert "0 of 2 votes restored so far" in text(window, answer["Location"])
    work()
    assert "2 votes restored" in text(window, answer["Location"])
    assert points(written) == 3


def test_voiding_votes_of_many_accounts_asks_twice(author: User, stella: User) -> None:
    written, window = post(author), reader(stella)
    names = ring(written, queries.MASS_ACCOUNTS + 1)
    once = window.post(ADDRESS, asked(names, sure="1", reason="Ring"))
    assert once.status_code == 200
    page = once.content.decode()
    assert "This voids 21 votes. Accounts: 21. Are you sure?" in page
    assert not ModAction.objects.exists()
    voided(window, names)
    assert points(written) == 1


def test_form_explains_mistakes(author: User, stella: User, gus: User) -> None:
    names = ring(post(author), 1)
    window = reader(stella)
    for sent, sentence in (
        (asked(["nobody", "noone"]), "Nobody has these user names: nobody, noone."),
        (asked(names) | {"until": "2020-01-01T00:00"}, "The end must be after the beginning."),
        (asked([]), "This field is required."),
        (asked(["stella"]), "You can't void your own votes."),
    ):
        assert sentence in text(window, ADDRESS, **sent), sent
    nothing = asked(names) | {"until": span()["since"]}
    assert "There are no votes to void in this time span." in text(window, ADDRESS, **nothing)
    changed = text(window, ADDRESS, **asked(names, change="1"))
    assert "Show what changes" in changed
    assert names[0] in changed


def test_group_moderator_sees_and_voids_only_votes_in_the_group(author: User, gus: User) -> None:
    names = ring(post(author, "Inside"), 3)
    outside = post(author, "Outside", slugs="maths")
    for name in names:
        cast(User.objects.get(username=name), outside)
    work()
    window = reader(gus)
    assert window.post(ADDRESS, asked(names)).status_code == 422, "the site isn't theirs"
    page = text(window, ADDRESS, **asked(names) | {"place": "books"})
    assert "3 votes, 3 accounts" in page
    assert "Outside" not in page
    entry = voided(window, names, place="books")
    assert "3 votes voided" in text(reader(), entry)
    assert points(outside) == 4


def test_public_log_has_count_and_group_but_no_accounts_and_no_post_with_few_votes(
    author: User, stella: User
) -> None:
    many, few = post(author, "Pushed by many"), post(author, "Pushed by few")
    names = ring(many, 5)
    for name in names[:4]:
        cast(User.objects.get(username=name), few)
    work()
    entry = voided(reader(stella), names)
    for address in (entry, "/modlog", "/modlog.atom", "/api/v1/modlog"):
        page = text(reader(), address)
        assert "otes voided" in page or "void_votes" in page, address
        assert "ring0" not in page, address
        assert "Pushed by few" not in page, address
    public = text(reader(), entry)
    assert "9 votes voided" in public
    assert "Pushed by many" in public
    part = ModAction.objects.get(person__username="ring0")
    hidden = text(reader(), part.get_absolute_url())
    assert "Votes voided</strong>: private" in hidden
    assert "ring0" not in hidden
    seen = text(reader(stella), entry)
    assert all(f">{name}</a>" in seen for name in names)
    assert "Pushed by few" not in seen
    own = text(reader(User.objects.get(username="ring0")), part.get_absolute_url())
    assert "2 votes voided" in own


def test_ban_page_offers_to_void_votes(author: User, stella: User, gus: User) -> None:
    ring(post(author), 1)
    form = {"days": "7", "reason": "Ring", "voids": "on"}
    window = reader(gus)
    answer = window.post("/moderation/people/ring0/ban", form | {"place": "books"})
    assert answer.status_code == 303
    assert answer["Location"].startswith(f"{ADDRESS}?accounts=ring0&place=books&since=")
    page = text(window, answer["Location"])
    assert "ring0 was banned." in page
    assert "1 vote, 1 account" in page
    plain = reader(stella).post("/moderation/people/ring0/ban", {"days": "7", "reason": "Ring"})
    assert plain["Location"] == "/moderation/people/ring0"


def test_admin_offers_to_void_votes_of_banned_and_deactivated_accounts(
    author: User, root: User
) -> None:
    ring(post(author), 2)
    people = User.objects.filter(username__startswith="ring").order_by("pk")
    window = reader(root)
    ban = {"action": "ban_chosen", "_selected_action": [one.pk for one in people]}
    banned = window.post(
        "/admin/forum/user/", ban | {"reason": "Ring", "days": "7"}, follow=True
    ).content.decode()
    assert f'href="{ADDRESS}?accounts=ring0,ring1&amp;place=&amp;since=' in banned
    assert "Void votes of these accounts" in banned
    form = {"email": "", "about": "", "initial-about": "", "initial-is_active": "True"}
    deactivated = window.post(
        f"/admin/forum/user/{people[0].pk}/change/", form, follow=True
    ).content.decode()
    assert not User.objects.get(username="ring0").is_active
    assert f'href="{ADDRESS}?accounts=ring0&amp;place=&amp;since=' in deactivated


def test_strangers_are_refused(author: User) -> None:
    assert reader(author).get(ADDRESS).status_code == 403
    assert reader(author).post(ADDRESS, asked(["author"], sure="2")).status_code == 403
    assert reader().get(ADDRESS).status_code == 302
