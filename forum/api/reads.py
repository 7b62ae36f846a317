"""Operations that read: lists, posts, comments, groups, people, searches and the log."""

import re
from datetime import date
from enum import StrEnum
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, QueryDict
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Path, Query, Router
from pydantic import BeforeValidator

from forum.api import schemas, serializers
from forum.api.schemas import Problem
from forum.api.serializers import absolute
from forum.errors import Gone
from forum.identity.viewers import guest_subject
from forum.models import Comment, Post, User
from forum.moderation.log import queries as log
from forum.moderation.log.entries import Reader
from forum.moderation.log.queries import LogFilter
from forum.queries import days, hosts, leaders, newest
from forum.queries.groups import directory
from forum.queries.listings import Listing, listing
from forum.queries.newest import FlatPage
from forum.queries.people import find_person, posts_of, profile_state, with_unsynced
from forum.queries.posts import post_state
from forum.rendering.thread_pages import surviving
from forum.search import results, services
from forum.search.queries import Order as SearchOrder
from forum.web import addresses, group_addresses
from forum.web.addresses import FAMILIES, ListingAddress

router = Router()
FAILURE = {"content": {"application/problem+json": {"schema": Problem.model_json_schema()}}}
FAILURES = {
    404: {"description": "There is no such thing.", **FAILURE},
    410: {"description": "It was deleted.", **FAILURE},
    422: {"description": "A parameter is wrong.", **FAILURE},
    429: {"description": "Too many requests: wait as long as Retry-After says.", **FAILURE},
    503: {"description": "Part of the site is unavailable: try again later.", **FAILURE},
}
read = partial(router.get, openapi_extra={"responses": FAILURES})
"""Decorates an operation."""
DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
FURTHEST = 10**15
"""The largest id and page number that an operation takes."""

Id = Annotated[int, Path(ge=1, le=FURTHEST)]
Before = Annotated[int | None, Query(ge=1, le=FURTHEST, description="Only items with lower ids.")]
PageNumber = Annotated[int, Query(ge=1, le=10_000)]
Name = Annotated[str, Path(max_length=200)]


def _as_date(value: Any) -> Any:
    """Check that a text is a date like 2026-11-24; Pydantic also takes seconds since 1970."""
    if isinstance(value, str) and not DATE.fullmatch(value):
        raise ValueError("not a date like 2026-11-24")
    return value


Day = Annotated[date, BeforeValidator(_as_date)]


class Family(StrEnum):
    """The orders of lists."""

    HOT = "hot"
    NEW = "new"
    ACTIVE = "active"
    TOP = "top"
    VIEWS = "views"


class Span(StrEnum):
    """The periods of the order `top`."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    ALL = "all"


Period = Annotated[Span | None, Query(alias="t", description="The period of the order top.")]
After = Annotated[str, Query(max_length=60, description="From the address of the next page.")]


@read("/lists/{order}", response=schemas.Posts, operation_id="list", tags=["Lists"])
def site_list(
    request: HttpRequest, order: Family, t: Period = None, p: PageNumber = 1, after: After = ""
) -> schemas.Posts:
    """Return a page of the site's posts."""
    address = _address("", order, request.GET)
    found = listing(
        address.order, address.number, direction=address.direction, cursor=address.cursor
    )
    return _posts(request, found, address)


@read(
    "/groups/{expr}/lists/{order}",
    response=schemas.Posts,
    operation_id="list_of_groups",
    tags=["Lists"],
)
def group_list(
    request: HttpRequest,
    expr: Name,
    order: Family,
    t: Period = None,
    p: PageNumber = 1,
    after: After = "",
) -> schemas.Posts:
    """Return a page of the posts of a group, or of groups combined with `+`, `&` or `~`."""
    found = group_addresses.find(expr)
    address = _address("", order, request.GET)
    page = listing(
        address.order,
        address.number,
        group=found.parsed,
        direction=address.direction,
        cursor=address.cursor,
    )
    return _posts(request, page, address)


@read(
    "/sites/{host}/lists/{order}",
    response=schemas.Posts,
    operation_id="list_of_site",
    tags=["Lists"],
)
def site_posts(
    request: HttpRequest, host: Name, order: Family, t: Period = None, p: PageNumber = 1
) -> schemas.Posts:
    """Return a page of the posts that link to a host."""
    address = _address("", order, request.GET)
    found = hosts.listing_of_host(host, address.order, p, direction=address.direction)
    return _posts(request, found, address)


