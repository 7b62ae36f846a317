"""Describes what Redis stores about the site, a post, a person or a group, as lines of text."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta

from django.conf import settings

from forum.identity.throttle import Subject, rate_limit
from forum.models import Group, Post, User
from forum.queries.people import highest_id
from forum.store.service import get_voting_service
from voting.errors import UnknownTarget
from voting.types import Order
from voting.types.boards import Board
from voting.types.comments import NewestPage
from voting.types.people import PersonCounts
from voting.types.person_lists import PersonList

NEWEST = 5
"""How many comments, posts or leaders to list at most."""

Lines = Iterator[tuple[str, object]]


def site() -> Lines:
    """Yield lines about sizes, activity, leaders, rate limits and unarchived votes."""
    service = get_voting_service()
    yield "posts ranked", service.listings.page(Order.HOT, 1).total
    yield "votes not archived yet", service.maintenance.ledger.lag()
    today, last = service.activity.today(), highest_id()
    week = [today - timedelta(days=back) for back in range(7)]
    yield "people active today", service.activity.on(today, last)
    yield "people active on each of the last 7 days", service.activity.on_every(week, last)
    yield "people active in the last 7 days", service.activity.on_any(week, last)
    day, last_week = service.boards.day(today), service.boards.week(today)
    yield "top posts of the day", _placings(day.posts)
    yield "top people of the day", _placings(day.people)
    yield "top posts of the week", _placings(last_week.posts)
    yield "top people of the week", _placings(last_week.people)
    for action in settings.LIMITS:
        windows = rate_limit(Subject(""), action).windows
        yield f"limit: {action}", " ".join(f"{each.hits}/{each.seconds}" for each in windows)


def post(post_id: int) -> Lines:
    """Yield lines about what Redis stores about a post.

    Raises UnknownTarget if Redis has no such post.
    """
    service = get_voting_service()
    row, standing = service.posts.get(post_id)
    start = f", {row.starting_points} at the start" if row.starting_points else ""
    yield "points", f"{row.points} ({row.up} up, {row.down} down{start})"
    yield "groups", ", ".join(row.groups) or "-"
    yield "rank on the front page", standing.rank or "none (too far down)"
    yield "score", f"{standing.score:.0f} s"
    yield "comments", row.comments
    yield "newest comments", _newest(service.comments.newest(post_id, count=NEWEST))
    yield "views", row.views
    yield "views today", service.views.of_day(service.activity.today()).get(post_id, 0)
    inspected = service.maintenance.inspection.posts([post_id])[post_id]
    yield "voters stored", len(inspected.ups) + len(inspected.downs)
    yield "last vote change", inspected.last


def person(who: User) -> Lines:
    """Yield lines about what Redis stores about a person."""
    service = get_voting_service()
    ties = service.follows.counts(who.pk)
    nothing = PersonCounts(follows=ties.follows, followers=ties.followers)
    yield from asdict(service.people.counts(who.pk) or nothing).items()
    yield "groups followed", ties.groups
    for kept in PersonList:
        yield f"posts {kept}", service.person_lists.page(kept, who.pk, 0, 1).total
    yield "groups hidden", ", ".join(sorted(service.person_lists.hidden_groups(who.pk))) or "-"
    unread = service.inbox.unread(who.pk).by_type
    yield "unread", ", ".join(f"{n} {kind}" for kind, n in sorted(unread.items())) or "-"
    today = service.activity.today()
    month = [today - timedelta(days=back) for back in range(30)]
    yield "days active in the last 30", len(service.activity.days_of(who.pk, month))


def group(which: Group) -> Lines:
    """Yield lines about what Redis stores about a group."""
    service = get_voting_service()
    yield "posts", service.groups.sizes([which.slug])[which.slug]
    for order in Order:
        best = service.listings.page(order, 1, group=which.slug).rows[:NEWEST]
        yield f"first in {order}", " ".join(str(row.id) for row in best) or "-"
    day = service.boards.day(service.activity.today(), group=which.slug)
    yield "top posts of the day", _placings(day.posts)
    yield "top people of the day", _placings(day.people)


def lines(subject: str) -> Lines:
    """Return lines about a subject: "post:ID", "user:NAME", "group:NAME" or "" for the site.

    Raises LookupError with a sentence if Redis has no such subject.
    """
    kind, _colon, name = subject.partition(":")
    try:
        if kind == "post" and name.isdecimal():
            return iter(list(_post(int(name))))
        if kind == "user":
            return person(User.objects.get(username=name))
        if kind == "group":
            return group(Group.objects.get(slug=name))
    except (Post.DoesNotExist, User.DoesNotExist, Group.DoesNotExist, UnknownTarget) as error:
        raise LookupError(f"There is no {kind} {name}.") from error
    if subject:
        raise LookupError(
            "Give post:ID, user:NAME or group:NAME, or leave it out to show the whole site."
        )
    return site()


def _post(post_id: int) -> Lines:
    """Yield lines about a post. Raises LookupError if the post is deleted in SQL."""
    found = Post.objects.only("withheld", "deleted_at").get(pk=post_id)
    if found.deleted_at:
        why = found.withheld or "deleted by its author"
        raise LookupError(f"Redis has no post {post_id}: in SQL it is {why}.")
    return post(post_id)


def _placings(board: Board) -> str:
    best = board.lines[:NEWEST]
    return " ".join(f"{each.subject_id} ({each.points})" for each in best) or "-"


def _newest(page: NewestPage) -> str:
    if page.floor is None:
        return "none (the next reader fills the list)"
    return " ".join(str(each.id) for each in page.comments) or "-"
