"""Members flag posts, comments and people. Flags have weights, and can hide posts and comments."""

import re
from functools import partial
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from forum.actions import posts as post_actions
from forum.actions.action_log import Target, record
from forum.actions.policy import policy
from forum.config import rate_limits
from forum.errors import AlreadyDecided, Banned, Forbidden, Gone
from forum.models import (
    Ban,
    Comment,
    Flag,
    InboxItem,
    ModAction,
    Post,
    QueueItem,
    SitePolicy,
    User,
    Withheld,
)
from forum.moderation.actions import decisions, removals, undo
from forum.moderation.flags import services
from tests.forum.comments import add_comment
from tests.forum.concurrency import run_at_once
from tests.forum.factories import person, post, reader, set_policy, veteran
from voting.errors import Throttled
from voting.types.limits import Window

pytestmark = pytest.mark.django_db(transaction=True)
SPAM = {"kind": "spam"}


@pytest.fixture(autouse=True)
def _usual_policy() -> Any:
    policy.forget()
    yield
    policy.forget()


def flag(target: Target, by: User, **more: Any) -> QueueItem:
    return services.flag(target, by=by, **{"kind": Flag.Kind.SPAM} | more)


def with_history(user: User, *, agreed: int = 0, disagreed: int = 0) -> User:
    """Create old flags by a person. Moderators agreed with some flags and disagreed with others."""
    for outcome, many in ((Flag.Outcome.AGREED, agreed), (Flag.Outcome.DISAGREED, disagreed)):
        for _number in range(many):
            item = QueueItem.objects.create(kind="flagged", decided_at=timezone.now())
            Flag.objects.create(item=item, user=user, kind="spam", weight=1, outcome=outcome)
    return user


def test_flagged_post_is_in_the_queue_with_its_flag(ada: User, bob: User) -> None:
    written = post(ada)
    answer = reader(bob).post(f"/p/{written.pk}/flag", SPAM | {"words": "It sells pills."})
    assert (answer.status_code, answer["Location"]) == (303, written.get_absolute_url())
    item = QueueItem.objects.get(post=written)
    assert (item.kind, item.weight, item.group_weight) == ("flagged", 0.5, 0.5)
    assert [place.group.slug for place in item.places.all()] == ["books"]
    assert item.flags.get().words == "It sells pills."


def test_comments_and_people_can_be_flagged(ada: User, bob: User) -> None:
    comment = add_comment(ada, post(bob))
    window = reader(bob)
    assert window.post(f"{comment.get_absolute_url()}/flag", SPAM).status_code == 303
    assert window.post("/u/ada/flag", SPAM).status_code == 303
    assert QueueItem.objects.get(comment=comment).places.count() == 1
    assert not QueueItem.objects.get(person=ada).places.exists()


def test_guest_is_sent_to_log_in_and_back(ada: User) -> None:
    path = f"/p/{post(ada).pk}/flag"
    assert reader().get(path)["Location"] == f"/accounts/login/?next={path}"


def test_nobody_flags_themselves(ada: User) -> None:
    for target in (ada, post(ada)):
        with pytest.raises(Forbidden):
            flag(target, ada)
    assert not QueueItem.objects.exists()


def test_second_flag_by_same_person_changes_the_first(ada: User, bob: User) -> None:
    written = post(ada)
    flag(written, bob)
    item = flag(written, bob, kind=Flag.Kind.UNKIND, words="Rude.")
    assert (item.flags.get().kind, item.flags.get().words, item.weight) == ("unkind", "Rude.", 0.5)


def test_other_needs_words(ada: User, bob: User) -> None:
    answer = reader(bob).post(f"/p/{post(ada).pk}/flag", {"kind": "other"})
    assert answer.status_code == 422
    assert "Say what is wrong in your own words." in answer.content.decode()


def test_deleted_post_cannot_be_flagged(ada: User, bob: User) -> None:
    written = post(ada)
    post_actions.delete(written, by=ada)
    assert reader(bob).get(f"/p/{written.pk}/flag").status_code == 410
    with pytest.raises(Gone):
        flag(written, bob)


