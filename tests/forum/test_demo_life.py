"""The demo content has comments, follows, inbox items and histories, so that no page is empty."""

from collections import Counter
from datetime import timedelta
from time import time
from typing import Any

import pytest
from django.db.models import Count, F, Q, Sum
from django.urls import reverse

from forum.models import (
    ArchivedVote,
    BoardPoints,
    Comment,
    Erasure,
    HiddenGroup,
    InboxItem,
    Post,
    Revision,
    User,
    Watch,
    Withheld,
)
from forum.models.published_passwords import DEMO_LOGINS
from forum.operations.demo import content
from forum.operations.repair.check import differences
from forum.operations.repair.rebuild import rebuild
from forum.store.service import get_voting_service
from tests.forum.factories import reader
from voting.types import Vote
from voting.types.boards import Leaderboards
from voting.types.comments import Sort
from voting.types.people import PersonCounts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("one_day", "demo")]

Kind = InboxItem.Kind
NAMES = [login.username for login in DEMO_LOGINS]
MEMBERS = [login.username for login in DEMO_LOGINS if not login.is_new]
HOUR, DAY = 3_600, 86_400
EVERYWHERE = [
    *("/", "/new", "/active", "/views", "/top?t=day", "/top?t=week", "/top?t=month", "/g/"),
    *("/g/programming/", "/g/web/active", "/g/cooking/top?t=week", "/g/books+crafts/"),
    *("/leaders?t=week", "/leaders?t=week&group=programming", "/comments", "/about"),
]
OWN = [
    *("/following", "/inbox", "/inbox?kind=reply", "/inbox?kind=watched", "/inbox?kind=mention"),
    *("/inbox?kind=follower", "/inbox?kind=accepted", "/history", "/preferences"),
]
TABS = ["", "comments", "about", "follows", "fans", "saved", "hidden", "liked", "activity"]


def the(key: str) -> Post:
    return Post.objects.get(origin=f"demo:{key}")


def rank(answer: Comment) -> float:
    return get_voting_service().comments.score(Sort.BEST, answer.up, answer.down, answer=True)


