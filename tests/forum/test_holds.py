"""Posts and comments that wait for a moderator's approval, and locked threads."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.actions.rule_checks import Screening
from forum.actions.rules import enabled, screen_first_link
from forum.errors import Invalid
from forum.models import (
    Comment,
    GroupModerator,
    InboxItem,
    ModAction,
    OutboxItem,
    Post,
    QueueItem,
    Rule,
    User,
    Withheld,
)
from forum.moderation.actions import decisions, removals, threads
from forum.moderation.actions.undo import undo
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader, set_policy

pytestmark = pytest.mark.django_db(transaction=True)
Kind = ModAction.Kind


def rule(effect: Rule.Effect = Rule.Effect.HOLD, **conditions: Any) -> Rule:
    """Enable a site rule. If no conditions are given, the rule matches the word "casino"."""
    made = Rule.objects.create(
        name="No casinos", effect=effect, enabled=True, **conditions or {"words": "casino"}
    )
    enabled.forget()
    return made


def send_post(author: User, title: str = "My casino", **more: Any) -> Any:
    (books,) = groups("books")
    form = {"kind": "text", "title": title, "body": "To @bob.", "groups": books.slug}
    return reader(author).post("/submit", form | more)


def send_comment(author: User, on: Post, body: str) -> Any:
    return reader(author).post(f"/p/{on.pk}/comment", {"body": body})


def test_held_post_is_nowhere_until_it_is_approved(ada: User, bob: User, stella: User) -> None:
    held_by = rule()
    send_post(ada)
    held = Post.objects.get()
    assert held.withheld == Withheld.HELD
    assert held.withheld_by
    assert held.withheld_by.rule == held_by
    assert "My casino" not in reader().get("/new").content.decode()
    assert not InboxItem.objects.filter(user=bob).exists()
    assert QueueItem.objects.get(post=held).kind == QueueItem.Kind.HELD
    decisions.approve(held, by=stella)
    assert "My casino" in reader().get("/new").content.decode()
    assert InboxItem.objects.filter(user=bob, kind=InboxItem.Kind.MENTION).exists()


def test_queue_says_which_rule_held_a_text_and_why(ada: User, stella: User) -> None:
    held_by = rule(message="We look at casinos first.", words="casino")
    send_post(ada)
    page = reader(stella).get("/moderation").content.decode()
    assert f"Held by the rule “{held_by.name}”. We look at casinos first." in page
    decisions.approve(Post.objects.get(), by=stella)
    assert "Held by" not in reader(stella).get("/moderation?state=decided").content.decode()


def test_author_is_told_that_post_waits_and_can_read_it(ada: User) -> None:
    rule()
    sent = send_post(ada)
    shown = reader(ada).get(sent["Location"])
    assert shown.status_code == 200
    assert "Waiting for a moderator" in shown.content.decode()
    assert reader().get(sent["Location"]).status_code == 410


def test_rejected_post_says_so(ada: User, stella: User) -> None:
    rule()
    send_post(ada)
    action = removals.remove(Post.objects.get(), by=stella, reason="Spam")
    assert action.kind == Kind.REJECT
    assert Post.objects.get().withheld == Withheld.REMOVED


def test_same_held_post_sent_twice_leads_to_it(ada: User, settings: Any) -> None:
    settings.SAME_TEXT = 600
    rule()
    send_post(ada)
    again = send_post(ada)
    assert again.status_code == 429
    assert "waits for a moderator" in again.content.decode()
    assert Post.objects.count() == 1


def test_held_comment_changes_no_count_and_notifies_nobody(
    ada: User, bob: User, stella: User
) -> None:
    written = post(ada)
    rule()
    send_comment(bob, written, "Visit my casino.")
    held = Comment.objects.get()
    assert held.withheld == Withheld.HELD
    current = Post.objects.get()
    assert (current.comment_count, current.last_comment, current.commented_at) == (0, None, None)
    assert not InboxItem.objects.filter(user=ada).exists()
    decisions.approve(held, by=stella)
    assert Post.objects.get().comment_count == 1
    assert InboxItem.objects.filter(user=ada, kind=InboxItem.Kind.REPLY).exists()
    assert not OutboxItem.objects.filter(in_background=False).exists()


def test_author_sees_held_comment_and_others_do_not(ada: User, bob: User) -> None:
    written = post(ada)
    rule()
    sent = send_comment(bob, written, "Visit my casino.")
    assert "Visit my casino." in reader(bob).get(sent["Location"]).content.decode()
    for other in (ada, None):
        assert "casino" not in reader(other).get(written.get_absolute_url()).content.decode()


def test_thread_that_holds_replies_says_so_to_all_but_its_moderators(
    ada: User, bob: User, stella: User
) -> None:
    written = post(ada)
    first = add_comment(ada, written)
    waits = "New comments in this thread wait for a moderator"
    for on in (False, True):
        for path in (written.get_absolute_url(), first.get_absolute_url()):
            assert (waits in reader(bob).get(path).content.decode()) is on
            assert waits not in reader(stella).get(path).content.decode()
        threads.set_thread(written, Kind.HOLD_REPLIES, by=stella, reason="heated")


def test_locked_question_has_no_form_to_comment_on_it(
    ada: User, bob: User, stella: User, question: Post
) -> None:
    form = "Comment on the question"
    assert form in reader(bob).get(question.get_absolute_url()).content.decode()
    threads.set_thread(question, Kind.LOCK, by=stella, reason="heated")
    assert form not in reader(bob).get(question.get_absolute_url()).content.decode()
    assert form in reader(stella).get(question.get_absolute_url()).content.decode()


def test_nobody_can_reply_to_a_held_comment(ada: User, bob: User) -> None:
    written = post(ada)
    rule()
    send_comment(bob, written, "Visit my casino.")
    held = Comment.objects.get()
    reply = {"body": "Why?", "parent": held.pk}
    assert reader(ada).post(f"/p/{written.pk}/comment", reply).status_code == 422


def test_approval_is_not_undone_before_a_later_removal(ada: User, stella: User) -> None:
    rule()
    send_post(ada)
    held = Post.objects.get()
    approval = decisions.approve(held, by=stella)
    removal = removals.remove(held, by=stella, reason="Spam")
    with pytest.raises(Invalid, match="Undo the removal first"):
        undo(approval, by=stella)
    undo(removal, by=stella)
    undo(approval, by=stella)
    assert Post.objects.get().withheld == Withheld.HELD


def test_edit_that_a_rule_holds_hides_the_post_until_it_is_approved(
    ada: User, stella: User
) -> None:
    written = post(ada, "My books")
    posted_at = written.created_at
    rule()
    form = {"title": "My casino", "body": "Some text.", "groups": "books"}
    assert reader(ada).post(f"/p/{written.pk}/edit", form).status_code == 303
    hidden = Post.objects.get()
    assert (hidden.title, hidden.withheld) == ("My casino", Withheld.HIDDEN)
    assert "My casino" not in reader().get("/new").content.decode()
    decisions.approve(hidden, by=stella)
    assert Post.objects.get().created_at == posted_at
    assert "My casino" in reader().get("/new").content.decode()


def test_edit_that_a_rule_holds_hides_the_comment(ada: User, bob: User) -> None:
    comment = add_comment(bob, post(ada), "A book.")
    rule()
    edit = f"{comment.get_absolute_url()}/edit"
    assert reader(bob).post(edit, {"body": "A casino."}).status_code == 303
    assert Comment.objects.get().withheld == Withheld.HIDDEN
    assert Post.objects.get().comment_count == 0


def test_answer_that_was_accepted_before_its_edit_was_held_is_accepted_again(
    ada: User, bob: User, stella: User
) -> None:
    asked = post(ada, kind=Post.Kind.QUESTION)
    answer = add_comment(bob, asked, "A book.")
    comment_actions.accept(asked, answer, by=ada)
    rule()
    comment_actions.edit(answer, by=bob, body="A casino.")
    assert Post.objects.get().accepted is None
    decisions.approve(answer, by=stella)
    assert Post.objects.get().accepted == answer


def test_moderators_edit_is_not_held(ada: User, stella: User) -> None:
    written = post(ada, "My books")
    rule()
    post_actions.edit(
        written, by=stella, title="Her casino", body="Some text.", groups=groups("books")
    )
    assert Post.objects.get().deleted_at is None


def test_replies_are_held_except_those_of_moderators(ada: User, bob: User, stella: User) -> None:
    written = post(ada)
    threads.set_thread(written, Kind.HOLD_REPLIES, by=stella, reason="heated")
    gus = person("gus")
    GroupModerator.objects.create(group=groups("books")[0], user=gus)
    for author in (bob, ada, gus, stella):
        send_comment(author, written, f"I am {author.username}.")
    held = Comment.objects.filter(withheld=Withheld.HELD)
    assert {one.author for one in held} == {ada, bob}
    reasons = {one.withheld_by.reason for one in held if one.withheld_by}
    assert reasons == {"All replies in this thread need a moderator's approval."}
    assert Post.objects.get().comment_count == 2
    moderator = reader(stella, HTTP_ACCEPT_LANGUAGE="zh-hans")
    for path in ("/moderation", "/modlog", "/admin/forum/modaction/"):
        page = moderator.get(path).content.decode()
        assert "这个讨论的所有回复都要先审后发。" in page, path
        assert "All replies in this thread" not in page, path


def test_locked_thread_refuses_comment_and_keeps_its_text(
    ada: User, bob: User, stella: User
) -> None:
    written = post(ada)
    threads.set_thread(written, Kind.LOCK, by=stella, reason="heated")
    refused = send_comment(bob, written, "One more thing.")
    assert refused.status_code == 403
    assert "One more thing." in refused.content.decode()
    assert send_comment(stella, written, "Calm down.").status_code == 303


@pytest.fixture
def _new_domains_held() -> None:
    set_policy(holds_new_domains=True)


@pytest.mark.usefixtures("_new_domains_held")
def test_first_link_of_a_new_member_to_a_new_domain_is_held(
    ada: User, bob: User, settings: Any
) -> None:
    settings.NEW_PERSON = 86_400
    link = {"kind": "link", "url": "https://new.example/page", "body": ""}
    send_post(ada, "A link", **link)
    send_post(ada, "Another link", **link | {"url": "https://new.example/other"})
    assert Post.objects.filter(withheld=Withheld.HELD).count() == 2
    post(bob, kind="link", url="https://www.known.example/page")
    send_post(ada, "Known", **link | {"url": "https://known.example/other"})
    assert Post.objects.get(title="Known").withheld == ""
    send_post(ada, "Third", **link | {"url": "https://unknown.example/"})
    assert Post.objects.get(title="Third").withheld == ""


@pytest.mark.usefixtures("_new_domains_held")
def test_first_link_of_an_old_member_is_not_held(ada: User, settings: Any) -> None:
    settings.NEW_PERSON = 0
    send_post(ada, "A link", kind="link", url="https://new.example/page", body="")
    assert Post.objects.get().withheld == ""


def test_rules_that_do_not_match_cost_no_query_for_a_post(ada: User) -> None:
    (books,) = groups("books")

    def publish(number: int) -> int:
        with CaptureQueriesContext(connection) as queries:
            post_actions.publish(
                author=ada, kind="text", title=f"Post {number}", body="", groups=[books],
                screening=Screening(ada),
            )  # fmt: skip
        return len(queries)

    publish(0)
    without = publish(1)
    rule()
    Rule.objects.create(name="Group", group=books, words="poker", enabled=True)
    enabled.forget()
    enabled.get()
    assert publish(2) == without


def test_group_rules_cost_one_query_for_a_comment(ada: User, bob: User) -> None:
    written = post(ada)

    def write(number: int) -> int:
        with CaptureQueriesContext(connection) as queries:
            comment_actions.write(
                author=bob, post=Post.objects.get(), parent=None, body=f"Book {number}",
                screening=Screening(bob),
            )  # fmt: skip
        return len(queries)

    write(0)
    without = write(1)
    rule(words="casino", group=written.groups.get())
    enabled.get()
    assert write(2) == without + 1


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="Only SQLite chooses by the schema.")
@pytest.mark.usefixtures("_new_domains_held")
def test_posts_of_a_domain_are_found_by_an_index(ada: User, settings: Any) -> None:
    settings.NEW_PERSON = 86_400
    with CaptureQueriesContext(connection) as queries:
        assert screen_first_link(ada, "https://new.example/page").holds
    (asked,) = (one["sql"] for one in queries if "new.example" in one["sql"])
    with connection.cursor() as cursor:
        plan = str(cursor.execute(f"EXPLAIN QUERY PLAN {asked}").fetchall())
    assert plan.count("USING INDEX post_by_address") == 4
    assert "SCAN" not in plan
