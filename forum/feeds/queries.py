"""Reads the entries of Atom feeds, with the same queries that the site's pages use."""

from collections.abc import Iterable, Sequence
from datetime import date

from django.conf import settings
from django.db.models import prefetch_related_objects

from forum.feeds import entries
from forum.feeds.documents import Entry
from forum.identity.throttle import Subject
from forum.identity.viewers import Viewer
from forum.models import Comment, Post, User
from forum.moderation.log import queries as log
from forum.moderation.log.entries import Reader
from forum.moderation.log.queries import LogFilter
from forum.queries import inbox, newest, person_lists
from forum.queries.days import listing_of_day, listing_of_week
from forum.queries.feeds import feed
from forum.queries.hosts import listing_of_host
from forum.queries.listings import listing
from forum.queries.merged_posts import followed
from forum.queries.newest import FlatPage
from forum.queries.people import posts_of
from forum.search import services as search_services
from forum.search.queries import Order as SearchOrder
from forum.store import post_cards
from forum.web.muting import is_muted
from voting.types import Hiding, Mix, Order
from voting.types.person_lists import PersonList


def of_listing(order: Order, group: str | Mix | None = None) -> list[Entry]:
    """Return the first page of a listing."""
    found = listing(order, 1, group=group)
    return _of_posts([row.id for row in found.page.rows])


def of_site(host: str, order: Order) -> list[Entry]:
    """Return the first page of the posts that link to a host."""
    found = listing_of_host(host, order, 1)
    return _of_posts([row.id for row in found.page.rows])


def of_day(day: date) -> list[Entry]:
    """Return the first page of a day's best posts."""
    found = listing_of_day(day, 1)
    return _of_posts([row.id for row in found.page.rows])


def of_week(monday: date) -> list[Entry]:
    """Return the first page of the best posts of a week."""
    return _of_posts([row.id for row in listing_of_week(monday, 1).page.rows])


def of_person(person: User) -> list[Entry]:
    """Return a person's newest posts."""
    return _of_posts(posts_of(person, 1)[: settings.PAGE_SIZE])


def of_comments_by(person: User) -> list[Entry]:
    """Return a person's newest comments."""
    return _of_comments(newest.of_person(person, None))


def of_all_comments() -> list[Entry]:
    """Return the newest comments of the site."""
    return _of_comments(newest.of_site(None))


def of_thread(post: Post) -> list[Entry]:
    """Return the newest comments on a post, then the post.

    The post comes last, so that the feed of a new thread isn't empty.
    """
    found = _of_comments(newest.of_post(post, None))
    prefetch_related_objects([post], "groups")
    return [*found, entries.of_post(post)]


def of_branch(post: Post, comment: Comment) -> list[Entry]:
    """Return a comment and the newest comments below it."""
    return _of_comments(newest.of_branch(post, comment.pk))


def of_log(wanted: LogFilter) -> list[Entry]:
    """Return the newest entries of the moderation log, as guests see them."""
    return [entries.of_action(entry) for entry in log.page(wanted, Reader(), None).entries]


def of_search(text: str, *, by: Subject) -> list[Entry]:
    """Return the newest results of a search, and count the search for the rate limit.

    Raises Throttled or SearchTooSlow.
    """
    found = search_services.search(text, by=by, viewer_id=None, order=SearchOrder.DATE).matches
    hits = found.hits[: settings.PAGE_SIZE]
    posts = _of_posts([hit.post_id for hit in hits if not hit.comment_id])
    comments = newest.of_ids([hit.comment_id for hit in hits if hit.comment_id])
    both = [*posts, *_of_comments(comments)]
    return sorted(both, key=lambda entry: entry.published, reverse=True)


def of_following(person: User, viewer: Viewer) -> list[Entry]:
    """Return a person's feed in `hot` order, without posts that the person hides or mutes."""
    rows = feed(person.pk, 1, hiding=Hiding()).page.rows
    shown = [row.id for row in rows if not is_muted(post_cards.unpack(row.card), viewer)]
    return _unblocked(_of_posts(shown), viewer)


def of_saved(person: User, viewer: Viewer) -> list[Entry]:
    """Return a person's saved posts, most recently saved first.

    Where a post was merged, the feed has the post that remains.
    """
    ids = list(person_lists.page(PersonList.SAVED, person, 1).times)
    found = _of_posts(ids)
    if len(found) < len(ids):
        found = _of_posts(followed(ids))
    return _unblocked(found, viewer)


def of_inbox(person: User, viewer: Viewer) -> list[Entry]:
    """Return the newest items of a person's inbox.

    Leaves out items about deleted posts and comments, except messages from moderators about them.
    """
    items = [item for item in inbox.page(person.pk).items if entries.is_current(item)]
    return _unblocked(map(entries.of_inbox_item, items), viewer)


def _of_posts(post_ids: Sequence[int]) -> list[Entry]:
    """Return the entries of these posts, in this order, without deleted posts."""
    posts = Post.objects.visible().select_related("author").prefetch_related("groups")
    found = posts.defer("body", "search_text").in_bulk(post_ids)
    return [entries.of_post(found[post_id]) for post_id in post_ids if post_id in found]


def _of_comments(flat: FlatPage) -> list[Entry]:
    """Return the entries of a page of comments."""
    prefetch_related_objects([comment.post for comment in flat.comments], "groups")
    return [entries.of_comment(comment) for comment in flat.comments]


def _unblocked(found: Iterable[Entry], viewer: Viewer) -> list[Entry]:
    return [entry for entry in found if entry.author not in viewer.blocked]
