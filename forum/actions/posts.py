"""Submitting, editing, deleting and moving posts.

Each change is one SQL transaction with an outbox row. After the commit the post is synced to Redis;
if that fails, the worker syncs it later.

Markdown is rendered before the transaction, because a transaction on SQLite blocks all other
writers.
"""

from collections.abc import Collection, Sequence
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from forum.actions import (
    duplicate_links,
    edit_conflicts,
    group_changes,
    moderator_edits,
    notifications,
    queue_items,
    visibility,
    watches,
)
from forum.actions.page_titles import TitleUnavailable, fetch_title
from forum.actions.rule_checks import Screening
from forum.actions.rules import FINE, Verdict
from forum.actions.verdicts import carry_out, fields_of, hold
from forum.errors import AlreadySent, Duplicate, Gone
from forum.identity import permissions
from forum.identity.throttle import subject_of, throttle, throttled
from forum.ledger import leaderboards, vote_value
from forum.ledger.counters import AuthorSync, MovedPostSync
from forum.models import Group, ModAction, Post, Revision, User, Withheld
from forum.queries.people import find_names
from forum.queries.repeated_posts import sent_post
from forum.store import outbox
from forum.store.post_sync import PostSync
from forum.text import markup, search_text
from voting.errors import Throttled

UNMARKED = timedelta(minutes=5)
"""For this long after posting, the author's edits leave no revision and aren't shown as edits."""


def suggest_title(*, author: User, url: str) -> str:
    """Return the title of a page that a person wants to post, within the person's rate limit.

    Raises TitleUnavailable if there is no title, and Throttled if the person is too fast. Raises
    StoreUnavailable if Redis is unavailable.
    """
    throttle(subject_of(author), "title")
    if not settings.FETCH_TITLES:
        raise TitleUnavailable
    return fetch_title(url, settings.TITLE_RULES)


def submit(
    *,
    author: User,
    kind: str,
    title: str,
    url: str = "",
    body: str = "",
    groups: Sequence[Group],
) -> Post:
    """Write a post with `publish`, after checking the author's bans and rate limit.

    Automatic rules apply. Raises Banned, Duplicate, AlreadySent, RefusedByRule or Throttled. Raises
    StoreUnavailable if Redis is unavailable.
    """
    permissions.require_not_banned(author, [group.pk for group in groups])
    if duplicate := duplicate_links.find(url):
        raise Duplicate(duplicate)
    try:
        with throttled(subject_of(author), "post", f"{title}\n{url}\n{body}"):
            return publish(
                author=author,
                kind=kind,
                title=title,
                url=url,
                body=body,
                groups=groups,
                screening=Screening(author),
            )
    except Throttled as error:
        if sent := sent_post(author, title, url, body):
            raise AlreadySent(sent, error.retry_after_seconds) from error
        raise


def publish(
    *,
    author: User,
    kind: str,
    title: str,
    url: str = "",
    body: str = "",
    groups: Sequence[Group],
    screening: Screening | None = None,
) -> Post:
    """Write a post with the author's own up vote. The author's rate limit doesn't apply.

    Raises Duplicate if the link was posted recently. With a `screening`, automatic rules apply.
    Raises RefusedByRule if a rule refuses the post. A rule may also hold the post for approval.
    """
    text = markup.read(body, find_names)
    verdict = FINE
    if screening:
        verdict = screening.check_post(
            title=title, url=url, body=body, html=text.html, groups=groups
        )
    with transaction.atomic():
        duplicate_links.refuse_duplicate(url)
        now = timezone.now().replace(microsecond=0)
        post = Post.objects.create(
            author=author,
            kind=kind,
            title=title,
            **duplicate_links.address_fields(url),
            body=body,
            body_html=text.html,
            search_text=search_text.of_post(title, url, text.html),
            created_at=now,
            up=1,
            score=vote_value.scoring()(int(now.timestamp()), 1),
            **fields_of(verdict),
        )
        post.groups.set(groups)
        watches.watch_from_now_on(author, post.pk)
        carry_out(post, verdict)
        if not verdict.holds:
            notifications.mentions_written(post, text.notified)
            outbox.add(PostSync(post.pk), AuthorSync([author.pk]))
    return post


def edit(
    post: Post,
    *,
    by: User,
    title: str,
    body: str,
    groups: Sequence[Group],
    url: str | None = None,
    seen: str = "",
    reason: str = "",
) -> None:
    """Check that an author or moderator may edit a post, then edit it.

    The rate limit and the automatic rules apply only to the author. An edit that changes nothing
    doesn't count for the limit. Raises Banned, Forbidden, EditConflict, Duplicate, Gone,
    RefusedByRule or Throttled. Raises OtherGroup if the post may not leave or enter a group, and
    StoreUnavailable if Redis is unavailable.
    """
    permissions.require_change(by, post)
    permissions.require_taking_out(by, post, groups)
    permissions.require_not_banned(by, [group.pk for group in {*groups, *post.groups.all()}])
    changed = not _says(post, title, body, url) or set(groups) != set(post.groups.all())
    own = by.pk == post.author_id
    if changed:
        edit_conflicts.check(post, seen)
        if own:
            throttle(subject_of(by), "edit")
    change(
        post,
        by=by,
        title=title,
        body=body,
        groups=groups,
        url=url,
        seen=seen,
        reason=reason,
        screening=Screening(by) if changed and own else None,
    )


