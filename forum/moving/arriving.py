"""What is done on the new servers, in a process with the new settings, while nobody can write."""

import json
from dataclasses import asdict

from django.core.management import CommandError
from django.utils.translation import gettext as _

from forum.counts import boards
from forum.models import Post
from forum.moving.changes import Differing
from forum.queries.pieces import batches
from forum.store import voting
from forum.upkeep.checking import differences
from forum.upkeep.rebuilding import catch_up, fill_people
from forum.upkeep.scope import Chosen


def spelled(differing: Differing) -> str:
    """Return what differs, as `arrive` reads it."""
    return json.dumps(asdict(differing))


def arrive(changes: str) -> None:
    """Bring Redis up to what has changed in SQL since it was filled, and check that.

    Raises CommandError where they differ then, and StoreUnavailable.
    """
    differing = Differing(**json.loads(changes))
    parts = [Chosen(post_ids=frozenset(some)) for some in batches(differing.posts)]
    parts += [Chosen(comment_ids=frozenset(some)) for some in batches(differing.comments)]
    for changed in parts:
        catch_up(changed)
    for voted in batches(differing.voted):
        _tell_liked([(user_id, post_id) for user_id, post_id in voted])
    fill_people()
    for changed in parts:
        for sentence in differences(changed):
            raise CommandError(_("Redis and SQL differ there: %(what)s") % {"what": sentence})


def _tell_liked(voted: list[tuple[int, int]]) -> None:
    """Tell which posts of others people voted up by now."""
    posts = Post.objects.filter(pk__in={post_id for _user_id, post_id in voted})
    authors = dict(posts.values_list("pk", "author_id"))
    others = [pair for pair in voted if authors.get(pair[1], pair[0]) != pair[0]]
    voting().lists.set_liked(boards.liked(others))
