"""Finds people by name, and reads what their profiles show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, Value
from django.db.models.functions import Lower

from forum.models import Ban, PersonFollow, Post, User
from forum.models.deleted_names import is_deleted
from forum.queries.counts import sql_counts
from forum.queries.listings import sql_row, with_archived_votes
from forum.queries.merged_posts import with_merged
from forum.queries.names import find_former, former_names
from forum.queries.social import names, sql_ties
from forum.store import post_cards
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable
from voting.types import Row, Target
from voting.types.comments import CommentTally
from voting.types.follows import FollowCounts
from voting.types.people import PersonCounts


def find_person(name: str, *, unconfirmed: bool = False) -> User | None:
    """Return the person with this name, ignoring case, or the person who had it within a year.

    Ignores deleted accounts, and accounts that nobody has confirmed or logged in to, unless
    `unconfirmed`. One query, two if the case differs, three for a former name.
    """
    if not name.isprintable() or is_deleted(name):
        return None
    people = User.objects.alias(small=Lower("username"))  # uses the index; `iexact` doesn't
    if not unconfirmed:
        people = people.filter(is_unconfirmed=False)
    found = people.filter(username=name).first() or people.filter(small=Lower(Value(name))).first()
    return found or find_former(name)


def site_ban(person: User) -> Ban | None:
    """Return a person's active ban from the site, or None. One query."""
    return Ban.objects.active().filter(user=person, group=None).first()


def find_login(name: str) -> User | None:
    """Return the person who logs in with this name, ignoring case. One query in each case."""
    if not name.isprintable():
        return None
    return User.objects.alias(small=Lower("username")).filter(small=Lower(Value(name))).first()


def find_names(names: Sequence[str]) -> dict[str, str]:
    """Map lower-case user names to the names as their owners spell them. One query.

    Names that people had within a year are mapped to their present names.
    """
    people = User.objects.annotate(small=Lower("username"), is_present=Value(1))
    people = people.filter(small__in=names, is_unconfirmed=False)
    former = former_names().annotate(small=Lower("name"), is_present=Value(0))
    former = former.filter(small__in=names, user__isnull=False)
    found = people.values_list("small", "username", "is_present").union(
        former.values_list("small", "user__username", "is_present")
    )
    return {small: name for small, name, _present in found.order_by("is_present")}


def complete_names(begun: str, viewer_id: int, most: int) -> list[str]:
    """Return up to `most` names of other people that begin with `begun`, ignoring case.

    People whom the viewer follows come first, then people with more karma. One query.
    """
    if not begun.isprintable():
        return []
    followed = Exists(PersonFollow.objects.filter(follower=viewer_id, person=OuterRef("pk")))
    people = User.objects.filter(is_active=True, is_unconfirmed=False).exclude(pk=viewer_id)
    people = people.annotate(small=Lower("username"), followed=followed)
    people = people.filter(small__startswith=begun.lower())
    ordered = people.order_by("-followed", "-karma", "small")
    return list(ordered.values_list("username", flat=True)[:most])


@dataclass(frozen=True, slots=True)
class ProfileState:
    """The counts, follows and posts on a profile. They come from SQL if `redis_down`."""

    counts: PersonCounts
    ties: FollowCounts
    rows: tuple[Row, ...]
    redis_down: bool
    unread: int | None = None
    """The number of unread items in the viewer's inbox."""
    common: tuple[str, ...] = ()
    """The names of people whom the viewer and the person both follow."""
    tallies: Mapping[int, CommentTally] = field(default_factory=dict)
    """The tallies of the page's comments; empty while Redis is unavailable."""


def profile_state(
    person: User,
    viewer_id: int | None,
    post_ids: Sequence[int] = (),
    comments: Sequence[Target] = (),
    *,
    compared: bool = False,
) -> ProfileState:
    """Return the data on a profile: counts, follows, rows of posts and tallies of comments.

    If `compared`, also returns the people whom both the viewer and the person follow. One round
    trip; `compared` takes one more round trip and one query. One query if some of the viewer's
    votes are only in SQL. Eight queries while Redis is unavailable.
    """
    try:
        found = get_voting_service().people.view(
            person.pk, viewer=viewer_id, post_ids=post_ids, comments=comments, compared=compared
        )
    except StoreUnavailable:
        ties = sql_ties(person, viewer_id)
        rows = with_archived_votes(_sql_rows(post_ids), viewer_id)
        return ProfileState(_sql_counts(person), ties, rows, redis_down=True)
    named = names(found.common)
    return ProfileState(
        found.counts or _sql_counts(person),
        found.follows,
        with_archived_votes(found.rows, viewer_id),
        redis_down=False,
        unread=found.unread,
        common=tuple(named[one] for one in found.common if one in named),
        tallies=found.tallies,
    )


def posts_of(person: User, number: int) -> list[int]:
    """Return a page of the ids of a person's posts, newest first, and one more id if there is one.

    Includes merged posts. One query.
    """
    start = (number - 1) * settings.PAGE_SIZE
    posts = Post.objects.listed().filter(author=person).order_by("-created_at", "-pk")
    return list(posts.values_list("pk", flat=True)[start : start + settings.PAGE_SIZE + 1])


def posts_after(person: User, after: Post | None) -> list[int]:
    """Return a page of the ids of a person's posts, newest first, and one more id if there is one.

    Includes merged posts. The page begins after a post, which may be deleted, so that no post is
    repeated or skipped if posts are published or deleted meanwhile. One query.
    """
    posts = Post.objects.listed().filter(author=person).order_by("-created_at", "-pk")
    if after:
        same_time = Q(created_at=after.created_at, pk__lt=after.pk)
        posts = posts.filter(Q(created_at__lt=after.created_at) | same_time)
    return list(posts.values_list("pk", flat=True)[: settings.PAGE_SIZE + 1])


def with_unsynced(post_ids: Sequence[int], rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows of these posts: from `rows`, or else from SQL.

    Rows of merged posts lead to the posts that remain. Two queries at most, more with merged posts.
    """
    known = {row.id: row for row in rows}
    unsynced = [post_id for post_id in post_ids if post_id not in known]
    known |= {row.id: row for row in _sql_rows(unsynced)} if unsynced else {}
    return with_merged(post_ids, known.values())


def _sql_rows(post_ids: Sequence[int]) -> tuple[Row, ...]:
    """Return the rows of these posts from SQL. Two queries."""
    posts = post_cards.with_cards(Post.objects.visible())
    found = posts.prefetch_related("groups").in_bulk(post_ids)
    return tuple(sql_row(found[post_id]) for post_id in post_ids if post_id in found)


def _sql_counts(person: User) -> PersonCounts:
    return sql_counts([person.pk])[person.pk]


def highest_id() -> int:
    """Return the highest person id, which is the length of the activity bitmaps. One query."""
    return User.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