@read("/days/{day}", response=schemas.Posts, operation_id="day", tags=["Lists"])
def best_of_day(request: HttpRequest, day: Day, p: PageNumber = 1) -> schemas.Posts:
    """Return a page of the best posts of a day, in the order at the day's end (UTC)."""
    if day > days.today():
        raise Http404("a day to come")
    return _posts(request, days.listing_of_day(day, p), ListingAddress("", "", _ANY, number=p))


@read("/posts/{post_id}", response=schemas.FullPost, operation_id="post", tags=["Posts"])
def post(request: HttpRequest, post_id: Id) -> schemas.FullPost:
    """Return a post. A merged post's id returns the post that it was merged into."""
    found = find_post(post_id)
    return serializers.full_post(found, post_state(found, None))


@read(
    "/posts/{post_id}/standing",
    response=schemas.Standing,
    operation_id="standing",
    tags=["Posts"],
)
def standing(request: HttpRequest, post_id: Id) -> schemas.Standing:
    """Return why a post is where it is in the order `hot`."""
    return serializers.standing(post_state(find_post(post_id), None))


@read(
    "/posts/{post_id}/comments",
    response=schemas.Comments,
    operation_id="comments_of_post",
    tags=["Comments"],
)
def comments_of_post(request: HttpRequest, post_id: Id, before: Before = None) -> schemas.Comments:
    """Return a page of a post's comments, newest first."""
    return _comments(request, newest.of_post(find_post(post_id), before))


@read("/comments", response=schemas.Comments, operation_id="comments", tags=["Comments"])
def comments(request: HttpRequest, before: Before = None) -> schemas.Comments:
    """Return a page of the newest comments of the site."""
    return _comments(request, newest.of_site(before))


@read("/comments/{comment_id}", response=schemas.Comment, operation_id="comment", tags=["Comments"])
def comment(request: HttpRequest, comment_id: Id) -> schemas.Comment:
    """Return a comment."""
    return find_comment(comment_id)


@read("/groups", response=list[schemas.Group], operation_id="groups", tags=["Groups"])
def groups(request: HttpRequest) -> list[schemas.Group]:
    """Return all groups."""
    return [serializers.group(topic) for topic in directory.topics().values()]


@read("/groups/{slug}", response=schemas.Group, operation_id="group", tags=["Groups"])
def group(request: HttpRequest, slug: Name) -> schemas.Group:
    """Return a group. An old name of a renamed or merged group works, too."""
    topic = directory.find(directory.current(slug))
    if topic is None:
        raise Http404("no such group")
    return serializers.group(topic)


@read("/people/{username}", response=schemas.Person, operation_id="person", tags=["People"])
def person(request: HttpRequest, username: Name) -> schemas.Person:
    """Return a member."""
    found = find_member(username)
    counts = profile_state(found, None).counts
    return schemas.Person(
        name=found.username,
        url=absolute(found.get_absolute_url()),
        joined_at=found.date_joined,
        about=found.about,
        posts=counts.posts,
        comments=counts.comments,
        karma=counts.karma,
        followers=counts.followers,
    )


@read(
    "/people/{username}/posts",
    response=schemas.Posts,
    operation_id="posts_of_person",
    tags=["People"],
)
def posts_of_person(request: HttpRequest, username: Name, p: PageNumber = 1) -> schemas.Posts:
    """Return a page of a person's posts, newest first."""
    found = find_member(username)
    ids = posts_of(found, p)
    rows = with_unsynced(ids, profile_state(found, None, ids).rows)
    more = len(ids) == settings.PAGE_SIZE
    return schemas.Posts(
        items=[serializers.post(row) for row in rows],
        next=next_page(request, p=p + 1) if more else None,
    )


@read(
    "/people/{username}/comments",
    response=schemas.Comments,
    operation_id="comments_of_person",
    tags=["People"],
)
def comments_of_person(
    request: HttpRequest, username: Name, before: Before = None
) -> schemas.Comments:
    """Return a page of a person's comments, newest first."""
    return _comments(request, newest.of_person(find_member(username), before))


