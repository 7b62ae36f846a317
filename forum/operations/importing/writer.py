"""Saves posts and their votes in SQL in batches, and syncs the posts to Redis after commit."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.db import connection, transaction

from forum.actions.duplicate_links import address_fields
from forum.ledger import bulk_sql, finished_days, leaderboards, starting_points, vote_value
from forum.ledger.counters import AuthorSync, sync_votes
from forum.ledger.leaderboards import Change, dated_vote
from forum.models import ArchivedVote, Group, Post
from forum.operations.importing.drafts import Draft
from forum.queries.people import find_names
from forum.store import outbox
from forum.store.post_sync import PostSync
from forum.text import markup, search_text
from voting.types import Target


def ensure_groups(groups: Sequence[Group]) -> dict[str, Group]:
    """Create the groups that don't exist yet; leave existing groups unchanged.

    Returns a dict from slug to saved group.
    """
    Group.objects.bulk_create(groups, ignore_conflicts=True)
    return Group.objects.in_bulk([group.slug for group in groups], field_name="slug")


def write_batch(drafts: Sequence[Draft]) -> list[Post]:
    """Save posts in SQL with their groups and votes, and sync the posts to Redis after commit.

    One transaction. Raises StoreUnavailable if Redis is down after the commit. The posts then wait
    in the outbox.
    """
    made = [_post(draft) for draft in drafts]
    with transaction.atomic():
        score = vote_value.scoring()
        for post in made:
            post.score = score(post.posted_at, post.points)
        posts = Post.objects.bulk_create(made)
        starting_points.record(posts)
        finished_days.forget({post.created_at.date() for post in posts})
        pairs = list(zip(posts, drafts, strict=True))
        memberships = [(post.pk, group.pk) for post, draft in pairs for group in draft.groups]
        bulk_sql.insert(Post.groups.through, ("post_id", "group_id"), memberships)
        votes = ("post_id", "comment_id", "user_id", "vote", "at")
        bulk_sql.insert(ArchivedVote, votes, list(_votes(pairs)))
        items = outbox.write(*(PostSync(post.pk) for post in posts))
        transaction.on_commit(partial(outbox.deliver, items))
        outbox.add(AuthorSync(sorted({post.author_id for post in posts})))
        sync_votes(leaderboards.credit(_changes(pairs)))
    return posts


def _post(draft: Draft) -> Post:
    html = markup.render(draft.body, find_names) if draft.body else ""
    return Post(
        author_id=draft.author_id,
        kind=draft.kind,
        title=draft.title,
        **address_fields(draft.url),
        body=draft.body,
        body_html=html,
        search_text=search_text.of_post(draft.title, draft.url, html),
        created_at=datetime.fromtimestamp(draft.posted_at, UTC),
        up=draft.up,
        down=draft.down,
        starting_points=draft.starting_points,
        origin=draft.origin,
    )


def _votes(pairs: Iterable[tuple[Post, Draft]]) -> Iterator[tuple[Any, ...]]:
    moment = connection.ops.adapt_datetimefield_value
    for post, draft in pairs:
        for user_id, vote, at in draft.votes:
            yield post.pk, 0, user_id, int(vote), moment(datetime.fromtimestamp(at, UTC))


def _changes(pairs: Iterable[tuple[Post, Draft]]) -> list[Change]:
    """Convert the votes to vote changes, which are the input for karma and leaderboards."""
    return [
        Change(cast.user_id, Target(post.pk), None, dated_vote(cast.vote, cast.at))
        for post, draft in pairs
        for cast in draft.votes
    ]