def test_banned_person_cannot_flag(ada: User, bob: User, stella: User) -> None:
    action = record(ModAction.Kind.BAN, bob, by=stella)
    Ban.objects.create(user=bob, action=action)
    with pytest.raises(Banned):
        flag(post(ada), bob)


def test_new_members_flag_a_few_times_and_may_change_a_flag(
    ada: User, bob: User, settings: Any
) -> None:
    settings.LIMITS_NEW = rate_limits.newcomers()
    first = post(ada)
    for target in (first, post(ada)):
        flag(target, bob)
    flag(first, bob, kind=Flag.Kind.UNKIND)  # changes a flag
    with pytest.raises(Throttled):
        flag(post(ada), bob)
    assert flag(post(ada), veteran("olga")).weight == 0.5, "the limit is for each person"


def test_limit_is_exact_when_somebody_flags_at_once(ada: User, bob: User, settings: Any) -> None:
    settings.LIMITS_NEW = settings.LIMITS | {"flag": (Window(1, 60),)}

    def attempt(target: Post) -> None:
        try:
            flag(target, bob)
        except Throttled:
            refused.append(target)

    refused: list[Post] = []
    run_at_once(*(partial(attempt, target) for target in (post(ada), post(ada), post(ada))))
    assert (bob.flags.count(), len(refused)) == (1, 2)


def test_moderators_flag_without_limit(ada: User, gus: User, stella: User, settings: Any) -> None:
    settings.LIMITS_NEW = settings.LIMITS | {"flag": (Window(1, 60),)}
    for by in (gus, stella):
        for target in (post(ada), post(ada)):
            flag(target, by)
    flag(post(ada, slugs="maths"), gus)
    with pytest.raises(Throttled):
        flag(post(ada, slugs="maths"), gus)


def test_refused_flag_does_not_count_for_the_limit(ada: User, bob: User, settings: Any) -> None:
    settings.LIMITS_NEW = settings.LIMITS | {"flag": (Window(1, 60),)}
    with pytest.raises(Forbidden):
        flag(bob, bob)
    flag(ada, bob)


def test_too_many_flags_show_the_form_again_filled_in(ada: User, bob: User, settings: Any) -> None:
    settings.LIMITS_NEW = settings.LIMITS | {"flag": (Window(1, 3600),)}
    window, written = reader(bob), post(ada)
    window.post("/u/ada/flag", SPAM)
    sent = SPAM | {"words": "It sells pills."}
    refused = window.post(f"/p/{written.pk}/flag", sent)
    page = refused.content.decode()
    assert (refused.status_code, refused["Retry-After"]) == (429, "3600")
    assert "You&#x27;ve reached the limit for now. Try again in 60 minutes." in page
    assert "It sells pills." in page
    assert 'value="spam" checked' in re.sub(r" (required|id=\S+)", "", page)
    bare = window.post(f"/p/{written.pk}/flag", sent, headers={"X-Fragment": "flag"})
    assert (bare.status_code, "<" in bare.content.decode()) == (429, False)
    assert not QueueItem.objects.filter(post=written).exists()


def test_weight_follows_earlier_flags(ada: User, bob: User, gus: User) -> None:
    cleo, dora = person("cleo"), person("dora")
    assert flag(post(ada), with_history(bob, agreed=4)).weight == 6 / 8
    assert flag(post(ada), with_history(cleo, disagreed=4)).weight == 2 / 8
    written = post(ada)
    flag(written, dora)
    assert flag(written, gus).weight == 0.5 + 3 * 0.5, "gus moderates books"
    assert flag(post(ada, slugs="maths"), gus).weight == 0.5


def test_heavy_flags_hide_a_post_until_a_moderator_decides(
    ada: User, bob: User, stella: User
) -> None:
    set_policy(hide_weight=1)
    written = post(ada, "Buy pills")
    flag(written, veteran("olga"))
    flag(written, bob)
    assert "Buy pills" in reader().get("/new").content.decode(), "new accounts hide nothing"
    flag(written, veteran("otto"))
    assert "Buy pills" not in reader().get("/new").content.decode()
    hidden = ModAction.objects.get(kind="hide")
    assert (hidden.by, hidden.post) == (None, written)
    assert InboxItem.objects.filter(user=ada, kind="moderator").exists()
    with pytest.raises(AlreadyDecided):
        services.withdraw(written, by=bob)
    decisions.dismiss(written, by=stella)
    assert "Buy pills" in reader().get("/new").content.decode()
    flag(written, veteran("dora"))
    flag(written, veteran("emil"))
    assert not Post.objects.get(pk=written.pk).withheld, "a moderator has let it stand"


