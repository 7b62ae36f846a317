"""Builds a site on which every type of page (`tests.forum.page_types`) has content."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.actions import following, marks, mutes, unsubscribe_links
from forum.actions import posts as post_actions
from forum.actions.unsubscribe_links import Mail
from forum.ledger.archiver import archive_waiting
from forum.models import (
    Ban,
    Comment,
    Conversation,
    Flag,
    Group,
    GroupModerator,
    Invitation,
    ModAction,
    Mute,
    Post,
    QueueItem,
    Rule,
    SiteText,
    User,
    VoteSign,
)
from forum.moderation.actions import bulk, decisions, sanctions, vote_voids
from forum.moderation.actions.vote_voids import NAMED, VoidSync
from forum.moderation.conversations import services as conversations
from forum.moderation.flags import services
from forum.moderation.people.services import write_note
from forum.queries.owner_texts import written
from forum.store import post_sync
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.factories import (
    PASSWORD,
    emailed_path,
    give_messages,
    groups,
    person,
    post,
    reader,
    reauthenticated_reader,
)
from tests.forum.page_types import FAR, LONG, PAGES, ROWS, Visitor
from voting.types import Target, Vote


@dataclass(frozen=True, slots=True)
class Library:
    rich: Post
    """The post whose text has lists, tables and other markdown."""
    addresses: dict[str, str]
    """Values for the placeholders in the addresses of PAGES."""
    people: dict[Visitor, User]

    def pages(self, visitor: Visitor) -> dict[str, str]:
        """Return a dict that maps page names to URLs, for all pages that this visitor sees."""
        return {
            name: address.format_map(self.addresses) for name, address in PAGES[visitor].items()
        }

    def browser(self, visitor: Visitor) -> Client:
        """Return a visitor's browser, which may be logged in or in the middle of a log-in."""
        if visitor is Visitor.GUEST:
            return reader()
        if visitor in {Visitor.MEMBER, Visitor.MODERATOR}:
            return reader(self.people[visitor])
        return ARRIVALS[visitor](self.people[visitor])


def _entering(user: User, **pending: Any) -> Client:
    window = reader()
    window.post("/accounts/login/", {"login": user.username, "password": PASSWORD} | pending)
    return window


def _voting(user: User) -> Client:
    comment = Comment.objects.visible().latest("pk")
    return _entering(user, vote="up", post=comment.post_id, comment=comment.pk)


def _following(user: User) -> Client:
    return _entering(user, follow="u/careful")


ARRIVALS: dict[Visitor, Callable[[User], Client]] = {
    Visitor.SURE: reauthenticated_reader,
    Visitor.CAREFUL: reauthenticated_reader,
    Visitor.ENTERING: _entering,
    Visitor.VOTING: _voting,
    Visitor.FOLLOWING: _following,
}


@contextmanager
def short_pages(settings: Any) -> Iterator[None]:
    """In the `with` block, show only ten rows per page, so that listings have several pages."""
    settings.PAGE_SIZE = ROWS
    settings.VOTING_RULES = replace(settings.VOTING_RULES, page_size=ROWS)
    get_voting_service.cache_clear()
    yield
    get_voting_service.cache_clear()
    written.forget()


