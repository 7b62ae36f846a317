"""Translates the conditions of a search to SQL, for posts and for comments.

`viewer_id` is 0 for guests, who can't search for what they wrote, saved or liked.
"""

from typing import assert_never

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Left, Lower, StrIndex
from django.db.models.lookups import GreaterThan

from forum.config.hidden_scores import are_on, first_visible
from forum.models import ArchivedVote, Comment, Mark, Post, User
from forum.models.post import POINTS as POST_POINTS
from forum.queries.groups import directory
from forum.queries.names import former_names
from forum.search.conditions import (
    Asked,
    Author,
    Condition,
    Count,
    Counted,
    InGroup,
    Is,
    OnSite,
    Place,
    Posted,
    Query,
    Trait,
    Words,
)
from voting.types import Vote

NONE = Q(pk__in=())
"""The condition of no row."""
ALL = ~NONE
POINTS = {Post: POST_POINTS, Comment: F("up") - F("down")}
"""The points of posts and of comments in SQL."""
TITLE = Left("search_text", StrIndex("search_text", Value("\n")))
"""The title of a post: the first line of its stored text."""


def has(text: Combinable, pattern: str) -> GreaterThan:
    """Return the SQL condition that the column `text` contains `pattern`. It is faster than LIKE.

    The condition uses no index, so check only the rows that `candidates` chooses.
    """
    return GreaterThan(StrIndex(text, Value(pattern)), 0)


def matching(query: Query, model: type[Post | Comment], viewer_id: int) -> Q:
    """Return the SQL condition of the posts or comments that match a viewer's search.

    The query set that is filtered must define the alias `net_points`.
    """
    found = ALL
    for clause in query.clauses:
        either = NONE
        for condition in clause:
            either |= _condition(condition, model, viewer_id)
        found &= either
    return found


def _condition(condition: Condition, model: type[Post | Comment], viewer_id: int) -> Q:
    if model is Post:
        asked = _of_post(condition.asked, viewer_id)
    else:
        asked = _of_comment(condition.asked, viewer_id)
    return ~asked if condition.negated else asked


def _of_post(asked: Asked, viewer_id: int) -> Q:
    match asked:
        case Words():
            return _post_words(asked)
        case InGroup():
            return _in_group(asked.slug, "pk")
        case OnSite():
            return Q(host=asked.host) | Q(host__endswith=f".{asked.host}")
        case Is():
            return _post_trait(asked.trait, viewer_id)
        case Counted(what=Count.COMMENTS):
            return Q((f"comment_count__{asked.comparison}", asked.number))
        case Author() | Posted() | Counted():
            return _of_either(asked)
        case _:
            assert_never(asked)


def _of_comment(asked: Asked, viewer_id: int) -> Q:
    match asked:
        case Words():
            return NONE if asked.place is Place.TITLE else Q(has(F("search_text"), asked.pattern))
        case InGroup():
            return _in_group(asked.slug, "post_id")
        case Is():
            return _comment_trait(asked.trait, viewer_id)
        case OnSite() | Counted(what=Count.COMMENTS):
            return NONE
        case Author() | Posted() | Counted():
            return _of_either(asked)
        case _:
            assert_never(asked)


def _of_either(asked: Author | Posted | Counted) -> Q:
    match asked:
        case Author():
            name = Lower(Value(asked.name))
            people = User.objects.alias(small=Lower("username")).filter(small=name)
            former = former_names().alias(small=Lower("name")).filter(small=name)
            former = former.filter(user__isnull=False)
            found = people.values("pk").union(former.values("user"))
            return Q(author_id__in=found)
        case Posted():
            return Q(created_at__gte=asked.at) if asked.after else Q(created_at__lt=asked.at)
        case Counted():
            return Q((f"net_points__{asked.comparison}", asked.number)) & _with_visible_scores()
        case _:
            assert_never(asked)


def _with_visible_scores() -> Q:
    """Return the condition of posts and comments whose scores aren't hidden.

    Searches for points find no others, so that nobody can find out a hidden score.
    """
    return Q(created_at__lt=first_visible()) if are_on() else Q()


def _post_words(words: Words) -> Q:
    anywhere, in_title = Q(has(F("search_text"), words.pattern)), Q(has(TITLE, words.pattern))
    return {
        Place.ANYWHERE: anywhere,
        Place.TITLE: in_title,
        Place.TEXT: anywhere & ~in_title,
    }[words.place]


def _in_group(slug: str, post_id: str) -> Q:
    places = Post.groups.through.objects.filter(post_id=OuterRef(post_id))
    return Q(Exists(places.filter(group__slug=directory.current(slug))))


def _post_trait(trait: Trait, viewer_id: int) -> Q:
    question = Q(kind=Post.Kind.QUESTION)
    saved = Mark.objects.filter(user_id=viewer_id, kind=Mark.Kind.SAVED)
    liked = _liked(viewer_id).filter(comment_id=0)
    return {
        Trait.LINK: Q(kind=Post.Kind.LINK),
        Trait.TEXT: Q(kind=Post.Kind.TEXT),
        Trait.QUESTION: question,
        Trait.ANSWERED: question & Q(accepted__isnull=False),
        Trait.UNANSWERED: question & Q(accepted__isnull=True),
        Trait.POST: ALL,
        Trait.COMMENT: NONE,
        Trait.SAVED: Q(pk__in=saved.values("post_id")),
        Trait.LIKED: Q(pk__in=liked.values("post_id")) & ~Q(author_id=viewer_id),
        Trait.MINE: Q(author_id=viewer_id),
    }[trait]


def _comment_trait(trait: Trait, viewer_id: int) -> Q:
    liked = _liked(viewer_id).exclude(comment_id=0)
    return {
        Trait.COMMENT: ALL,
        Trait.LIKED: Q(pk__in=liked.values("comment_id")) & ~Q(author_id=viewer_id),
        Trait.MINE: Q(author_id=viewer_id),
    }.get(trait, NONE)


def _liked(viewer_id: int) -> QuerySet[ArchivedVote]:
    return ArchivedVote.objects.filter(user_id=viewer_id, vote=Vote.UP)
