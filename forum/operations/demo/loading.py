"""Loads the demo content once, into a site that nobody has used yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import chain

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction

from forum.gateway.service import get_voting_service
from forum.models import Group, Post, User
from forum.operations.demo import comments, content, history, inbox_items, ties, visits
from forum.operations.demo.content import Entry, Person
from forum.operations.demo.conversations import Told, told
from forum.operations.demo.scene import Scene, moment
from forum.operations.importing.drafts import Draft, draw
from forum.operations.importing.writer import ensure_groups, write_batch
from forum.operations.repair.rebuild import fill_the_rest


@dataclass(frozen=True, slots=True)
class DemoLogin:
    """A name and password that anybody may know."""

    username: str
    password: str
    runs_the_site: bool = False


DEMO_LOGINS = (
    DemoLogin("ada", "rostra-demo-ada", runs_the_site=True),
    DemoLogin("bram", "rostra-demo-bram"),
    DemoLogin("lucia", "rostra-demo-lucia"),
)


def refusal() -> str:
    """Return the sentence that says why this site must not have demo log-ins; "" if it may."""
    if settings.PRODUCTION:
        return "Demo content has log-ins everybody knows: not with PRODUCTION=1."
    if not _is_loopback(settings.HOST):
        return f"Demo content has log-ins everybody knows: not with HOST={settings.HOST}."
    return ""


def is_unused() -> bool:
    """Say whether the site has no posts, and nobody who has the name of a demo person."""
    names = {person.username for person in content.people()}
    taken = {name.lower() for name in User.objects.values_list("username", flat=True)}
    return not (names & taken or Post.objects.exists())


def load_demo() -> int:
    """Write people, groups, posts and all that happened since; return how many posts.

    Ask `refusal` and `is_unused` first. One transaction. Raises StoreUnavailable where Redis could
    not be told: posts and comments then wait in the outbox, the rest for the next rebuild.
    """
    now = get_voting_service().now()
    accounts = [_account(person, now) for person in content.people()]
    with transaction.atomic():
        people = {user.username: user for user in User.objects.bulk_create(accounts)}
        there = ensure_groups(content.groups())
        entries = content.entries()
        drafts = [_draft(entry, people, there, now) for entry in entries]
        posts = write_batch(drafts)
        keys = (entry.key for entry in entries)
        scene = Scene(now, people, there, dict(zip(keys, posts, strict=True)))
        talk = told(scene)
        _write_life(scene, drafts, talk)
    _tell(scene, talk)
    return len(posts)


def _write_life(scene: Scene, drafts: Sequence[Draft], talk: Sequence[Told]) -> None:
    """Write what people said and did about the posts."""
    written = comments.write(scene, talk)
    follows = ties.write(scene, talk)
    inbox_items.write(scene, talk, written, follows)
    history.write_views(scene)
    casts = chain.from_iterable([one.votes for one in drafts] + [one.votes for one in talk])
    history.write_activity(scene, talk, ((cast.user_id, cast.at) for cast in casts))


def _tell(scene: Scene, talk: Sequence[Told]) -> None:
    """Tell Redis all that does not go by the outbox, as a rebuild would."""
    fill_the_rest()
    visits.replay(scene, talk)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _account(person: Person, now: int) -> User:
    login = next((one for one in DEMO_LOGINS if one.username == person.username), None)
    runs_the_site = login is not None and login.runs_the_site
    return User(
        username=person.username,
        about=person.about,
        password=make_password(login.password if login else None),
        date_joined=moment(now - person.joined * 86_400),
        is_staff=runs_the_site,
        is_superuser=runs_the_site,
        origin=f"demo:{person.username}",
    )


def _draft(entry: Entry, people: Mapping[str, User], there: Mapping[str, Group], now: int) -> Draft:
    """Return a post with voters drawn from those who were here when it was posted."""
    posted_at = now - int(entry.hours_ago * 3_600)
    author_id = people[entry.author].pk
    here = [user.pk for user in people.values() if user.date_joined.timestamp() <= posted_at]
    votes = draw(
        entry.key,
        author_id=author_id,
        posted_at=posted_at,
        up=entry.ups,
        down=entry.downs,
        people=here,
    )
    return Draft(
        origin=f"demo:{entry.key}",
        author_id=author_id,
        kind=entry.kind,
        title=entry.title,
        url=entry.url,
        body=entry.body,
        posted_at=posted_at,
        groups=tuple(there[slug] for slug in entry.groups),
        votes=votes,
    )