def library(ada: User, bob: User) -> Library:
    """Fill an empty site with content for every type of page."""
    rich = _written(ada, bob)
    question = post(person("a-name-of-exactly-thirty-chars"), "Why, then?", kind="question")
    answer = add_comment(ada, question, "Because.")
    add_comment(bob, question, "Are you sure?")
    comment_actions.accept(question, answer, by=question.author)
    old = post(ada, "An old one")
    Post.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=30))
    post_sync.deliver([old.pk])
    _follow_and_keep(ada, bob, old)
    comment = add_comment(bob, rich, f"{LONG}{LONG}")
    own = add_comment(ada, rich, "To @bob.", comment)
    comment_actions.delete(add_comment(bob, rich, "Nothing."), bob)
    comment_actions.change(comment, f"Better {LONG}{LONG}")
    give_messages(ada, text=f"A word:\n\n{LONG}{LONG}")
    following.block(ada, bob, on=True)
    Invitation.objects.create(code="c0ffee", by=ada)
    Invitation.objects.create(code="c0de", by=ada, used_by=bob)
    for page in SiteText.Page:
        SiteText.objects.create(page=page, body=f"The {page}.", body_html=f"<p>The {page}.</p>")
    written.forget()
    mutes.mute(ada, Mute.Kind.WORD, LONG)
    mutes.mute(ada, Mute.Kind.DOMAIN, "example.com")
    item = _flagged(ada, bob, rich, comment)
    careful = person("careful")
    TOTP.activate(careful, generate_totp_secret())
    RecoveryCodes.activate(careful)
    _moderate(ada)
    removed = _remove_everything()
    voided = _void_votes(rich, bob)
    _signs(ada, bob, comment)
    short, today = f"/p/{rich.pk}", timezone.now().date()
    addresses = {
        "short": short,
        "day": reverse("day", args=[today]),
        "week": reverse("week", args=[today - timedelta(days=today.weekday())]),
        "post": rich.get_absolute_url(),
        "question": question.get_absolute_url(),
        "old": old.get_absolute_url(),
        "comment": f"{short}/c/{comment.pk}",
        "own": f"{short}/c/{own.pk}",
        "others": f"/p/{question.pk}",
        "bulk": removed.get_absolute_url(),
        "voided": voided.get_absolute_url(),
        "item": f"/moderation/items/{item.pk}",
        "rule": reverse("rule", args=[_rule(ada).pk]),
        "conversation": Conversation.objects.get(user=ada).get_absolute_url(),
        "unsubscribe": unsubscribe_links.address(ada.pk, Mail.REPLIES).removeprefix(
            settings.SITE_URL
        ),
        **_mailed(bob),
    }
    people = dict.fromkeys((Visitor.MEMBER, Visitor.SURE, Visitor.VOTING, Visitor.FOLLOWING), ada)
    people |= dict.fromkeys((Visitor.CAREFUL, Visitor.ENTERING), careful)
    moderator = person("moderator", is_staff=True)
    GroupModerator.objects.create(group=groups("books")[0], user=moderator)
    people[Visitor.MODERATOR] = moderator
    return Library(rich, addresses, people)


