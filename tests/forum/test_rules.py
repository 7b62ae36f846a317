"""Automatic rules: what rules do to posts and comments, and the pages for editing rules."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.actions.rules import enabled
from forum.models import (
    Comment,
    Flag,
    Group,
    ModAction,
    Post,
    QueueItem,
    Rule,
    User,
    Withheld,
)
from forum.moderation.actions import decisions
from forum.moderation.flags import services as flags
from forum.moderation.rules import services
from forum.web import queue_count
from tests.forum.comments import add_comment
from tests.forum.factories import groups, person, post, reader, veteran

pytestmark = pytest.mark.django_db(transaction=True)
Kind, Effect = ModAction.Kind, Rule.Effect
FORM = {"name": "No casinos", "about": "any", "effect": "hold", "words": "casino*"}


@pytest.fixture
def rita() -> User:
    """An admin."""
    return person("rita", is_staff=True, is_superuser=True)


def rule(
    effect: Rule.Effect = Effect.HOLD, *, group: Group | None = None, **conditions: Any
) -> Rule:
    """Enable an automatic rule. If no conditions are given, the rule matches the word "casino"."""
    conditions = conditions or {"words": "casino"}
    made = Rule.objects.create(
        name="No casinos", effect=effect, enabled=True, group=group, **conditions
    )
    enabled.forget()
    return made


def send_post(author: User, title: str = "My casino", **more: Any) -> Any:
    groups("books", "maths")
    form = {"kind": "text", "title": title, "body": "Some text.", "groups": "books"}
    return reader(author).post("/submit", form | more)


def held(title: str) -> bool:
    return Post.objects.get(title=title).withheld == Withheld.HELD


def test_refused_post_comes_back_filled_in_and_only_the_rule_is_logged(ada: User) -> None:
    made = rule(Effect.REFUSE, words="casino", message="Please don't advertise casinos.")
    refused = send_post(ada, body="Win at my place.")
    assert refused.status_code == 422
    html = refused.content.decode()
    for part in ("Please don&#x27;t advertise casinos.", "My casino", "Win at my place."):
        assert part in html
    assert not Post.objects.exists()
    action = ModAction.objects.get()
    assert (action.kind, action.by, action.rule) == (Kind.REFUSE, None, made)
    assert (action.person, action.post, action.reason) == (ada, None, made.message)


@pytest.mark.parametrize(
    "body",
    [
        "The _casino_ is open.",
        "The **cas**ino is open.",
        "The c*a*s*i*no is open.",
        "The ca[si](https://example.org/)no is open.",
        "The cas&#105;no is open.",
        "> - __casino__",
        "The casino is open.",
        "[casino](https://example.org/)",
        "See https://casino.example.org/",
    ],
)
def test_rule_reads_the_text_as_readers_see_it(ada: User, bob: User, body: str) -> None:
    rule()
    send_post(ada, "My books", body=body)
    assert held("My books")
    comment_actions.submit(author=bob, post=post(person("cleo")), parent=None, body=body)
    assert Comment.objects.get().withheld == Withheld.HELD


@pytest.mark.parametrize(
    "body", ["The *cas* _ino_.", "The cas\n\nino.", "My occasino.", "cas **and** ino"]
)
def test_markup_between_words_does_not_join_them_for_rules(ada: User, body: str) -> None:
    rule()
    send_post(ada, "My books", body=body)
    assert not held("My books")


def test_refused_text_may_be_sent_again_after_a_change(ada: User, settings: Any) -> None:
    settings.SAME_TEXT = 600
    rule(Effect.REFUSE, words="casino", message="No.")
    send_post(ada)
    assert send_post(ada).status_code == 422
    assert send_post(ada, "My books").status_code == 303


def test_refused_comment_and_edits_come_back_filled_in(ada: User, bob: User) -> None:
    written = post(ada)
    comment = add_comment(bob, written, "A book.")
    rule(Effect.REFUSE, words="casino", message="No casinos.")
    edited = {"title": "A casino", "body": "Some text.", "groups": "books"}
    for author, path, form in (
        (bob, f"/p/{written.pk}/comment", {"body": "A casino"}),
        (bob, f"{comment.get_absolute_url()}/edit", {"body": "A casino"}),
        (ada, f"/p/{written.pk}/edit", edited),
    ):
        refused = reader(author).post(path, form)
        assert refused.status_code == 422
        assert "A casino" in refused.content.decode()
    assert Comment.objects.get().body == "A book."
    assert Post.objects.get().title == "A title"


def test_flagged_post_is_published_and_in_the_queue_once(ada: User) -> None:
    made = rule(Effect.FLAG)
    send_post(ada)
    written = Post.objects.get()
    assert written.deleted_at is None
    item = QueueItem.objects.get(post=written)
    assert (item.kind, item.weight) == (QueueItem.Kind.FLAGGED, 1)
    assert Flag.objects.get().user is None
    assert ModAction.objects.get(kind=Kind.FLAG).rule == made
    post_actions.edit(written, by=ada, title="My other casino", body="", groups=groups("books"))
    assert Flag.objects.count() == 1


def test_strongest_effect_counts(ada: User) -> None:
    rule(Effect.FLAG)
    rule(Effect.HOLD)
    send_post(ada)
    assert held("My casino")
    assert not Flag.objects.exists()


@pytest.mark.parametrize(
    ("conditions", "matching", "other"),
    [
        ({"younger_than_days": 7}, {}, {"date_joined": timezone.now() - timedelta(days=8)}),
        ({"karma_below": 0}, {"karma": -1}, {"karma": 0}),
    ],
)
def test_rule_about_the_author(
    conditions: Any, matching: dict[str, Any], other: dict[str, Any]
) -> None:
    rule(**conditions)
    for name, fields in (("cleo", matching), ("dan", other)):
        send_post(person(name, **fields), f"By {name}")
    assert held("By cleo")
    assert not held("By dan")


def test_rule_about_domains_reads_links_and_texts(ada: User, bob: User) -> None:
    rule(domains="spam.example")
    send_post(ada, "As a link", kind="link", url="https://www.spam.example/page", body="")
    send_post(ada, "In a text", body="See [this](https://a.spam.example/?x).")
    send_post(ada, "Only named", body="Beware of `spam.example`.")
    assert held("As a link")
    assert held("In a text")
    assert not held("Only named")
    on = Post.objects.get(title="Only named")
    reader(bob).post(f"/p/{on.pk}/comment", {"body": "https://spam.example/b"})
    assert Comment.objects.get().withheld == Withheld.HELD


def test_all_conditions_must_be_met(ada: User) -> None:
    rule(words="casino", domains="spam.example")
    send_post(ada, "My casino")
    assert not held("My casino")


def test_rule_about_comments_leaves_posts_alone(ada: User, bob: User) -> None:
    rule(words="casino", about=Rule.About.COMMENT)
    send_post(ada, "My casino")
    written = Post.objects.get()
    assert not held("My casino")
    reader(bob).post(f"/p/{written.pk}/comment", {"body": "Casino!"})
    assert Comment.objects.get().withheld == Withheld.HELD


def test_groups_rule_is_for_its_posts_and_comments_only(ada: User, bob: User) -> None:
    (books,) = groups("books")
    rule(group=books, words="casino")
    send_post(ada, "A casino of books")
    send_post(ada, "A casino of maths", groups="maths")
    assert held("A casino of books")
    assert not held("A casino of maths")
    assert ModAction.objects.get().group == books
    on = post(ada, "A book")
    reader(bob).post(f"/p/{on.pk}/comment", {"body": "Casino!"})
    assert Comment.objects.get().withheld == Withheld.HELD


def test_rules_do_not_apply_to_their_moderators(gus: User) -> None:
    (books,) = groups("books")
    rule(group=books, words="casino")
    send_post(gus, "Casino of books")
    assert not held("Casino of books")
    rule(words="poker")
    send_post(gus, "Poker of books")
    assert held("Poker of books")
    send_post(person("stella", is_staff=True), "Poker and casino")
    assert not held("Poker and casino")


def test_rule_that_counts_flags_hides_what_was_flagged_enough(ada: User, bob: User) -> None:
    made = rule(flags_at_least=2, domains="spam.example")
    written = post(ada, kind="link", url="https://spam.example/", body="")
    other = post(ada)
    for who in (bob, veteran("cleo"), veteran("dora")):
        assert Post.objects.get(pk=written.pk).deleted_at is None
        for about in (written, other):
            flags.flag(about, by=who, kind=Flag.Kind.SPAM)
    hidden = Post.objects.get(pk=written.pk)
    assert hidden.withheld == Withheld.HIDDEN
    assert hidden.withheld_by
    assert (hidden.withheld_by.kind, hidden.withheld_by.rule) == (Kind.HIDE, made)
    assert Post.objects.get(pk=other.pk).deleted_at is None


def test_rule_that_counts_flags_leaves_what_moderators_let_stand(ada: User, rita: User) -> None:
    rule(flags_at_least=1)
    written = post(ada)
    flags.flag(written, by=veteran("cleo"), kind=Flag.Kind.SPAM)
    decisions.approve(written, by=rita)
    flags.flag(written, by=veteran("dora"), kind=Flag.Kind.SPAM)
    assert Post.objects.get().deleted_at is None


def test_rule_is_tried_before_an_admin_enables_it(ada: User, bob: User, rita: User) -> None:
    written = post(ada, "Casinos everywhere")
    post(ada, "Books everywhere")
    add_comment(bob, written, "I like a casino. >!Bond wins.!<")
    window = reader(rita)
    saved = window.post("/moderation/rules", FORM)
    made = Rule.objects.get()
    assert (saved.status_code, made.enabled, made.created_by) == (303, False, rita)
    html = window.get(saved["Location"]).content.decode()
    assert "The rule would have caught 2 of the newest 3 posts and comments." in html
    assert "Casinos everywhere" in html
    assert "I like a casino. [spoiler]" in html
    assert "Books everywhere" not in html
    send_post(ada, "A casino")
    assert not held("A casino")
    assert window.post(f"/moderation/rules/{made.pk}/enable", {"on": "1"}).status_code == 303
    send_post(ada, "Another casino")
    assert held("Another casino")


def test_changed_conditions_disable_a_rule_and_a_new_name_does_not(rita: User) -> None:
    made = rule(words="casino*")
    page = f"/moderation/rules/{made.pk}"
    for change, still in (({"name": "Casinos"}, True), ({"words": "poker"}, False)):
        saved = reader(rita).post(page, FORM | change, follow=True)
        assert saved.redirect_chain == [(page, 303)]
        assert ("then enable it" in saved.content.decode()) is not still
        assert Rule.objects.get().enabled is still


@pytest.mark.parametrize(
    "wrong",
    [
        {"words": ""},
        {"words": "casino\n*"},
        {"domains": "not a domain"},
        {"effect": "refuse"},
        {"effect": "refuse", "message": "No.", "flags_at_least": "2"},
        {"name": ""},
        {"flags_at_least": "0"},
    ],
)
def test_nonsense_is_refused(rita: User, wrong: dict[str, str]) -> None:
    assert reader(rita).post("/moderation/rules", FORM | wrong).status_code == 422
    assert not Rule.objects.exists()


def test_moderator_of_group_sets_its_rules_only(gus: User) -> None:
    (maths,) = groups("maths")
    window = reader(gus)
    assert window.post("/g/books/automatic-rules", FORM).status_code == 303
    own = Rule.objects.get()
    assert own.group == groups("books")[0]
    assert window.post(f"/moderation/rules/{own.pk}/enable", {"on": "1"}).status_code == 303
    others = [Rule.objects.create(name="Other", words="x", group=group) for group in (None, maths)]
    for path in ("/moderation/rules", "/g/maths/automatic-rules"):
        assert window.post(path, FORM).status_code == 403
    for other in others:
        page = f"/moderation/rules/{other.pk}"
        assert window.get(page).status_code == 403
        for path in (page, f"{page}/enable", f"{page}/delete"):
            assert window.post(path, FORM | {"on": "1"}).status_code == 403
    assert Rule.objects.count() == 3


def test_site_moderator_and_auditor_read_the_sites_rules_and_change_none(rita: User) -> None:
    made = rule()
    for reading in (person("stella", is_staff=True), person("otto", is_auditor=True)):
        window = reader(reading)
        for path in ("/moderation/rules", f"/moderation/rules/{made.pk}"):
            assert window.get(path).status_code == 200
            assert window.post(path, FORM).status_code == 403
        assert window.post(f"/moderation/rules/{made.pk}/enable", {"on": "0"}).status_code == 403
    assert Rule.objects.get().enabled


def test_page_says_if_the_site_has_no_rules_and_who_may_add_them(rita: User) -> None:
    for who in (rita, person("stella", is_staff=True), person("otto", is_auditor=True)):
        html = reader(who).get("/moderation/rules").content.decode()
        assert "The site has no rules yet." in html
        assert ("Only admins can add rules for the whole site." in html) is (who != rita)


def test_moderator_with_too_many_rules_gets_the_form_back(rita: User) -> None:
    (books,) = groups("books")
    full = [Rule(name=f"Rule {number}", group=books) for number in range(services.MOST)]
    kept = Rule.objects.bulk_create(full)[0]
    window = reader(rita)
    for path, more in (
        ("/g/books/automatic-rules", {}),
        ("/admin/forum/rule/add/", {"group": books.pk}),
    ):
        page = window.post(path, FORM | more).content.decode()
        assert "There are too many rules. Delete some first." in page
        assert "casino*</textarea>" in page
    assert Rule.objects.count() == services.MOST
    assert window.post(f"/moderation/rules/{kept.pk}", FORM).status_code == 303
    assert window.post("/moderation/rules", FORM).status_code == 303


def test_stranger_sees_no_rules(bob: User) -> None:
    made = rule(group=groups("books")[0])
    for path in ("/moderation/rules", "/g/books/automatic-rules", f"/moderation/rules/{made.pk}"):
        assert reader(bob).get(path).status_code == 403
        assert reader().get(path).status_code == 302
    assert reader(bob).get(f"/moderation/rules/{made.pk}/enable").status_code == 405


def test_rule_that_acted_can_be_disabled_and_not_deleted(ada: User, rita: User) -> None:
    made, unused = rule(), rule(words="poker")
    send_post(ada)
    window = reader(rita)
    kept = window.post(f"/moderation/rules/{made.pk}/delete", follow=True)
    assert kept.redirect_chain == [(f"/moderation/rules/{made.pk}", 303)]
    assert "The moderation log names this rule" in kept.content.decode()
    assert window.post(f"/moderation/rules/{unused.pk}/delete").status_code == 303
    assert window.post(f"/moderation/rules/{made.pk}/enable", {"on": "0"}).status_code == 303
    send_post(ada, "A second casino")
    assert not held("A second casino")
    assert Rule.objects.get() == made


def test_admin_saves_and_disables_rules_by_the_same_services(rita: User) -> None:
    window = reader(rita)
    assert window.post("/admin/forum/rule/add/", FORM).status_code == 302
    made = Rule.objects.get()
    assert (made.enabled, made.created_by) == (False, rita)
    services.set_enabled(made, True, by=rita)
    chosen = {"action": "disable", "_selected_action": made.pk}
    assert window.post("/admin/forum/rule/", chosen).status_code == 302
    assert not Rule.objects.get().enabled
    assert window.get(f"/admin/forum/rule/{made.pk}/change/").status_code == 200


def test_page_of_a_rule_costs_the_same_however_much_it_catches(
    ada: User, bob: User, rita: User
) -> None:
    made = rule(words="casino", flags_at_least=1)
    page, window, found = f"/moderation/rules/{made.pk}", reader(rita), []
    for number in range(2):
        for each in range(1 + 3 * number):
            written = post(ada, f"Casino {number} {each}")
            flags.flag(add_comment(ada, written, "Casino."), by=bob, kind=Flag.Kind.SPAM)
        window.get(page)
        queue_count.forget(rita.pk)
        with CaptureQueriesContext(connection) as queries:
            assert window.get(page).status_code == 200
        found.append(len(queries))
    assert found[0] == found[1]
