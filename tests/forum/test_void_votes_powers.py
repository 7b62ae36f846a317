"""Selects the votes that moderators may void and restore.

Not their own votes, votes on their own posts, or votes of people above them.
"""

import pytest

from forum.actions import posts as post_actions
from forum.errors import Forbidden, Invalid
from forum.models import GroupModerator, Post, User
from forum.moderation.actions import undo
from tests.forum.comments import add_comment
from tests.forum.factories import groups, post
from tests.forum.merging import assert_consistent
from tests.forum.voids import points, void
from tests.forum.voting_sites import cast, older_person, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


@pytest.fixture
def author() -> User:
    return older_person("author")


@pytest.fixture
def sock() -> User:
    """An account whose votes are to be voided."""
    return older_person("sock")


def change_groups(made: Post, by: User, slugs: str) -> None:
    """Move a post to these groups, on the page for editing it."""
    fresh = Post.objects.prefetch_related("groups").get(pk=made.pk)
    where = groups(*slugs.split())
    post_actions.edit(fresh, by=by, title=fresh.title, body=fresh.body, groups=where)


def test_group_moderator_voids_votes_on_posts_of_their_group_only(
    author: User, sock: User, gus: User
) -> None:
    (books,) = groups("books")
    inside, outside = post(author), post(author, slugs="maths")
    own, added = post(gus), post(author, slugs="maths")
    comment = add_comment(author, inside)
    for text in (inside, outside, own, added, comment):
        cast(sock, text)
    work()
    change_groups(added, author, "books maths")
    with pytest.raises(Forbidden):
        void(sock, by=gus)
    with pytest.raises(Forbidden):
        void(sock, by=gus, group=groups("maths")[0])
    void(sock, by=gus, group=books)
    work()
    assert (points(inside), points(comment)) == (1, 1)
    assert (points(outside), points(added)) == (2, 2), "the group doesn't govern these"
    assert points(own) == 2, "votes on the moderator's own posts stay"
    assert_consistent()


def test_nobody_voids_votes_of_people_above_them(
    author: User, sock: User, gus: User, stella: User, root: User
) -> None:
    (books,) = groups("books")
    written = post(author)
    for voter in (sock, gus, stella):
        cast(voter, written)
    mia = older_person("mia")
    GroupModerator.objects.create(group=books, user=mia)
    for by, people, group in (
        (gus, [gus], books),
        (gus, [sock, mia], books),
        (gus, [stella], books),
        (stella, [stella], None),
        (stella, [root], None),
        (sock, [author], None),
    ):
        with pytest.raises(Forbidden):
            void(*people, by=by, group=group)
    void(stella, gus, sock, by=root)
    work()
    assert points(written) == 1


def test_only_admins_void_votes_on_what_they_wrote(
    sock: User, stella: User, root: User, author: User
) -> None:
    written, other = post(stella), post(author)
    comment = add_comment(stella, other)
    below = add_comment(author, written)
    for text in (written, comment, below):
        cast(sock, text)
    with pytest.raises(Invalid):
        void(sock, by=stella)
    action = void(sock, by=root)
    work()
    assert (points(written), points(comment), points(below)) == (1, 1, 1)
    with pytest.raises(Forbidden):
        undo.undo(action, by=stella)
    undo.undo(action, by=root)
    work()
    assert (points(written), points(comment), points(below)) == (2, 2, 2)


def test_voter_who_moderates_restores_no_own_votes(
    author: User, stella: User, sock: User, root: User
) -> None:
    written = post(author)
    for voter in (stella, sock):
        cast(voter, written)
    action = void(stella, sock, by=root)
    work()
    with pytest.raises(Forbidden):
        undo.undo(action, by=stella)
    assert points(written) == 1
