"""Tries a rule on recent posts and comments, to show what the rule would have caught."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from time import monotonic

from django.db.models import Count, Q, QuerySet

from forum.actions.flagged_texts import counting, writing_of
from forum.actions.rules import CompiledRule
from forum.actions.visibility import Content
from forum.models import Comment, Flag, GroupModerator, Post, Rule

TRIED = 1_000
"""The most posts and the most comments that a trial compares with a rule."""
SHOWN = 25
SECONDS = 5
"""A trial stops after this many seconds, because long texts and many words can make it slow."""
AT_ONCE = 100
NOT_DELETED = Q(deleted_at=None) | ~Q(withheld="")
"""Selects all posts or comments except those that their authors deleted."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of trying a rule on recent posts and comments."""

    tried: int
    caught: int
    shown: tuple[Content, ...]
    """The newest posts and comments that the rule would have caught, at most `SHOWN` of each."""
    complete: bool
    """Whether the trial compared all posts and comments within `SECONDS`."""


def run(rule: Rule) -> Trial:
    """Try a rule on the newest posts and comments of its group, or of the site.

    Stops after the current post or comment when `SECONDS` seconds have passed.
    """
    compiled, exempt = CompiledRule(rule), _exempt(rule)
    group_ids = compiled.group_ids
    tried = caught = 0
    shown: list[Content] = []
    ends = monotonic() + SECONDS
    for texts in _recent(rule):
        newest: list[Content] = []
        for text, flags in texts:
            if monotonic() > ends:
                return Trial(tried, caught, (*shown, *newest[:SHOWN]), complete=False)
            tried += 1
            if text.author_id in exempt or text.author.is_staff:
                continue
            if compiled.matches(writing_of(text, group_ids, flags)):
                caught += 1
                newest.append(text)
        shown += newest[:SHOWN]
    return Trial(tried, caught, tuple(shown), complete=True)


def _exempt(rule: Rule) -> set[int]:
    """Return the ids of the group's moderators, because the group's rule ignores them.

    Returns an empty set if the rule is a rule of the site.
    """
    if rule.group_id is None:
        return set()
    moderators = GroupModerator.objects.filter(group=rule.group_id)
    return set(moderators.values_list("user_id", flat=True))


def _recent(rule: Rule) -> Iterator[Iterator[tuple[Content, int]]]:
    """Yield the newest posts, then the newest comments, each with its number of flags."""
    counts = rule.flags_at_least is not None
    if rule.about != Rule.About.COMMENT:
        posts = Post.objects.filter(NOT_DELETED)
        posts = posts.filter(groups=rule.group_id) if rule.group_id else posts
        yield _with_flags(posts, "item__post", counts=counts)
    if rule.about != Rule.About.POST:
        comments = Comment.objects.filter(NOT_DELETED)
        comments = comments.filter(post__groups=rule.group_id) if rule.group_id else comments
        yield _with_flags(comments, "item__comment", counts=counts)


def _with_flags(
    texts: QuerySet[Post] | QuerySet[Comment], target: str, *, counts: bool
) -> Iterator[tuple[Content, int]]:
    """Yield the newest posts or comments, each with the number of flags that count.

    If `counts` is False, each number is 0. Reads ids first, so that the database doesn't sort long
    texts.
    """
    ids = list(texts.order_by("-pk").values_list("pk", flat=True)[:TRIED])
    flags: Mapping[int, int] = {}
    if counts:
        found = Flag.objects.filter(counting(), user__isnull=False, **{f"{target}__in": ids})
        flags = dict(found.values_list(target).annotate(Count("pk")).order_by())
    newest = texts.model.objects.filter(pk__in=ids).select_related("author").order_by("-pk")
    for text in newest.iterator(chunk_size=AT_ONCE):
        yield text, flags.get(text.pk, 0)