def assert_not_empty(client: Any, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200, address
    assert 'class="empty"' not in answer.content.decode(), f"{address} has nothing to show"


def days() -> list[str]:
    """Return the URLs of yesterday's and (except in the day's first hour) today's leaderboards."""
    yesterday = f"/leaders?day={get_voting_service().activity.today() - timedelta(days=1)}"
    return [yesterday, "/leaders"] if time() % DAY > HOUR else [yesterday]


def pages_of(key: str) -> list[str]:
    post = the(key)
    page = post.get_absolute_url()
    return [*(f"{page}?sort={sort}" for sort in Sort), reverse("post_comments", args=[post.pk])]


def test_no_page_is_empty_for_a_guest() -> None:
    client = reader()
    threads = pages_of("removing-code") + pages_of("slugs") + pages_of("tang-poem")
    for address in [*EVERYWHERE, *days(), *threads]:
        assert_not_empty(client, address)
    for name in NAMES:
        for tab in ("", "comments", "follows", "fans"):
            assert_not_empty(client, f"/u/{name}/{tab}")


@pytest.mark.long
def test_no_page_is_empty_for_people_who_can_log_in() -> None:
    for name in NAMES:
        client = reader(User.objects.get(username=name))
        own = [f"/u/{name}/{tab}" for tab in TABS]
        threads = pages_of("private-tests") + pages_of("naming")
        for address in [*EVERYWHERE, *days(), *OWN, *own, *threads]:
            assert_not_empty(client, address)


def test_statistics_show_weeks_of_activity() -> None:
    answer = reader(User.objects.get(username="ada")).get("/admin/statistics/")
    assert answer.status_code == 200
    activity, today = get_voting_service().activity, get_voting_service().activity.today()
    last = User.objects.order_by("-pk")[0].pk
    weeks = [activity.on(today - timedelta(days=7 * ago), last) for ago in range(1, 8)]
    assert min(weeks) >= 3
    assert weeks[0] > weeks[-1], "the site grows"


def test_comments_are_long_and_short_and_reply_to_each_other() -> None:
    counts = Counter(Comment.objects.values_list("post__origin", flat=True))
    assert 400 <= counts.total() <= 500
    assert 45 <= len(counts) < Post.objects.count()
    assert sum(count >= 20 for count in counts.values()) >= 4
    lengths = sorted(len(body) for body in Comment.objects.values_list("body", flat=True))
    assert lengths[0] < 5
    assert lengths[-1] > 450
    deepest = max(remark.deep for remarks in content.threads().values() for remark in remarks)
    assert deepest == 7


def test_comments_are_newer_than_their_parents_and_authors() -> None:
    now, before = get_voting_service().now(), 0
    for comment in Comment.objects.select_related("post", "parent", "author").order_by("pk"):
        answered = comment.parent or comment.post
        assert answered.posted_at <= comment.posted_at <= now, comment
        assert comment.author.date_joined <= comment.created_at, comment
        assert before <= comment.posted_at, "ids grow with time"
        assert comment.parent is None or comment.parent.post_id == comment.post_id
        before = comment.posted_at


def test_posts_have_the_right_count_and_time_of_comments() -> None:
    shown = Q(comments__deleted_at=None, comments__isnull=False)
    for post in Post.objects.annotate(said=Count("comments", filter=shown)):
        last = post.comments.visible().order_by("pk").last()
        assert post.comment_count == post.said, post
        assert post.commented_at == (last.created_at if last else None), post


def test_four_questions_have_an_accepted_answer_and_two_of_them_not_the_most_liked() -> None:
    accepted = Post.objects.filter(kind="question").exclude(accepted=None)
    assert accepted.count() >= 4
    passed_over = 0
    for post in accepted:
        mine = post.accepted
        assert mine is not None
        assert mine.post_id == post.pk
        assert mine.is_answer
        answers = post.comments.visible().filter(is_answer=True)
        passed_over += rank(mine) < max(map(rank, answers))
    assert passed_over >= 2
    assert Comment.objects.filter(parent__in=accepted.values("accepted")).exists()


def test_some_comments_were_deleted_under_replies_and_some_edited() -> None:
    deleted = Comment.objects.deleted().filter(withheld="")
    assert deleted.count() == 3
    assert all(comment.replies.exists() for comment in deleted)
    edited = Comment.objects.exclude(edited_at=None)
    assert edited.count() == Revision.objects.count() >= 2
    assert not edited.filter(edited_at__lte=F("created_at")).exists()


def test_best_and_controversial_lead_to_different_comments() -> None:
    post = the("private-tests")

    def first(sort: Sort) -> int:
        page = reader().get(f"{post.get_absolute_url()}?sort={sort}").content.decode()
        return int(page.split('id="comment-')[1].split('"')[0])

    assert len({first(Sort.BEST), first(Sort.CONTROVERSIAL), first(Sort.NEW)}) == 3


def test_people_who_can_log_in_have_unread_items_of_several_kinds() -> None:
    for name in MEMBERS:
        user = User.objects.get(username=name)
        unread = Counter(user.inbox.filter(read_at=None).values_list("kind", flat=True))
        assert {Kind.REPLY, Kind.MENTION, Kind.WATCHED, Kind.FOLLOWER} <= set(unread), name
        assert unread.total() < user.inbox.count()
        total = get_voting_service().inbox.unread(user.pk)
        assert dict(total.by_type) == dict(unread), name
        assert f">{unread.total()}<" in reader(user).get("/").content.decode().replace("\n", "")
    kinds = InboxItem.objects.filter(user__username__in=MEMBERS, read_at=None)
    assert set(kinds.values_list("kind", flat=True)) == set(Kind)


def test_people_watch_threads_in_which_they_wrote() -> None:
    watched = set(Watch.objects.filter(on=True).values_list("post_id", "user_id"))
    published = Comment.objects.exclude(withheld=Withheld.HELD)
    assert watched >= set(published.values_list("post_id", "author_id"))
    assert watched >= set(Post.objects.values_list("pk", "author_id"))


def test_karma_and_leaderboards_agree_with_votes() -> None:
    posts = dict(Post.objects.values_list("pk", "author_id"))
    comments = dict(Comment.objects.values_list("pk", "author_id"))
    karma: Counter[int] = Counter()
    likes: Counter[int] = Counter()
    for vote in ArchivedVote.objects.counted():
        author = comments[vote.comment_id] if vote.comment_id else posts[vote.post_id]
        if author != vote.user_id:
            karma[author] += vote.vote
            likes[vote.user_id] += vote.vote == Vote.UP
    for user in User.objects.all():
        assert (user.karma, user.likes_given) == (karma[user.pk], likes[user.pk]), user
        counts = get_voting_service().people.counts(user.pk)
        assert isinstance(counts, PersonCounts)
        assert (counts.karma, counts.likes_given) == (karma[user.pk], likes[user.pk]), user
        assert counts.comments == user.comments.visible().count(), user
    recent = BoardPoints.objects.filter(group="", kind="person", points__gt=0)
    week = recent.filter(day__gt=get_voting_service().activity.today() - timedelta(days=7))
    leaders = get_voting_service().boards.week(get_voting_service().activity.today())
    assert isinstance(leaders, Leaderboards)
    best = week.values("subject_id").annotate(n=Sum("points")).order_by("-n", "-subject_id")[0]
    assert leaders.people.lines[0].subject_id == best["subject_id"]
    assert recent.values("day").distinct().count() >= 15, "past days can be browsed"


def test_somebody_hides_a_group_and_visited_threads_have_news() -> None:
    assert HiddenGroup.objects.count() == 1
    hider = HiddenGroup.objects.get()
    page = reader(hider.user).get("/new").content.decode()
    assert f"/g/{hider.group.slug}/" not in page.split("<main")[1].split("</main")[0]
    history = reader(User.objects.get(username="ada")).get("/history").content.decode()
    assert " new" in history


def test_a_rebuild_from_sql_changes_nothing_of_the_demo() -> None:
    voting, ada = get_voting_service(), User.objects.get(username="ada")

    def known() -> tuple[object, ...]:
        board = voting.boards.week(voting.activity.today())
        unread = voting.inbox.unread(ada.pk).by_type
        return voting.people.counts(1), board, voting.follows.counts(ada.pk), unread

    before = known()
    rebuild()
    assert known() == before
    assert list(differences()) == []


def test_an_account_is_in_deletion() -> None:
    erasure = Erasure.objects.get()
    assert (erasure.user.is_active, erasure.done_at) == (True, None)
    assert 4 * DAY < erasure.due_at.timestamp() - time() < 6 * DAY