@pytest.mark.parametrize("short", [{"hide_min_days": 11}, {"hide_min_karma": 6}])
def test_flags_hide_nothing_without_age_and_karma(ada: User, short: dict[str, int]) -> None:
    set_policy(hide_weight=1, **short)
    written = post(ada)
    for name in ("olga", "otto", "olive"):
        item = flag(written, veteran(name))
    assert not Post.objects.get().withheld
    assert item.weight == 1.5, "moderators still see all flags in the queue"
    set_policy(hide_weight=1, hide_min_days=10, hide_min_karma=5)
    flag(written, veteran("ole"))
    assert Post.objects.get().withheld == Withheld.HIDDEN


def test_flags_by_strangers_do_not_hide_what_established_authors_write(bob: User) -> None:
    author = veteran("olga")
    written, comment = post(author), add_comment(author, post(bob))
    for stranger in [veteran(f"stranger{number}") for number in range(8)]:
        for target in (written, comment):
            flag(target, stranger)
    assert not Post.objects.deleted().exists()
    assert not Comment.objects.deleted().exists()
    flag(written, with_history(veteran("tom"), disagreed=1))
    assert not Post.objects.deleted().exists()
    vera = with_history(veteran("vera"), agreed=1)
    for target in (written, comment):
        flag(target, vera)
    assert Post.objects.deleted().get() == written
    assert Comment.objects.deleted().get() == comment


def test_flag_by_new_moderator_helps_to_hide(gus: User) -> None:
    set_policy(hide_weight=2)
    written = post(veteran("olga"))
    flag(written, veteran("otto"))
    flag(written, gus)
    assert Post.objects.get().withheld == Withheld.HIDDEN
    elsewhere = post(veteran("olive"), slugs="maths")
    for number in range(4):
        flag(elsewhere, veteran(f"stranger{number}"))
    flag(elsewhere, gus)
    assert not Post.objects.get(pk=elsewhere.pk).withheld, "Gus moderates only books"


@pytest.mark.parametrize(
    ("before", "after"), [((0, 0), (3, 5)), ((0, 2), (0, 2)), ((7, 0), (7, 0)), ((1, 9), (1, 9))]
)
def test_only_unchanged_policies_get_new_defaults(
    before: tuple[int, int], after: tuple[int, int]
) -> None:
    set_policy(hide_min_days=before[0], hide_min_karma=before[1])
    with connection.schema_editor() as editor:
        import_module("forum.migrations.0003_flags_that_hide").set_defaults(apps, editor)
    saved = SitePolicy.objects.get()
    assert (saved.hide_min_days, saved.hide_min_karma) == after


def test_flag_for_site_moderators_does_not_count_for_the_group(ada: User, bob: User) -> None:
    written = post(ada)
    item = flag(written, bob, to_admins=True)
    assert (item.weight, item.group_weight) == (0.5, 0)
    item = flag(written, person("cleo"))
    assert (item.weight, item.group_weight, item.places.get().weight) == (1, 0.5, 0.5)


def test_last_withdrawn_flag_closes_the_item(ada: User, bob: User) -> None:
    written, cleo = post(ada), person("cleo")
    for one in (bob, cleo):
        flag(written, one)
    mine = bob.flags.get()
    assert reader(bob).post(f"/flags/{mine.pk}/withdraw").status_code == 303
    assert QueueItem.objects.get().weight == 0.5
    services.withdraw(written, by=cleo)
    services.withdraw(written, by=cleo)
    assert not QueueItem.objects.exists()


def test_stranger_cannot_withdraw_a_flag(ada: User, bob: User) -> None:
    flag(post(ada), bob)
    assert reader(ada).post(f"/flags/{bob.flags.get().pk}/withdraw").status_code == 404


