"""Returns the viewer of a page. All code uses this module instead of `request.user`:

- `viewer` returns what pages need to know about the person, from the cache; None for a guest;
- `member` returns the person's whole row from SQL, for views that require a log-in;
- `is_staff` guards what only staff see;
- `viewer_of` returns a person who is identified without a session, for example by a secret URL;
- `subject` returns the person or network whose actions the rate limits count.

The session contains the person's id. The cache keeps the `Viewer` until the person is saved
(`User.save`).
"""

from dataclasses import astuple, dataclass, field, fields
from typing import cast

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.core.cache import cache
from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from forum.errors import Forbidden
from forum.identity.languages import note_first_visit
from forum.identity.network import client_network
from forum.identity.published_passwords import refusal
from forum.identity.roles import acts_as_staff, governing_ids, groups_of, has_powers, powers_of
from forum.identity.session_use import is_over
from forum.identity.throttle import Subject
from forum.identity.visits import note_visit
from forum.models import Application, Mute, Post, User
from forum.models.powers import NO_POWERS, Powers
from forum.models.user import viewer_key
from forum.store.newcomers import new_until

FOREVER = 2**53
"""The value of `site_ban` for a permanent ban, in seconds since 1970."""
LIFE = 300
"""For how many seconds a viewer stays cached, at most."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """The data about a logged-in person that pages need."""

    id: int
    name: str
    is_staff: bool
    joined_at: int
    """When the person signed up, in seconds since 1970."""
    keeps_history: bool
    hides_read: bool
    blocked: frozenset[str]
    """The user names of the people whom this person blocked."""
    reads_queue: bool
    """Whether the person is a moderator or an auditor, who may read the moderation queue."""
    site_ban: int
    """When the person's ban from the site ends, in seconds since 1970. 0 for no ban, `FOREVER` for
    a permanent ban.
    """
    is_applicant: bool
    """Whether the person may only read, because moderators haven't accepted the application yet."""
    muted_words: tuple[str, ...] = ()
    """Words that the person mutes. Listings for the person leave out posts with these words."""
    muted_domains: frozenset[str] = frozenset()
    """Host names that the person mutes. Listings for the person leave out links to these hosts."""
    has_published_password: bool = False
    """Whether everybody knows the person's password. In production, the account is refused."""
    is_declined: bool = False
    """Whether moderators declined the person's application to join."""
    labels: dict[str, str] = field(default_factory=dict, hash=False)
    """The person's labels of other people, by name; "" for a note without a label."""
    new_until: int = 0
    """When the account stops being new for voting (s since 1970); 0 if it isn't new."""
    karma: int = field(default=0, compare=False)
    """May be `LIFE` seconds old."""
    last_visit: int = 0
    """When the person's previous visit ended, in seconds since 1970; 0 if there was none."""

    @property
    def is_refused(self) -> bool:
        """Return whether nobody may use the account until it has a new password."""
        return settings.PRODUCTION and self.has_published_password


CACHED_FIELDS = len(fields(Viewer)) + 1
"""The number of cached values, including the session hash. A different number means that a
different version of the site wrote the values.
"""


def viewer(request: HttpRequest) -> Viewer | None:
    """Return the viewer, or None for a guest.

    While both the cache and SQL are down, returns None for everybody.
    """
    if not hasattr(request, "viewer"):
        try:
            request.viewer = _find(request)  # type: ignore[attr-defined]
        except DatabaseError:
            return None
    return cast(Viewer | None, request.viewer)  # type: ignore[attr-defined]


def viewer_id(request: HttpRequest) -> int | None:
    """Return the viewer's id, or None for a guest."""
    person = viewer(request)
    return person.id if person else None


def member(request: HttpRequest) -> User:
    """Return the logged-in person's whole row from SQL.

    Only for views that require a log-in.
    """
    assert isinstance(request.user, User)  # noqa: S101 - the view requires a log-in
    return request.user


def member_viewer(request: HttpRequest) -> Viewer:
    """Return the viewer, in views that require a log-in."""
    found = viewer(request)
    assert found is not None  # noqa: S101 - the view requires a log-in
    return found


def powers(request: HttpRequest) -> Powers:
    """Return what the viewer may do as a moderator, for example which groups they moderate."""
    person = viewer(request)
    if person is None or not person.reads_queue:
        return NO_POWERS
    if not hasattr(request, "powers"):
        request.powers = powers_of(request.user)  # type: ignore[attr-defined]
    return cast(Powers, request.powers)  # type: ignore[attr-defined]


def moderates_post(request: HttpRequest, post: Post) -> bool:
    """Return whether the viewer moderates any of a post's governing groups."""
    own = powers(request)
    return own.moderates and own.moderates_some(governing_ids(post))


