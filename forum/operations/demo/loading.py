"""Loads the demo content into an unused site."""

from collections.abc import Mapping
from ipaddress import ip_address
from itertools import chain

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group as Role
from django.db import transaction

from forum.actions import account_deletions
from forum.models import Erasure, Group, Post, User
from forum.models.published_passwords import DEMO_LOGINS
from forum.operations.demo import content
from forum.operations.demo.content import Entry, Person
from forum.operations.demo.conversations import place_remarks, write_comments
from forum.operations.demo.history import replay_visits, write_activity, write_views
from forum.operations.demo.inbox_items import write_inboxes
from forum.operations.demo.moderation import moderate
from forum.operations.demo.scene import Scene, moment
from forum.operations.demo.ties import write_ties
from forum.operations.demo.waiting_votes import write_waiting_votes
from forum.operations.importing.drafts import Draft, draw
from forum.operations.importing.writer import ensure_groups, write_batch
from forum.operations.repair.rebuild import fill_the_rest
from forum.store.service import get_voting_service

LEAVES = "margin-notes"
"""The person whose account is in deletion."""
MODERATORS = "Moderators"
"""The name of the moderators' role in the admin. A migration creates this role."""


def refusal() -> str:
    """Return why demo log-ins, whose passwords are public, are forbidden here; "" if allowed."""
    if settings.PRODUCTION:
        return "Demo content has log-ins everybody knows: not with PRODUCTION=1."
    if not _is_loopback(settings.HOST):
        return f"Demo content has log-ins everybody knows: not with HOST={settings.HOST}."
    return ""


def is_unused() -> bool:
    """Return whether the site has no posts and no accounts with the demo people's names."""
    names = {person.username for person in content.people()}
    taken = {name.lower() for name in User.objects.values_list("username", flat=True)}
    return not (names & taken or Post.objects.exists())


def load_demo() -> int:
    """Save all demo content in one transaction; return the number of posts.

    Check `refusal` and `is_unused` first. If Redis is down, raises StoreUnavailable after saving
    the content in SQL: posts and comments then wait in the outbox to be synced to Redis, and a
    rebuild adds the other content.
    """
    now = get_voting_service().now()
    accounts = [_account(person, now) for person in content.people()]
    with transaction.atomic():
        people = {user.username: user for user in User.objects.bulk_create(accounts)}
        _give_roles(people)
        groups = ensure_groups(content.groups())
        entries = content.entries()
        drafts = [_draft(entry, people, groups, now) for entry in entries]
        posts = write_batch(drafts)
        keys = (entry.key for entry in entries)
        scene = Scene(now, people, groups, dict(zip(keys, posts, strict=True)))
        conversation = place_remarks(scene)
        write_comments(conversation)
        write_waiting_votes(scene)
        follows = write_ties(scene, conversation)
        write_inboxes(scene, conversation, follows)
        write_views(scene)
        cast = chain.from_iterable(
            [one.votes for one in drafts] + [one.votes for one in conversation]
        )
        write_activity(scene, conversation, ((vote.user_id, vote.at) for vote in cast))
        moderate(scene, conversation)
        _delete_account(people[LEAVES], now)
    fill_the_rest()
    replay_visits(scene, conversation)
    return len(posts)


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
        is_staff=runs_the_site or (login is not None and login.moderates_the_site),
        is_superuser=runs_the_site,
        origin=f"demo:{person.username}",
    )


def _give_roles(people: Mapping[str, User]) -> None:
    """Give site moderators their role in the admin, if the role exists."""
    moderators = [people[one.username] for one in DEMO_LOGINS if one.moderates_the_site]
    for role in Role.objects.filter(name=MODERATORS):
        role.user_set.add(*moderators)


def _delete_account(person: User, now: int) -> None:
    """Ask for the deletion of an account, as the person did two days ago."""
    asked_at = moment(now - 2 * 86_400)
    Erasure.objects.create(user=person, asked_at=asked_at, due_at=asked_at + account_deletions.WAIT)


def _draft(
    entry: Entry, people: Mapping[str, User], groups: Mapping[str, Group], now: int
) -> Draft:
    """Return a post that is ready to be saved, with votes by people who had already joined."""
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
        groups=tuple(groups[slug] for slug in entry.groups),
        votes=votes,
    )