def test_decided_flag_stays_and_text_is_flagged_again_only_after_an_edit(
    ada: User, bob: User, stella: User
) -> None:
    written = post(ada)
    flag(written, bob)
    decisions.dismiss(written, by=stella)
    for act in (partial(services.withdraw, written, by=bob), partial(flag, written, bob)):
        with pytest.raises(AlreadyDecided):
            act()
    Post.objects.filter(pk=written.pk).update(edited_at=timezone.now())
    written.refresh_from_db()
    assert flag(written, bob).flags.count() == 1


def test_flagged_texts_that_were_removed_are_not_called_deleted(
    ada: User, bob: User, stella: User
) -> None:
    written = post(ada, "Pills")
    for target in (written, add_comment(ada, written, "Cheap pills.")):
        flag(target, bob)
        removals.remove(target, by=stella, reason="Spam")
    page = reader(bob).get("/flags").content.decode()
    assert "a post that is no longer available" in page
    assert "a comment that is no longer available" in page
    assert "Pills" not in page
    assert "deleted" not in page


@pytest.mark.parametrize("is_private", [False, True])
def test_flagger_reads_which_post_was_removed_unless_the_removal_is_private(
    ada: User, bob: User, stella: User, is_private: bool
) -> None:
    written = post(ada, "Pills & more")
    flag(written, bob)
    action = removals.remove(written, by=stella, reason="spam", is_private=is_private)
    inbox = reader(bob).get("/inbox").content.decode()
    assert "Moderators agreed with your flag" in inbox
    assert "This post is no longer available." in inbox
    assert ("<b>Pills &amp; more</b>" in inbox) is not is_private
    for window in (reader(bob), reader()):
        gone = window.get(written.get_absolute_url())
        assert gone.status_code == 410
        link = f'<a href="{action.get_absolute_url()}">View in the moderation log</a>'
        assert (link in gone.content.decode()) is not is_private


def test_post_that_waits_for_a_moderator_does_not_lead_to_the_log(ada: User, stella: User) -> None:
    written = post(ada, "Pills")
    action = record(ModAction.Kind.HIDE, written, by=None)
    Post.objects.filter(pk=written.pk).update(
        withheld=Withheld.HIDDEN, withheld_by=action, deleted_at=timezone.now()
    )
    gone = reader().get(written.get_absolute_url())
    assert gone.status_code == 410
    assert "modlog/" not in gone.content.decode()


def test_people_hear_what_became_of_their_flags(ada: User, bob: User, stella: User) -> None:
    muted = person("cleo", muted=["flag"])
    wrong, right = post(ada, "Fine"), add_comment(ada, post(bob), "Pills!")
    for one in (bob, muted, stella):
        for target in (wrong, right):
            flag(target, one)
    decisions.dismiss(wrong, by=stella)
    action = removals.remove(right, by=stella, reason="spam")
    inbox = reader(bob).get("/inbox?kind=flag").content.decode()
    assert "Moderators agreed with your flag" in inbox
    assert "found nothing wrong" in inbox
    told = InboxItem.objects.filter(kind="flag").values_list("user__username", flat=True)
    assert list(told) == ["bob", "bob"]
    assert "moderators agreed" in reader(bob).get("/flags").content.decode()
    undo.undo(action, by=stella)
    assert InboxItem.objects.filter(kind="flag").count() == 1
    assert set(Flag.objects.filter(item__comment=right).values_list("outcome", flat=True)) == {""}


def test_flagging_takes_constant_queries(
    ada: User, bob: User, django_assert_num_queries: Any
) -> None:
    written = post(ada)
    for number in range(3):
        flag(written, person(f"p{number}"))
    policy.get()
    with django_assert_num_queries(21):
        flag(written, bob)


def test_script_gets_only_the_form_and_then_the_thanks(ada: User, bob: User) -> None:
    path, part = f"/p/{post(ada).pk}/flag", {"X-Fragment": "flag"}
    form = reader(bob).get(path, headers=part).content.decode()
    assert "<html" not in form
    assert 'name="kind"' in form
    thanks = reader(bob).post(path, SPAM, headers=part)
    assert thanks.status_code == 200
    assert "Thank you" in thanks.content.decode()
    refused = reader(ada).get(path, headers=part)
    assert (refused.status_code, refused.content.decode()) == (
        403,
        "You can't flag your own posts and comments.",
    )