def change(
    post: Post,
    *,
    title: str,
    body: str,
    groups: Sequence[Group] | None = None,
    url: str | None = None,
    seen: str = "",
    by: User | None = None,
    reason: str = "",
    screening: Screening | None = None,
) -> None:
    """Change a post's title and text. With `groups` or `url`, also change its groups or its link.

    The old text becomes a revision, unless the author edits a post younger than `UNMARKED`. A
    moderator's edit is also logged. Raises Gone if the author edits a deleted post. Raises
    Duplicate if the new link was posted recently. Raises EditConflict if `seen` isn't the
    fingerprint of the current text. With a `screening`, rules check the text: a rule may hide the
    post until it is approved, or refuse the text. A refusal raises RefusedByRule.
    """
    text = markup.read(body, find_names)
    verdict = FINE
    if screening:
        address = post.url if url is None else url
        words = {"title": title, "url": address, "body": body, "html": text.html}
        verdict = screening.check_edited_post(**words, groups=groups or ())
    names = () if verdict.holds else notifications.newly_mentioned(post, text.notified)
    with transaction.atomic():
        current = Post.objects.locked(post.pk)
        if current.deleted_at and by is not None and by.pk == current.author_id:
            raise Gone(current)
        moved = None if groups is None or set(groups) == set(current.groups.all()) else groups
        if moved is None and _says(current, title, body, url):
            return
        edit_conflicts.check(current, seen)
        before = moderator_edits.before_edit(current, by)
        changed: tuple[str, ...] = ()
        if url is not None and url != current.url:
            changed = duplicate_links.set_address(post, url)
        changed += _reword(post, current, (title, body, text.html), names, by)
        if moved is not None:
            _move(post, moved, by)
        _save(post, *changed)
        moderator_edits.log_edit(post, before, reason)
        _carry_out(post, verdict)


def _carry_out(post: Post, verdict: Verdict) -> None:
    """Flag an edited post, or hide it until it is approved, if the rules' verdict says so."""
    if verdict.holds:
        visibility.withhold(post, Withheld.HIDDEN, hold(post, verdict))
    else:
        carry_out(post, verdict)


def _says(post: Post, title: str, body: str, url: str | None) -> bool:
    return (post.title, post.body, post.url) == (title, body, post.url if url is None else url)


def _reword(
    post: Post,
    current: Post,
    words: tuple[str, str, str],
    names: Collection[str],
    by: User | None,
) -> tuple[str, ...]:
    """Set the title, text and HTML of a post; return the names of the fields to save.

    Saves the old text, which is in `current`, as a revision. `names` are people whom only the new
    text mentions; this notifies them.
    """
    (title, body, html), former = words, current.url if post.url != current.url else ""
    if (current.title, current.body) == (title, body) and not former:
        return ()
    now = timezone.now()
    post.title, post.body, post.body_html = title, body, html
    post.search_text = search_text.of_post(title, post.url, html)
    moderator = moderator_edits.editor(post, by)
    if moderator or now - post.created_at > UNMARKED:
        before = {"title": current.title, "body": current.body, "url": former}
        Revision.objects.create(post=post, until=now, by=moderator, **before)
        post.edited_at = now
    notifications.mentions_written(post, names)
    return ("title", "body", "body_html", "search_text", "edited_at")


@transaction.atomic
def regroup(
    post: Post, groups: Sequence[Group], by: User | None = None, reason: str = ""
) -> ModAction | None:
    """Move a post and its leaderboard points to exactly these groups.

    If a moderator (`by`) moves the post, also logs the move, notifies the author, and returns the
    log entry.
    """
    before = moderator_edits.before_edit(Post.objects.locked(post.pk), by)
    _move(post, groups, by)
    _save(post)
    return moderator_edits.log_edit(post, before, reason)


def _move(post: Post, groups: Sequence[Group], by: User | None) -> None:
    group_changes.record_move(post, groups, by)
    moved = leaderboards.regroup(post, groups)
    outbox.add(MovedPostSync(post.pk, moved))
    post.groups.set(groups)
    queue_items.move(post)


@transaction.atomic
def delete(post: Post, by: User | None = None) -> None:
    """Delete a post as its author. Listings no longer show the post; its row and votes stay.

    `by` is None if the site itself deletes the post. Raises Forbidden if `by` isn't the author.
    Safe to repeat.
    """
    if by is not None:
        permissions.require_author(by, post)
    visibility.withhold(post)


def _save(post: Post, *changed: str) -> None:
    """Save the named fields of a post, increase its version, and sync the post to Redis."""
    current = Post.objects.only("version").locked(post.pk)
    post.version = current.version + 1
    post.save(update_fields=[*changed, "version"])
    outbox.add(PostSync(post.pk))
