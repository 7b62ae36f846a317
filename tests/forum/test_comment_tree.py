"""The comment tree, tested without SQL and Redis: visible comments, their order and depth."""

from collections.abc import Iterable

import pytest

from forum.queries.comment_tree import (
    MOST_COMMENTS,
    MOST_LEVELS,
    CommentNode,
    CommentTree,
    PlacedComment,
    SortKey,
)

Pair = tuple[int, int | None]
DEEP = 3_000


def by_id(node: CommentNode) -> SortKey:
    return (node.id,)


def by_points(node: CommentNode) -> SortKey:
    return (node.down - node.up, node.id)


def tree(
    *pairs: Pair, deleted: Iterable[int] = (), ups: dict[int, int] | None = None
) -> CommentTree:
    """Make a comment tree from pairs of a comment's id and the parent comment's id."""
    points = ups or {}
    return CommentTree(
        CommentNode(own, parent, points.get(own, 1), 0, own in set(deleted))
        for own, parent in pairs
    )


def visible(
    branches: CommentTree, ranking: object = by_id, **options: object
) -> list[tuple[int, int]]:
    """Return the visible comments of a tree in order, as pairs of id and depth."""
    chosen = branches.select(ranking, **options).ids  # type: ignore[arg-type]
    nodes = branches.arrange(chosen, ranking, below=options.get("below"))  # type: ignore[arg-type]
    return [(node.id, node.depth) for node in nodes]


def node(branches: CommentTree, comment_id: int, **options: object) -> PlacedComment:
    choice = branches.select(by_id, **options)  # type: ignore[arg-type]
    return next(each for each in branches.arrange(choice.ids, by_id) if each.id == comment_id)


def chain(length: int) -> list[Pair]:
    return [(number, number - 1 or None) for number in range(1, length + 1)]


def test_replies_are_below_their_parents() -> None:
    branches = tree((1, None), (2, None), (3, 1), (4, 2), (5, 1), (6, 3))
    assert visible(branches) == [(1, 0), (3, 1), (6, 2), (5, 1), (2, 0), (4, 1)]


def test_each_level_is_ranked_separately() -> None:
    branches = tree((1, None), (2, None), (3, 1), (4, 1), ups={2: 5, 4: 9, 3: 2})
    assert visible(branches, by_points) == [(2, 0), (1, 0), (4, 1), (3, 1)]


def test_a_thread_without_comments_shows_none() -> None:
    assert visible(tree()) == []
    assert tree().count_top_level() == 0


def test_best_comments_are_chosen_with_their_parents() -> None:
    branches = tree((1, None), (2, None), (3, 1), (4, 2), ups={4: 100, 2: 2, 1: 3, 3: 1})
    choice = branches.select(by_points, most=2)
    assert choice.ids == {1, 2}, "4 has the most points, but is below its parent 2"
    assert branches.select(by_points, most=3).ids == {1, 2, 4}


def test_omitted_replies_are_counted_at_their_place() -> None:
    branches = tree((1, None), (2, 1), (3, 1), (4, 2), (5, 3), (6, None))
    assert branches.select(by_id, most=2).ids == {1, 2}
    first = node(branches, 1, most=2)
    assert (first.replies, first.hidden) == (4, 2), "3 and 5 are hidden right below it"
    assert node(branches, 2, most=2).hidden == 1


def test_comments_that_are_too_deep_are_linked() -> None:
    branches = tree(*chain(12))
    assert visible(branches) == [(number, number - 1) for number in range(1, MOST_LEVELS + 1)]
    assert node(branches, MOST_LEVELS).hidden == 12 - MOST_LEVELS
    assert node(branches, MOST_LEVELS - 1).hidden == 0


def test_next_page_continues_after_the_last_comment() -> None:
    branches = tree(*((number, None) for number in range(1, 501)), (501, 450))
    choice = branches.select(by_id)
    assert (len(choice.ids), choice.last, choice.rest) == (MOST_COMMENTS, MOST_COMMENTS, 301)
    second = branches.select(by_id, after=choice.last)
    assert min(second.ids) == MOST_COMMENTS + 1
    third = branches.select(by_id, after=second.last)
    assert (third.last, third.rest) == (None, 0)
    assert choice.ids | second.ids | third.ids == set(range(1, 502))


def test_a_branch_is_shown_without_its_root() -> None:
    branches = tree(*chain(12), (13, 5))
    assert visible(branches, below=5)[:2] == [(6, 0), (7, 1)]
    assert (13, 0) in visible(branches, below=5)


def test_deleted_comment_with_replies_stays() -> None:
    branches = tree((1, None), (2, 1), (3, None), deleted=[1, 3])
    assert visible(branches) == [(1, 0), (2, 1)]
    assert (node(branches, 1).replies, branches.count_top_level()) == (1, 0)


def test_a_branch_of_deleted_comments_alone_is_left_out() -> None:
    branches = tree((1, None), (2, 1), (3, 2), (4, None), deleted=[1, 2, 3])
    assert visible(branches) == [(4, 0)]


def test_page_after_a_deleted_comment_starts_at_the_right_place() -> None:
    branches = tree((1, None), (2, None), (3, None), deleted=[2])
    assert visible(branches, after=2) == [(3, 0)]


def test_next_link_leads_to_the_next_visible_sibling() -> None:
    branches = tree((1, None), (2, 1), (3, None), (4, 1))
    assert [node(branches, each).next_id for each in (1, 2, 3, 4)] == [3, 4, None, None]


def test_newer_tallies_change_the_order_of_comments() -> None:
    branches = tree((1, None), (2, None))
    chosen = branches.select(by_points).ids
    branches.update_tally(2, 9, 0)
    assert [each.id for each in branches.arrange(chosen, by_points)] == [2, 1]


@pytest.mark.parametrize("levels", [MOST_LEVELS, DEEP])
def test_thread_of_three_thousand_levels_is_built(levels: int) -> None:
    branches = tree(*chain(DEEP))
    choice = branches.select(by_id, most=DEEP, levels=levels)
    nodes = branches.arrange(choice.ids, by_id)
    assert (len(nodes), nodes[0].replies) == (levels, DEEP - 1)
