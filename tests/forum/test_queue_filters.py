"""The filters of the moderation queue, records of people who flag, and refused decisions."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from forum.models import Flag, User
from forum.moderation.actions import decisions, removals
from forum.moderation.flags.services import flag
from tests.forum.factories import person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)
SPAM = Flag.Kind.SPAM


def shown(user: User, query: str) -> set[str]:
    """Return which of the flagged items "Pills" and "ada" a page of the queue shows."""
    answer = reader(user).get(f"/moderation{query}")
    assert answer.status_code == 200
    found = re.findall(r'-title"><a [^>]*>(Pills|ada)<', answer.content.decode())
    return set(found)


def offered(user: User) -> list[str]:
    """Return the kinds of items that the person can choose in the queue's filter."""
    page = reader(user).get("/moderation").content.decode()
    return re.findall(r'<option value="(flagged|person|held|application)"', page)


def test_site_moderators_filter_flagged_people(ada: User, bob: User, stella: User) -> None:
    flag(post(ada, "Pills"), by=bob, kind=SPAM)
    item = flag(ada, by=bob, kind=SPAM)
    assert shown(stella, "") == {"Pills", "ada"}
    assert shown(stella, "?kind=flagged") == {"Pills"}
    assert shown(stella, "?kind=person") == {"ada"}
    assert shown(stella, "?kind=person&group=books") == set()
    sent = {"decision": "dismiss"}
    assert reader(stella).post(f"/moderation/items/{item.pk}", sent).status_code == 303
    assert shown(stella, "?kind=person") == set()
    assert shown(stella, "?kind=person&state=decided") == {"ada"}


def test_group_moderators_are_offered_only_kinds_in_their_groups(gus: User, stella: User) -> None:
    assert offered(gus) == ["flagged", "held"]
    assert offered(stella) == ["flagged", "person", "held", "application"]
    assert offered(person("aldo", is_auditor=True)) == offered(stella)
    for kind in ("person", "application"):
        assert reader(gus).get(f"/moderation?kind={kind}").status_code == 404


def test_moderator_who_decides_about_their_own_post_reads_why_not(bob: User, gus: User) -> None:
    item = flag(post(gus, "Mine"), by=bob, kind=SPAM)
    refused = reader(gus).post(f"/moderation/items/{item.pk}", {"decision": "dismiss"})
    assert refused.status_code == 403
    assert "decide about yourself" in refused.content.decode()
    assert "Item in the moderation queue" in refused.content.decode()


def test_each_flag_shows_age_and_record_of_its_writer(
    ada: User, bob: User, stella: User, gus: User
) -> None:
    User.objects.filter(pk=bob.pk).update(date_joined=timezone.now() - timedelta(days=5, hours=1))
    for _number in range(2):
        wrong = post(ada)
        flag(wrong, by=bob, kind=SPAM)
        decisions.dismiss(wrong, by=stella)
    right = post(ada)
    flag(right, by=bob, kind=SPAM)
    removals.remove(right, by=stella, reason="Spam")
    item = flag(post(ada), by=bob, kind=SPAM)
    for address in ("/moderation", f"/moderation/items/{item.pk}"):
        for moderator, names in ((stella, True), (gus, False)):
            html = reader(moderator).get(address).content.decode()
            assert "(joined 5 days ago; earlier flags: 1 right, 2 wrong)" in html
            assert (">bob</a>" in html) is names