def takes_out_post(request: HttpRequest, post: Post) -> bool:
    """Return whether the viewer moderates any of a post's groups, and so can take the post out."""
    own = powers(request)
    return own.moderates and own.moderates_some(groups_of(post))


def is_staff(request: HttpRequest) -> bool:
    """Return whether the viewer may act as staff."""
    person = viewer(request)
    if person is None or not person.is_staff:
        return False
    return acts_as_staff(request.user)


def subject(request: HttpRequest) -> Subject:
    """Return the person or network whose actions the rate limits count.

    This is the viewer, or the network of a guest.
    """
    person = viewer(request)
    return Subject.person(person.id, person.joined_at) if person else guest_subject(request)


def guest_subject(request: HttpRequest) -> Subject:
    """Return the client's IP network, to which rate limits on guests, log-ins and sign-ups
    apply.
    """
    return Subject.network(client_network(request))


def _find(request: HttpRequest) -> Viewer | None:
    user_id = request.session.get(SESSION_KEY)
    if user_id is None:
        return None
    cached = _cached(request, user_id)
    if cached:
        found, session_hash = cached
        same = constant_time_compare(request.session.get(HASH_SESSION_KEY, ""), session_hash)
        over = is_over(request.session, has_role=found.reads_queue)
        if same and not found.is_refused and not over:
            return found
    return _from_sql(request)


def _cached(request: HttpRequest, user_id: int) -> tuple[Viewer, str] | None:
    """Return the cached viewer and the hash that the sessions must have; None if not cached."""
    cached = getattr(request.session, "cached_viewer", None) or cache.get(viewer_key(user_id))
    if not cached or len(cached) != CACHED_FIELDS:
        return None
    *values, session_hash = cached
    return Viewer(*values), session_hash


def has_role(request: HttpRequest, user: User) -> bool:
    """Return whether the session's user has a role. A query only if the viewer isn't cached."""
    cached = _cached(request, user.pk)
    return cached[0].reads_queue if cached else has_powers(user)


def _site_ban(user: User) -> int:
    """Return when a person's ban from the site ends; 0 without a ban."""
    ban = user.bans.filter(group=None, lifted_at=None).first()
    if ban is None or not ban.is_active:
        return 0
    return int(ban.until.timestamp()) if ban.until else FOREVER


def _mutes(user: User) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the words and the domains that a person mutes."""
    found = list(user.mutes.order_by("text").values_list("kind", "text"))
    words = tuple(text for kind, text in found if kind == Mute.Kind.WORD)
    return words, frozenset(text for kind, text in found if kind == Mute.Kind.DOMAIN)


def viewer_of(user_id: int) -> Viewer:
    """Return the `Viewer` object for a person.

    Needs no session. Raises User.DoesNotExist if the account was deleted or disabled. Raises
    Forbidden if the account is refused for its published password.
    """
    cached = cache.get(viewer_key(user_id))
    if cached and len(cached) == CACHED_FIELDS:
        found = Viewer(*cached[:-1])
    else:
        found = _store(User.objects.get(pk=user_id, is_active=True))
    if found.is_refused:
        raise Forbidden(refusal(found.name))
    return found


def _from_sql(request: HttpRequest) -> Viewer | None:
    """Return the viewer from SQL; None for a guest.

    Uses `request.user`, for which Django has already checked the session.
    """
    user = getattr(request, "user", None)  # unset if earlier middleware refused the request
    if not isinstance(user, User):
        return None
    note_visit(user, request)
    found = _store(user)
    note_first_visit(user)
    return found


def _store(user: User) -> Viewer:
    """Read a viewer from SQL, store the viewer in the cache, and return the viewer.

    Doesn't store the viewer if the person was saved in the last few seconds, because this function
    may have read the old values from SQL.
    """
    found = Viewer(
        user.pk,
        user.get_username(),
        user.is_staff,
        int(user.date_joined.timestamp()),
        user.keeps_history,
        user.hides_read,
        frozenset(user.blocks.values_list("blocked__username", flat=True)),
        user.is_staff or user.is_auditor or user.moderates.exists(),
        _site_ban(user),
        user.is_applicant,
        *_mutes(user),
        has_published_password=user.has_published_password,
        is_declined=user.is_applicant and _is_declined(user),
        new_until=new_until(user),
        karma=user.karma,
        labels=dict(user.person_notes.values_list("person__username", "label")),
        last_visit=int(user.last_visit_at.timestamp()) if user.last_visit_at else 0,
    )
    cache.add(viewer_key(user.pk), (*astuple(found), user.get_session_auth_hash()), LIFE)
    return found


def _is_declined(user: User) -> bool:
    return Application.objects.filter(user=user, accepted=False).exists()
