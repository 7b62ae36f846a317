"""Computes what voiding votes would change: points and ranks of posts, and people's karma."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Case, Count, OuterRef, Subquery, Sum, When

from forum.ledger import vote_value
from forum.models import Comment, Post, User
from forum.models.archive import ArchivedVoteQuerySet
from forum.models.managers import TEXTS
from forum.moderation.actions.voidable import VoidableVotes, counted_once

SHOWN = 10
"""The most posts and the most people that a preview shows."""
MASS_VOTES, MASS_ACCOUNTS = 500, 20
"""If more votes are to be voided, or votes of more accounts, moderators are asked twice."""


@dataclass(frozen=True, slots=True)
class PostEffect:
    """A post, and its points and its rank among all posts, before and after votes are voided."""

    post: Post
    points: tuple[int, int]
    rank: tuple[int, int]


@dataclass(frozen=True, slots=True)
class KarmaEffect:
    """A person's karma before and after votes are voided."""

    person: User
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Effect:
    """The changes that voiding votes makes."""

    votes: int
    accounts: int
    posts: tuple[PostEffect, ...] = ()
    """The posts that change most."""
    people: tuple[KarmaEffect, ...] = ()
    """The people whose karma changes most."""

    @property
    def is_mass(self) -> bool:
        """Whether so many votes would be voided that moderators are asked twice."""
        return self.votes > MASS_VOTES or self.accounts > MASS_ACCOUNTS


def effect(votes: VoidableVotes, *, least: int) -> Effect:
    """Return what changes if votes are voided. At most 25 queries.

    Leaves out posts and people that got votes of fewer than `least` of the accounts: only admins
    may see how a single person voted. Ranks of posts that others merged into them are estimates.
    """
    rows = votes.rows()
    counts = counted_once(rows).aggregate(
        votes=Count("pk"), accounts=Count("user_id", distinct=True)
    )
    if not counts["votes"]:
        return Effect(0, 0)
    counted = rows.counted().order_by()
    return Effect(
        counts["votes"],
        counts["accounts"],
        tuple(_post_effects(counted.filter(comment_id=0), least)),
        tuple(_karma_effects(counted, least)),
    )


def _post_effects(counted: ArchivedVoteQuerySet, least: int) -> Iterable[PostEffect]:
    """Yield the posts whose points change most."""
    sums = counted.values_list("post_id").annotate(Sum("vote"), Count("pk"))
    many = {pk for pk, _sum, number in sums if number >= least}
    lost = {pk: points for pk, points, _number in sums}
    visible = Post.objects.visible()
    posts = list(visible.filter(pk__in=counted.values("post_id")).defer(*TEXTS))
    score_of = vote_value.scoring()
    later = {post.pk: score_of(post.posted_at, post.points - lost[post.pk]) for post in posts}
    changed = [post for post in posts if post.pk in many and lost[post.pk]]
    for post in sorted(changed, key=lambda post: (-abs(lost[post.pk]), -post.pk))[:SHOWN]:
        rank = 1 + visible.filter(score__gt=post.score).count()
        above = visible.filter(score__gt=later[post.pk]).count()
        above -= sum(one.score > later[post.pk] for one in posts)
        above += sum(score > later[post.pk] for score in later.values())
        yield PostEffect(post, (post.points, post.points - lost[post.pk]), (rank, above + 1))


def _karma_effects(counted: ArchivedVoteQuerySet, least: int) -> Iterable[KarmaEffect]:
    """Yield the people whose karma changes most. Votes on merged posts aren't karma."""
    posts = Post.objects.filter(pk=OuterRef("post_id"), merged_into=None)
    comments = Comment.objects.filter(pk=OuterRef("comment_id"))
    author = Case(
        When(comment_id=0, then=Subquery(posts.values("author"))),
        default=Subquery(comments.values("author")),
    )
    sums = counted.annotate(author=author).values_list("author")
    lost = Counter[int]()
    for person_id, votes, voters in sums.annotate(Sum("vote"), Count("user_id", distinct=True)):
        if person_id is not None and votes and voters >= least:
            lost[person_id] = votes
    most = sorted(lost, key=lambda pk: (-abs(lost[pk]), pk))[:SHOWN]
    people = User.objects.in_bulk(most)
    for pk in most:
        yield KarmaEffect(people[pk], people[pk].karma, people[pk].karma - lost[pk])
