"""In a thread, moderators see how many open flags there are on a post and its comments."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from forum.actions.action_log import Target
from forum.models import Comment, Flag, GroupModerator, Post, User
from forum.moderation.actions import decisions
from forum.moderation.flags import services
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)
COUNT = re.compile(r'<a class="flag-count" href="([^"]+)">\s*(\d+ flags?)</a>')


def flag(target: Target, by: User, *, to_admins: bool = False) -> None:
    services.flag(target, by=by, kind=Flag.Kind.SPAM, to_admins=to_admins)


def counts(written: Post, who: User | None) -> list[tuple[str, str]]:
    """Return the links to open flags, and their texts, on a post's page."""
    return COUNT.findall(get_html(written.get_absolute_url(), who))


@pytest.fixture
def gus() -> User:
    """Return Gus, who moderates the group "books"."""
    gus = person("gus")
    GroupModerator.objects.create(group=groups("books")[0], user=gus)
    return gus


@pytest.fixture
def comment(ada: User, bob: User, cleo: User) -> Comment:
    """Return a comment with two flags, on a post with one."""
    written = post(ada)
    comment = add_comment(bob, written)
    add_comment(ada, written, "Not flagged.")
    for who in (ada, cleo):
        flag(comment, who)
    flag(written, cleo)
    return comment


def test_moderators_see_the_flags_and_others_do_not(
    ada: User, bob: User, stella: User, gus: User, comment: Comment
) -> None:
    """Moderators look first, so a cached page that has the flags would be seen by the others."""
    written = comment.post
    of_post, of_comment = f"/p/{written.pk}/moderate", f"/p/{written.pk}/c/{comment.pk}/moderate"
    assert counts(written, gus) == [(of_post, "1 flag"), (of_comment, "2 flags")]
    items = Flag.objects.order_by("item").values_list("item", flat=True).distinct()
    numbers = {
        (f"/moderation/items/{pk}", f"{n} flag{'s' * (n > 1)}")
        for pk, n in zip(items, (2, 1), strict=True)
    }
    auditor = person("audrey", is_auditor=True)
    for who in (stella, auditor):
        assert set(counts(written, who)) == numbers
        for address, _number in numbers:
            assert reader(who).get(address).status_code == 200
    elsewhere = person("hal")
    GroupModerator.objects.create(group=groups("maths")[0], user=elsewhere)
    for other in (None, ada, bob, elsewhere):
        assert counts(written, other) == []
    page = get_html(comment.get_absolute_url(), gus)
    assert COUNT.findall(page) == [(of_comment, "2 flags")]
    assert not COUNT.search(get_html(comment.get_absolute_url(), ada))


def test_flags_for_site_moderators_are_not_counted_for_group_moderators(
    ada: User, bob: User, cleo: User, stella: User, gus: User
) -> None:
    written = post(ada)
    flag(written, bob, to_admins=True)
    assert counts(written, gus) == []
    flag(written, cleo)
    assert [number for _address, number in counts(written, gus)] == ["1 flag"]
    assert [number for _address, number in counts(written, stella)] == ["2 flags"]


def test_decided_flags_are_not_counted(ada: User, stella: User, comment: Comment) -> None:
    decisions.dismiss(comment, by=stella, reason="Fine")
    assert [number for _address, number in counts(comment.post, stella)] == ["1 flag"]


def test_flags_cost_moderators_one_query_and_others_none(
    ada: User, gus: User, comment: Comment
) -> None:
    asked = {}
    for who in (ada, gus, None):
        window, address = reader(who), comment.post.get_absolute_url()
        window.get(address)
        with CaptureQueriesContext(connection) as queries:
            window.get(address)
        asked[who] = sum("forum_queueitem" in query["sql"] for query in queries)
    assert asked == {ada: 0, gus: 1, None: 0}