@read("/leaders", response=schemas.Leaders, operation_id="leaders", tags=["People"])
def leaderboards(
    request: HttpRequest, day: Day | None = None, week: bool = False, group: str = ""
) -> schemas.Leaders:
    """Return the posts and people with the most up votes on a day, by default today (UTC)."""
    today = timezone.now().date()
    day = min(day or today, today)
    found = leaders.leaders(day, week=week, group=directory.current(group), page=1)
    return schemas.Leaders(
        day=day,
        posts=[
            schemas.PostLine(
                rank=line.rank,
                points=line.points,
                id=line.subject.pk,
                title=line.subject.title,
                url=absolute(line.subject.get_absolute_url()),
            )
            for line in found.posts
        ],
        people=[
            schemas.PersonLine(
                rank=line.rank,
                points=line.points,
                name=line.subject.username,
                url=absolute(line.subject.get_absolute_url()),
            )
            for line in found.people
        ],
    )


@read("/search", response=schemas.Hits, operation_id="search", tags=["Search"])
def search(
    request: HttpRequest,
    q: Annotated[str, Query(min_length=1, max_length=500)],
    order: SearchOrder = SearchOrder.RELEVANCE,
    p: PageNumber = 1,
) -> schemas.Hits:
    """Return a page of what a search finds. The search page of the site lists the operators."""
    found = services.search(q, by=guest_subject(request), viewer_id=None, order=order)
    hits, size = found.found.hits, settings.PAGE_SIZE
    shown = results.load(hits[(p - 1) * size : p * size], found.query.words, 0)
    return schemas.Hits(
        items=[
            schemas.Hit(
                kind="comment" if one.is_comment else "post",
                title=one.plain_title,
                url=absolute(one.address),
                excerpt=one.excerpt,
                author=one.author,
                created_at=one.posted_at,
                points=one.points,
            )
            for one in shown
        ],
        total=len(hits),
        not_understood=list(found.query.unknown),
        next=next_page(request, p=p + 1) if len(hits) > p * size else None,
    )


@read("/modlog", response=schemas.Actions, operation_id="moderation_log", tags=["Moderation"])
def moderation_log(request: HttpRequest, group: str = "", before: Before = None) -> schemas.Actions:
    """Return a page of the moderation log, as guests see it."""
    topic = directory.find(directory.current(group)) if group else None
    if group and topic is None:
        raise Http404("no such group")
    page = log.page(LogFilter(group_id=topic.id if topic else None), Reader(), before)
    return schemas.Actions(
        items=[serializers.action(one) for one in page.entries],
        next=next_page(request, before=page.before) if page.before else None,
    )


_ANY = FAMILIES["new"]


def _address(base: str, family: str, query: QueryDict) -> ListingAddress:
    return addresses.read(base, family, query)


def _posts(request: HttpRequest, found: Listing, address: ListingAddress) -> schemas.Posts:
    page = found.page
    following = address.url(address.number + 1, page.last).partition("?")[2]
    path = f"{request.path}?{following}"
    return schemas.Posts(
        items=[serializers.post(row) for row in page.rows],
        next=absolute(path) if page.more else None,
    )


def _comments(request: HttpRequest, flat: FlatPage) -> schemas.Comments:
    return schemas.Comments(
        items=[serializers.comment(one) for one in _voted(flat).comments],
        next=next_page(request, before=flat.older) if flat.older else None,
    )


def _voted(flat: FlatPage) -> FlatPage:
    """Add the votes to a page of comments. One round trip."""
    return newest.with_tallies(flat, newest.tallies_of(flat, None).tallies, None)


def next_page(request: HttpRequest, **changed: object) -> str:
    """Return the address of the request with other parameters."""
    fields = request.GET.dict() | {name: str(value) for name, value in changed.items()}
    return absolute(f"{request.path}?{urlencode(fields)}")


def find_post(post_id: int) -> Post:
    """Return a visible post with its author. Raises Http404 or Gone. One query."""
    posts = Post.objects.select_related("author").defer("search_text")
    found = surviving(get_object_or_404(posts, pk=post_id))
    if found.deleted_at:
        raise Gone(found)
    return found


def find_comment(comment_id: int) -> schemas.Comment:
    """Return a visible comment. Raises Http404 or Gone. Two queries and one round trip."""
    found = get_object_or_404(Comment.objects.select_related("post"), pk=comment_id)
    if found.deleted_at or found.post.deleted_at:
        raise Gone(found if found.deleted_at else found.post)
    (shown,) = _voted(newest.of_ids([comment_id])).comments
    return serializers.comment(shown)


def find_member(name: str) -> User:
    """Return the person with a name. Raises Http404. One query, two if the case differs."""
    found = find_person(name)
    if found is None:
        raise Http404("no such person")
    return found
