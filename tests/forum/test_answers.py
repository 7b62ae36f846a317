"""Answers are ranked by 2 x up votes - down votes, and the question's author can accept one."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.models import Comment, Post, User
from forum.store import outbox
from forum.store.post_sync import PostSync
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment, comment_html, comment_ids, page, vote
from tests.forum.factories import make_older, person, post, reader
from voting.scores import controversy, wilson
from voting.types import Vote

pytestmark = pytest.mark.django_db(transaction=True)


def accept(user: User | None, on: Post, answer: object = "") -> Any:
    return reader(user).post(f"/p/{on.pk}/accept", {"comment": answer})


def test_a_person_supports_or_opposes_an_answer_or_neither(bob: User, question: Post) -> None:
    answer, carol = add_comment(bob, question), person("carol")
    for choice in (Vote.UP, Vote.DOWN, Vote.NONE):
        vote(carol, answer, choice)
        tallies = get_voting_service().comments.tallies(question.pk, [answer.pk], viewer=carol.pk)
        assert tallies[answer.pk].vote is choice


def test_folds_count_answers_and_comments_by_their_names(
    ada: User, bob: User, question: Post
) -> None:
    best, deleted, _other = (
        add_comment(bob, question, text) for text in ("One.", "Two.", "Three.")
    )
    below = add_comment(ada, question, "Why?", best)
    add_comment(bob, question, "So.", below)
    add_comment(ada, question, "What was it?", deleted)
    comment_actions.delete(deleted, by=bob)
    accept(ada, question, best.pk)
    folds = re.findall("<summary><span>(.*?)</span></summary>", page(question))
    assert folds[:3] == [
        "Accepted answer by bob, 2 comments",
        "Comment by ada, 1 reply",
        "Comment by bob",
    ]
    assert set(folds[3:]) == {"Answer by bob", "Unavailable answer, 1 comment", "Comment by ada"}


def test_answers_are_ordered_by_weight(ada: User, bob: User, question: Post) -> None:
    first, second, third = (add_comment(bob, question, text) for text in ("One.", "Two.", "Three."))
    for number in range(3):
        vote(person(f"p{number}"), second, Vote.UP)
        vote(User.objects.get(username=f"p{number}"), first, Vote.DOWN)
    assert comment_ids(page(question)) == [second.pk, third.pk, first.pk]


def test_two_ups_and_three_downs_weigh_more_than_nothing_but_less_by_share(
    bob: User, question: Post
) -> None:
    plain, disputed = add_comment(bob, question, "Plain."), add_comment(bob, question, "Disputed.")
    for number in range(5):
        vote(person(f"p{number}"), disputed, Vote.UP if number < 2 else Vote.DOWN)
    assert comment_ids(page(question)) == [disputed.pk, plain.pk], "3 x 2 - 3 is more than 1 x 2"
    assert wilson(3, 3) < wilson(1, 0)


def test_a_question_has_answers_and_answers_have_comments(
    ada: User, bob: User, question: Post
) -> None:
    answer = add_comment(bob, question, "Because.")
    remark = add_comment(ada, question, "Thanks.", answer)
    html = page(question, window=reader(bob))
    assert '2 comments <span class="meta">including 1 answer</span>' in html
    assert "<b>2</b> <span>comments</span>" in reader().get("/new").content.decode()
    assert "Your answer" in html
    assert "Your comment" in page(answer, window=reader(bob))
    assert "Your reply" in page(remark, window=reader(bob))
    assert '#reply">comment</a>' in comment_html(html, answer)
    assert '#reply">reply</a>' in comment_html(html, remark)
    assert '<span class="tag">asker</span>' in comment_html(html, remark)
    assert "Accept" not in html


def test_the_asker_accepts_changes_and_takes_back(ada: User, bob: User, question: Post) -> None:
    first, second = add_comment(bob, question, "One."), add_comment(bob, question, "Two.")
    window = reader(ada)
    assert "Accept this answer" in comment_html(page(question, window=window), second)
    response = accept(ada, question, second.pk)
    assert response.status_code == 303
    assert response["Location"] == f"{question.get_absolute_url()}#comments"
    html = page(question, window=window)
    assert comment_ids(html) == [second.pk, first.pk], "the accepted answer appears first"
    assert "Accepted answer" in comment_html(html, second)
    assert "Unaccept this answer" in comment_html(html, second)
    accept(ada, question, first.pk)
    html = page(question)
    assert comment_ids(html) == [first.pk, second.pk]
    assert "Accepted answer" not in comment_html(html, second)
    accept(ada, question)
    assert "Accepted answer" not in page(question)


def test_page_after_an_action_in_a_thread_says_what_was_done(
    ada: User, bob: User, question: Post
) -> None:
    answer, window = add_comment(bob, question), reader(ada)
    for path, form, sentence in (
        (f"/p/{question.pk}/accept", {"comment": answer.pk}, "Answer accepted."),
        (
            f"/p/{question.pk}/watch",
            {"on": "1"},
            "You will be notified of new comments in this thread.",
        ),
    ):
        response = window.post(path, form | {"next": question.get_absolute_url()})
        landed, _sign, place = response["Location"].partition("#")
        html = window.get(landed).content.decode()
        assert html.count(sentence) == 1
        assert html.index(f'id="{place}"') < html.index(sentence) < html.index("Your answer")


def test_lists_show_which_questions_are_answered(ada: User, bob: User, question: Post) -> None:
    answer = add_comment(bob, question)

    def row() -> str:
        return reader().get("/").content.decode()

    assert "(question)" in row()
    accept(ada, question, answer.pk)
    assert "(answered)" in row()
    accept(ada, question)
    assert "(question)" in row(), "the asker took it back"
    accept(ada, question, answer.pk)
    comment_actions.delete(answer, by=bob)
    assert "(question)" in row(), "the answer is deleted"


def test_form_without_an_answer_does_not_unaccept(ada: User, bob: User, question: Post) -> None:
    answer = add_comment(bob, question)
    accept(ada, question, answer.pk)
    response = reader(ada).post(f"/p/{question.pk}/accept")
    assert response.status_code == 400
    assert "Missing field" in response.content.decode()
    question.refresh_from_db()
    assert question.accepted == answer


@pytest.mark.parametrize("sort", ["top", "new", "old", "controversial"])
def test_accepted_answer_is_first_in_every_order(
    ada: User, bob: User, question: Post, sort: str
) -> None:
    answers = [add_comment(bob, question, f"{number}.") for number in range(3)]
    accept(ada, question, answers[1].pk)
    assert comment_ids(page(question, f"?sort={sort}"))[0] == answers[1].pk


def test_only_the_asker_accepts_and_not_even_staff_in_their_place(
    ada: User, bob: User, question: Post
) -> None:
    answer = add_comment(bob, question)
    response = accept(bob, question, answer.pk)
    assert response.status_code == 403
    assert "Only the person who asked" in response.content.decode()
    assert accept(person("stella", is_staff=True), question, answer.pk).status_code == 403
    assert accept(None, question, answer.pk).status_code == 302
    assert reader(ada).get(f"/p/{question.pk}/accept").status_code == 405
    question.refresh_from_db()
    assert question.accepted is None


def test_only_an_answer_to_this_question_can_be_accepted(
    ada: User, bob: User, question: Post
) -> None:
    answer = add_comment(bob, question)
    remark = add_comment(bob, question, "A remark.", answer)
    elsewhere = add_comment(bob, post(ada, "Another", kind="question"))
    for wrong in (remark.pk, elsewhere.pk, 999_999_999, "x", "9" * 30):
        assert accept(ada, question, wrong).status_code == 404
    text = post(ada, "A text")
    assert accept(ada, text, add_comment(bob, text).pk).status_code == 404
    comment_actions.delete(answer, by=bob)
    assert accept(ada, question, answer.pk).status_code == 410
    post_actions.delete(question)
    assert accept(ada, question, answer.pk).status_code == 410


def test_answers_stay_open_to_votes_long_after_the_question_closed(
    bob: User, question: Post, redis: Redis
) -> None:
    answer, carol = add_comment(bob, question), person("carol")
    remark = add_comment(bob, question, "A remark.", answer)
    earlier = timezone.now() - timedelta(days=40)
    Comment.objects.all().update(created_at=earlier)
    make_older(redis, question, days=41)
    for comment in Comment.objects.all():
        outbox.add(PostSync(comment.post_id, comment.pk))
    html = page(question, window=reader(carol))
    assert "disabled" not in comment_html(html, answer)
    assert comment_html(html, remark).count("disabled") == 2
    assert vote(carol, answer, Vote.UP).changed


def test_the_formulas() -> None:
    assert wilson(0, 0) == 0
    assert wilson(1, 0) < wilson(95, 5) < wilson(1_000, 0)
    assert round(wilson(95, 5), 4) == 0.9141
    assert (controversy(5, 0), controversy(2, 2), controversy(3, 1)) == (0, 4, 4 ** (1 / 3))
