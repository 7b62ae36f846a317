"""People, groups and leaderboards."""

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router

from forum.actions import following
from forum.api import schemas, serializers
from forum.api.auth import Scope
from forum.api.bodies import Switch
from forum.api.lookups import find_person
from forum.api.operations import READS, needs
from forum.api.parameters import Day, Name
from forum.api.serializers import absolute
from forum.api.tokens import Access
from forum.identity.viewers import member
from forum.models import ApiToken, Group
from forum.queries import days, leaders
from forum.queries.groups import directory
from forum.queries.people import profile_state

router = Router(tags=["People and groups"])


@router.get("/people/{username}", response=schemas.Person, openapi_extra=READS)
def person(request: HttpRequest, username: Name) -> schemas.Person:
    """Return a person."""
    found = find_person(username)
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


@router.get("/me", **needs(Scope, schemas.Me))
def me(request: HttpRequest) -> schemas.Me:
    """Return whose token this is, what it may do, and the limits. Any token may ask."""
    access: Access = request.token  # type: ignore[attr-defined]
    return serializers.me(member(request), ApiToken.objects.get(pk=access.token_id))


@router.post("/people/{username}/follow", **needs(Scope.WRITE, schemas.Done))
def follow_person(request: HttpRequest, username: Name, body: Switch) -> schemas.Done:
    """Follow a person, or stop following them."""
    following.follow(member(request), find_person(username), on=body.on)
    return schemas.Done()


@router.get("/leaders", response=schemas.Leaders, openapi_extra=READS)
def leaderboards(
    request: HttpRequest, day: Day | None = None, week: bool = False, group: str = ""
) -> schemas.Leaders:
    """Return the posts and people with the most up votes on a day, by default today (UTC)."""
    slug = directory.current(group)
    if group and directory.find(slug) is None:
        raise Http404("no such group")
    today = days.today()
    day = min(day or today, today)
    found = leaders.leaders(day, week=week, group=slug, page=1)
    return schemas.Leaders(
        day=day,
        posts=[
            schemas.PostLine(
                rank=line.rank,
                points=None if line.hides_score else line.points,
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


@router.get("/groups", response=list[schemas.Group], openapi_extra=READS)
def groups(request: HttpRequest) -> list[schemas.Group]:
    """Return all groups."""
    return [serializers.group(topic) for topic in directory.topics().values()]


@router.get("/groups/{slug}", response=schemas.Group, openapi_extra=READS)
def group(request: HttpRequest, slug: Name) -> schemas.Group:
    """Return a group. An old name of a renamed or merged group works, too."""
    topic = directory.find(directory.current(slug))
    if topic is None:
        raise Http404("no such group")
    return serializers.group(topic)


@router.post("/groups/{slug}/follow", **needs(Scope.WRITE, schemas.Done))
def follow_group(request: HttpRequest, slug: Name, body: Switch) -> schemas.Done:
    """Follow a group, or stop following it."""
    group = get_object_or_404(Group, slug=directory.current(slug))
    following.follow(member(request), group, on=body.on)
    return schemas.Done()