def _written(ada: User, bob: User) -> Post:
    """Publish posts of all kinds in groups."""
    Group.objects.create(slug="ships", title=LONG[:60])
    groups("books", "maths", "group-with-a-name-of-forty-characters-xy")
    ada.about = "# Me\n\nI *read*."
    ada.save()
    for number in range(ROWS // 2):
        post(bob, f"Post number {number}", slugs="cooking")
    for number, slugs in enumerate(("books", "maths", "books maths")):
        post(ada, f"{LONG} {LONG}", slugs=slugs, kind="link", url=f"{FAR}{number}", body="")
    rich = post(ada, "A rich text", slugs="books maths", body="Soon.")
    text = (
        f"# A head\n\n{LONG}{LONG}\n\n- one\n- [two]({FAR})\n\n- مرحبا\n\n> quoted\n\n## Lower\n\n"
    )
    wide = f"    {LONG}{LONG}\n\n| a | b |\n|---|---|\n| {LONG} | {LONG} |\n\n`{LONG}`"
    post_actions.change(rich, title=rich.title, body=text + wide)
    return rich


def _flagged(ada: User, bob: User, text: Post, comment: Comment) -> QueueItem:
    """Fill the moderation queue with open and decided items; return one of the open items."""
    for target in (post(ada, "Dull"), add_comment(ada, text, "Meh."), person("flagged")):
        services.flag(target, by=bob, kind=Flag.Kind.OTHER, words=f"It is {LONG}{LONG}")
    decisions.dismiss(target, by=person("decider", is_staff=True), reason="Fine")
    services.flag(comment, by=ada, kind=Flag.Kind.OFF_TOPIC)
    return services.flag(text, by=bob, kind=Flag.Kind.SPAM, to_admins=True)


def _follow_and_keep(ada: User, bob: User, kept: Post) -> None:
    """Make Ada follow Bob and a group, hide a group, and save and hide a post. Bob follows Ada."""
    cleo = person("a-name-of-just-as-many-letters")
    for one, other in ((ada, bob), (bob, ada), (bob, cleo)):
        following.set_follow(one, other, on=True)
    books, maths = groups("books", "maths")
    following.set_follow(ada, books, on=True)
    following.hide_group(ada, maths, True)
    marks.save(ada, kept, True)
    marks.hide(ada, kept, True)


def _moderate(ada: User) -> None:
    """Make Gus, a group's moderator, warn and ban Ada, and make Ada write to the moderators."""
    gus, (books,) = person("gus"), groups("books")
    GroupModerator.objects.create(group=books, user=gus)
    sanctions.warn(ada, books, by=gus, reason=LONG)
    later = timezone.now() + timedelta(days=1)
    sanctions.ban(ada, books, by=gus, reason="Still unkind.", until=later)
    Ban.objects.update(until=timezone.now() - timedelta(days=1))
    conversations.write_to_moderators(ada, books, body=f"Why?\n\n{LONG}{LONG}")
    write_note(ada, books, by=gus, text=LONG)


def _rule(ada: User) -> Rule:
    """Create automatic rules of the site and of a group; return a rule that matches Ada's posts."""
    Rule.objects.create(name="Young accounts", younger_than_days=1, karma_below=0, message=LONG)
    (books,) = groups("books")
    words = f"{LONG}*\nmeh*"
    return Rule.objects.create(name=LONG[:80], group=books, words=words)


def _remove_everything() -> ModAction:
    """Start a bulk removal of a spammer's posts, do one batch, and return the bulk action."""
    spammer = person("spammer")
    for number in range(2):
        post(spammer, f"Buy {number} {LONG}{LONG}")
    now = timezone.now()
    action = bulk.remove_everything(
        spammer,
        group=None,
        since=now - timedelta(hours=1),
        until=now,
        by=person("remover", is_staff=True),
        reason=f"Spam {LONG}",
    )
    bulk.do_batch(action.pk)
    return action


def _void_votes(on: Post, bob: User) -> ModAction:
    """Void votes that some people cast on a post, and return the action. Bob's vote stays."""
    ring = [person(f"ring{number}") for number in range(NAMED)]
    for voter in (bob, User.objects.get(username="spammer"), *ring):
        get_voting_service().votes.cast(voter.pk, Target(on.pk), Vote.UP)
    archive_waiting()
    now = timezone.now()
    action = vote_voids.void_votes(
        ring,
        group=None,
        since=now - timedelta(hours=1),
        until=now + timedelta(seconds=1),
        by=User.objects.get(username="remover"),
        reason=f"A ring {LONG}",
    )
    for _ in range(3):
        VoidSync.deliver([VoidSync(action.pk)])
    return action


def _signs(ada: User, bob: User, comment: Comment) -> None:
    """Add a sign of each kind to the votes that deserve a look."""
    now = timezone.now()
    span = {"since": now - timedelta(hours=1), "until": now, "votes": 1_234, "accounts": 120}
    people = [ada.pk, bob.pk, person("a-name-with-the-most-letters-1").pk]
    for kind in VoteSign.Kind:
        VoteSign.objects.create(
            kind=kind, post=comment.post, person=bob, people=people, networks=2, shared=1, **span
        )
    VoteSign.objects.filter(kind=VoteSign.Kind.NETWORK).update(comment=comment)
    VoteSign.objects.filter(kind__in=(VoteSign.Kind.DOWN_VOTES, VoteSign.Kind.SIGN_UPS)).update(
        post=None
    )


def _mailed(user: User) -> dict[str, str]:
    """Return the links with which people confirm an email address and reset a password."""
    user.email = f"{user.username}@example.org"
    user.save()
    owned = EmailAddress.objects.create(user=user, email=user.email, primary=True)
    mail.outbox.clear()
    reader().post("/accounts/password/reset/", {"email": user.email})
    key = EmailConfirmationHMAC(owned).key
    return {"confirm": f"/accounts/confirm-email/{key}/", "reset": emailed_path()}
