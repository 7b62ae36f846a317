"""Answers: ranked by weighted votes; the author of the question accepts one."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone
from redis import Redis

from forum.content import comment_service, post_service
from forum.content.post_sync import PostSync
from forum.gateway.service import get_voting_service
from forum.models import Comment, Post, User
from forum.sync import outbox
from tests.forum.comments import add_comment, comment_html, comment_ids, page, vote
from tests.forum.factories import make_older, person, post, reader
from voting.scores import answer_weight, controversy, wilson
from voting.types import Rules, Vote

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def asked(ada: User) -> Post:
    return post(ada, "Why knots?", kind="question")


def accept(user: User | None, on: Post, answer: object = "") -> Any:
    return reader(user).post(f"/p/{on.pk}/accept", {"comment": answer})


def test_an_up_vote_weighs_two_a_down_vote_minus_one_and_a_switch_moves_three(
    bob: User, asked: Post
) -> None:
    answer, carol = add_comment(bob, asked), person("carol")
    weights = []
    for wanted in (Vote.UP, Vote.DOWN, Vote.NONE):
        ballot = vote(carol, answer, wanted)
        weights.append(answer_weight(settings.VOTING_RULES, ballot.up, ballot.down))
    assert weights == [4, 1, 2], "its author's own vote weighs 2 throughout"


def test_the_weights_are_rules_of_the_site() -> None:
    assert answer_weight(Rules(answer_up=10, answer_down=2), 3, 4) == 22


def test_a_person_supports_or_opposes_an_answer_or_neither(bob: User, asked: Post) -> None:
    answer, carol = add_comment(bob, asked), person("carol")
    for wanted in (Vote.UP, Vote.DOWN, Vote.NONE):
        vote(carol, answer, wanted)
        seen = get_voting_service().comments.tallies(asked.pk, [answer.pk], viewer=carol.pk)[
            answer.pk
        ]
        assert seen.vote is wanted


def test_folds_count_answers_and_comments_by_their_names(ada: User, bob: User, asked: Post) -> None:
    best, gone, _other = (add_comment(bob, asked, text) for text in ("One.", "Two.", "Three."))
    below = add_comment(ada, asked, "Why?", best)
    add_comment(bob, asked, "So.", below)
    add_comment(ada, asked, "What was it?", gone)
    comment_service.delete(gone, by=bob)
    accept(ada, asked, best.pk)
    folds = re.findall("<summary><span>(.*?)</span></summary>", page(asked))
    assert folds[:3] == [
        "Accepted answer by bob, 2 comments",
        "Comment by ada, 1 reply",
        "Comment by bob",
    ]
    assert set(folds[3:]) == {"Answer by bob", "Deleted answer, 1 comment", "Comment by ada"}


def test_answers_are_ordered_by_weight(ada: User, bob: User, asked: Post) -> None:
    first, second, third = (add_comment(bob, asked, text) for text in ("One.", "Two.", "Three."))
    for number in range(3):
        vote(person(f"p{number}"), second, Vote.UP)
        vote(User.objects.get(username=f"p{number}"), first, Vote.DOWN)
    assert comment_ids(page(asked)) == [second.pk, third.pk, first.pk]


def test_two_ups_and_three_downs_weigh_more_than_nothing_but_less_by_share(
    bob: User, asked: Post
) -> None:
    plain, disputed = add_comment(bob, asked, "Plain."), add_comment(bob, asked, "Disputed.")
    for number in range(5):
        vote(person(f"p{number}"), disputed, Vote.UP if number < 2 else Vote.DOWN)
    assert comment_ids(page(asked)) == [disputed.pk, plain.pk], "3 x 2 - 3 is more than 1 x 2"
    assert wilson(3, 3) < wilson(1, 0)


def test_a_question_has_answers_and_answers_have_comments(
    ada: User, bob: User, asked: Post
) -> None:
    answer = add_comment(bob, asked, "Because.")
    remark = add_comment(ada, asked, "Thanks.", answer)
    html = page(asked, window=reader(bob))
    assert '1 answer <span class="meta">1 comment</span>' in html
    assert "2 replies</a>" in reader().get("/new").content.decode()
    assert "Your answer" in html
    assert "Your comment" in page(answer, window=reader(bob))
    assert "Your reply" in page(remark, window=reader(bob))
    assert '#reply">comment</a>' in comment_html(html, answer)
    assert '#reply">reply</a>' in comment_html(html, remark)
    assert '<span class="tag">asker</span>' in comment_html(html, remark)
    assert "Accept" not in html


def test_the_asker_accepts_changes_and_takes_back(ada: User, bob: User, asked: Post) -> None:
    first, second = add_comment(bob, asked, "One."), add_comment(bob, asked, "Two.")
    window = reader(ada)
    assert "Accept this answer" in comment_html(page(asked, window=window), second)
    response = accept(ada, asked, second.pk)
    assert response.status_code == 303
    assert response["Location"] == f"{asked.get_absolute_url()}#comments"
    html = page(asked, window=window)
    assert comment_ids(html) == [second.pk, first.pk], "the accepted answer appears first"
    assert "Accepted answer" in comment_html(html, second)
    assert "Unaccept this answer" in comment_html(html, second)
    accept(ada, asked, first.pk)
    html = page(asked)
    assert comment_ids(html) == [first.pk, second.pk]
    assert "Accepted answer" not in comment_html(html, second)
    accept(ada, asked)
    assert "Accepted answer" not in page(asked)


def test_page_after_an_action_in_a_thread_says_what_was_done(
    ada: User, bob: User, asked: Post
) -> None:
    answer, window = add_comment(bob, asked), reader(ada)
    for path, form, sentence in (
        (f"/p/{asked.pk}/accept", {"comment": answer.pk}, "Answer accepted."),
        (f"/p/{asked.pk}/watch", {"on": "1"}, "You will be notified of new comments here."),
    ):
        response = window.post(path, form | {"next": asked.get_absolute_url()})
        landed, _sign, place = response["Location"].partition("#")
        html = window.get(landed).content.decode()
        assert html.count(sentence) == 1
        assert html.index(f'id="{place}"') < html.index(sentence) < html.index("Your answer")


def test_lists_show_which_questions_are_answered(ada: User, bob: User, asked: Post) -> None:
    answer = add_comment(bob, asked)

    def row() -> str:
        return reader().get("/").content.decode()

    assert "(question)" in row()
    accept(ada, asked, answer.pk)
    assert "(answered)" in row()
    accept(ada, asked)
    assert "(question)" in row(), "the asker took it back"
    accept(ada, asked, answer.pk)
    comment_service.delete(answer, by=bob)
    assert "(question)" in row(), "the answer is gone"


def test_form_without_an_answer_does_not_unaccept(ada: User, bob: User, asked: Post) -> None:
    answer = add_comment(bob, asked)
    accept(ada, asked, answer.pk)
    response = reader(ada).post(f"/p/{asked.pk}/accept")
    assert response.status_code == 400
    assert "Missing value for" in response.content.decode()
    asked.refresh_from_db()
    assert asked.accepted == answer


@pytest.mark.parametrize("sort", ["top", "new", "old", "controversial"])
def test_accepted_answer_is_first_in_every_order(
    ada: User, bob: User, asked: Post, sort: str
) -> None:
    answers = [add_comment(bob, asked, f"{number}.") for number in range(3)]
    accept(ada, asked, answers[1].pk)
    assert comment_ids(page(asked, f"?sort={sort}"))[0] == answers[1].pk


def test_only_the_asker_accepts_and_not_even_staff_in_their_place(
    ada: User, bob: User, asked: Post
) -> None:
    answer = add_comment(bob, asked)
    response = accept(bob, asked, answer.pk)
    assert response.status_code == 403
    assert "Only the person who asked" in response.content.decode()
    assert accept(person("stella", is_staff=True), asked, answer.pk).status_code == 403
    assert accept(None, asked, answer.pk).status_code == 302
    assert reader(ada).get(f"/p/{asked.pk}/accept").status_code == 405
    asked.refresh_from_db()
    assert asked.accepted is None


def test_only_an_answer_to_this_question_can_be_accepted(ada: User, bob: User, asked: Post) -> None:
    answer = add_comment(bob, asked)
    remark = add_comment(bob, asked, "A remark.", answer)
    elsewhere = add_comment(bob, post(ada, "Another", kind="question"))
    for wrong in (remark.pk, elsewhere.pk, 999, "x", "9" * 30):
        assert accept(ada, asked, wrong).status_code == 404
    text = post(ada, "A text")
    assert accept(ada, text, add_comment(bob, text).pk).status_code == 404
    comment_service.delete(answer, by=bob)
    assert accept(ada, asked, answer.pk).status_code == 410
    post_service.delete(asked)
    assert accept(ada, asked, answer.pk).status_code == 410


def test_deleting_an_accepted_answer_unaccepts_it(ada: User, bob: User, asked: Post) -> None:
    answer = add_comment(bob, asked)
    accept(ada, asked, answer.pk)
    comment_service.delete(answer, by=bob)
    asked.refresh_from_db()
    assert asked.accepted is None


def test_answers_stay_open_to_votes_long_after_the_question_closed(
    bob: User, asked: Post, redis: Redis
) -> None:
    answer, carol = add_comment(bob, asked), person("carol")
    remark = add_comment(bob, asked, "A remark.", answer)
    earlier = timezone.now() - timedelta(days=40)
    Comment.objects.all().update(created_at=earlier)
    make_older(redis, asked, days=41)
    for comment in Comment.objects.all():
        outbox.add(PostSync(comment.post_id, comment.pk))
    html = page(asked, window=reader(carol))
    assert "disabled" not in comment_html(html, answer)
    assert comment_html(html, remark).count("disabled") == 2
    assert vote(carol, answer, Vote.UP).changed


def test_the_formulas() -> None:
    assert wilson(0, 0) == 0
    assert wilson(1, 0) < wilson(95, 5) < wilson(1_000, 0)
    assert round(wilson(95, 5), 4) == 0.9141
    assert (controversy(5, 0), controversy(2, 2), controversy(3, 1)) == (0, 4, 4 ** (1 / 3))
