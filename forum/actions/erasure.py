"""Erases accounts, step by step.

The person's row stays without its content, since votes refer to its id: voter sets, the vote log
and tallies are unchanged. Each step may be repeated.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from forum.actions import credentials, moderator_edits, retention, visibility
from forum.actions.renames import RenamedSync
from forum.actions.ties import TABLES, Kind, TieSync
from forum.actions.unread import UnreadSync
from forum.identity import sessions
from forum.models import (
    AccountNetwork,
    Application,
    Block,
    Comment,
    DataExport,
    Draft,
    Erasure,
    Flag,
    FormerName,
    GroupModerator,
    InboxItem,
    Invitation,
    Message,
    ModAction,
    ModNote,
    Mute,
    OutboxItem,
    PersonFollow,
    PersonNote,
    Post,
    QueueItem,
    Revision,
    SavedComment,
    SavedSearch,
    SecurityEvent,
    User,
    Watch,
    Withheld,
)
from forum.models.deleted_names import DELETED, is_deleted, name_of_deleted
from forum.models.user import forget_viewer
from forum.store import outbox
from forum.store.service import get_voting_service

POSTS, COMMENTS, TIES = 10, 50, 200
"""The most posts, comments and ties (such as follows) in one step."""
EMPTY: dict[str, Any] = {
    "email": "",
    "first_name": "",
    "last_name": "",
    "about": "",
    "origin": None,
    "language": "",
    "muted": [],
    "keeps_history": True,
    "hides_read": False,
    "watches_own": False,
    "mails_replies": False,
    "mails_mentions": False,
    "mails_watched": False,
    "mails_moderators": False,
    "digest": User.Digest.NONE,
    "digest_at": None,
    "active_at": None,
    "last_visit_at": None,
    "last_login": None,
    "is_active": False,
    "is_staff": False,
    "is_superuser": False,
    "is_auditor": False,
    "is_applicant": False,
    "is_unconfirmed": False,
}
"""The values that remain in an erased person's row, beside the name, `date_joined` and counters."""


@dataclass(frozen=True)
class ErasureSync(outbox.Sync):
    """Outbox row that makes the worker do the next step of erasing an account."""

    kind = "erasure"
    in_background = True
    delay = timedelta(milliseconds=100)
    user_id: int
    part: int = 0
    """The index in `PARTS`."""

    @property
    def subject_id(self) -> int:
        """The person's id, by which `account_deletions.begin_due` finds running erasures."""
        return self.user_id

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Do the next step for each account, and add an outbox row if work remains."""
        for one in dict.fromkeys(syncs):
            with transaction.atomic():
                part = _do_step(one.user_id, one.part)
                if part < len(PARTS):
                    outbox.write(ErasureSync(one.user_id, part))


@dataclass(frozen=True)
class ViewedSync(outbox.Sync):
    """Clears the list of posts that an erased person viewed, which is only in Redis."""

    kind = "viewed"
    user_id: int

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Clear the lists."""
        for one in dict.fromkeys(syncs):
            get_voting_service().person_lists.clear_viewed(one.user_id)


def erase_now(user_id: int) -> None:
    """Do all steps at once, as after a restore from a backup."""
    part = 0
    while part < len(PARTS):
        with transaction.atomic():
            part = _do_step(user_id, part)


def _do_step(user_id: int, part: int) -> int:
    """Do one step of a part. Return the index of the part that follows."""
    User.lock(user_id)
    erasure = Erasure.objects.filter(user=user_id, done_at=None).select_related("user").first()
    if erasure is None:  # cancelled, or done by another worker
        return len(PARTS)
    return part if PARTS[part](erasure) else part + 1


def _empty_account(erasure: Erasure) -> bool:
    """Erase all that identifies the person, and all that lets somebody act for the person."""
    person = erasure.user
    _forget_viewers(person)
    _forget_addresses(person)
    sessions.end_all(person)
    credentials.revoke_all(person)
    _forget_name(person)
    for rows in _owned(person):
        rows.delete()
    own_messages = Message.objects.filter(by=person, from_moderators=False)
    own_messages.update(body=DELETED, body_html=f"<p>{DELETED}</p>\n")
    Flag.objects.filter(user=person).update(words="")
    person.groups.clear()
    person.user_permissions.clear()
    person.username = name_of_deleted(person.pk)
    person.set_unusable_password()
    for name, value in EMPTY.items():
        setattr(person, name, value)
    person.save(update_fields=["username", "password", *EMPTY])
    _forget_in_logs(person)
    outbox.add(RenamedSync(person.pk), ViewedSync(person.pk))
    return False


def _owned(person: User) -> Iterator["QuerySet[Any]"]:
    """Yield the rows about a person that are few enough to be deleted in one step."""
    models: tuple[Any, ...] = (
        *(EmailAddress, Authenticator, SocialAccount, Application, DataExport),
        *(GroupModerator, ModNote, Mute, SavedSearch),
    )
    for model in models:
        yield model.objects.filter(user=person)
    yield Draft.objects.filter(author=person)
    yield PersonNote.objects.filter(Q(user=person) | Q(person=person))
    yield Block.objects.filter(Q(user=person) | Q(blocked=person))
    yield SecurityEvent.objects.filter(person=person)
    yield AccountNetwork.objects.filter(person=person)
    yield Invitation.objects.filter(by=person, used_by=None)
    yield QueueItem.objects.filter(person=person, decided_at=None)
    yield OutboxItem.objects.filter(kind=OutboxItem.MAIL, subject_id=person.pk)


def _forget_viewers(person: User) -> None:
    """Forget the cached viewers who blocked or labelled a person, since these contain the name."""
    blocks = Block.objects.filter(blocked=person).values_list("user_id", flat=True)
    notes = PersonNote.objects.filter(person=person).values_list("user_id", flat=True)
    for viewer_id in {*blocks, *notes}:
        forget_viewer(viewer_id)


def _forget_name(person: User) -> None:
    """Reserve the person's name for a year, without a link to the person."""
    FormerName.objects.filter(user=person).update(user=None)
    if not is_deleted(person.username):
        FormerName.objects.create(name=person.username, changed_at=timezone.now())


def _forget_addresses(person: User) -> None:
    """Erase the person's email addresses in the staff log."""
    addresses = EmailAddress.objects.filter(user=person).values_list("email", flat=True)
    entries = LogEntry.objects.filter(content_type__model="emailaddress")
    entries.filter(object_repr__in={person.email, *addresses}).update(object_repr=DELETED)


def _forget_in_logs(person: User) -> None:
    """Erase the name in the staff log, and bios that moderators removed."""
    entries = LogEntry.objects.filter(content_type__app_label="forum", content_type__model="user")
    entries.filter(object_id=str(person.pk)).update(object_repr=person.username)
    removed = (ModAction.Kind.BAN, ModAction.Kind.REMOVE_ALL)
    for action in ModAction.objects.filter(person=person, kind__in=removed):
        if action.details.pop("about", ""):
            action.save(update_fields=["details"])


def _erase_ties(erasure: Erasure) -> bool:
    """Delete some follows, hidden groups, and saved and hidden posts."""
    user_id = erasure.user_id
    for kind, table in TABLES.items():
        owned = table.rows.filter(**{table.owner: user_id})
        if table.mark:
            owned = owned.filter(kind=table.mark)
        if found := dict(owned.values_list("pk", table.subject)[:TIES]):
            table.rows.filter(pk__in=found).delete()
            outbox.add(*(TieSync(kind, user_id, subject_id) for subject_id in found.values()))
            return True
    fans = PersonFollow.objects.filter(person=user_id)
    found = dict(fans.values_list("pk", "follower_id")[:TIES])
    fans.filter(pk__in=found).delete()
    outbox.add(*(TieSync(Kind.PERSON, follower_id, user_id) for follower_id in found.values()))
    return bool(found)


def _erase_inbox(erasure: Erasure) -> bool:
    """Delete some inbox items, saved comments and watches."""
    person = erasure.user
    outbox.add(UnreadSync([person.pk]))
    told = InboxItem.objects.filter(actor=person, kind=InboxItem.Kind.FOLLOWER)
    others = sorted(set(told.values_list("user_id", flat=True)[: retention.BATCH]))
    if others:
        outbox.add(UnreadSync(others))
    owned: tuple[QuerySet[Any], ...] = (
        told,
        InboxItem.objects.filter(user=person),
        SavedComment.objects.filter(user=person),
        Watch.objects.filter(user=person),
    )
    return any([retention.delete_some(rows) for rows in owned])  # noqa: C419 - each of them


def _purge_posts(erasure: Erasure) -> bool:
    """Delete the texts of some posts: of those that the person deleted, or of all."""
    posts = Post.objects.filter(author=erasure.user).exclude(title="")
    if erasure.keeps_texts:
        posts = posts.filter(withheld="").exclude(deleted_at=None)
    some = list(posts.order_by("pk")[:POSTS])
    for post in some:
        visibility.withhold(post)
    pks = [post.pk for post in some]
    _forget_withholding(Post.objects.filter(pk__in=pks).exclude(withheld=Withheld.MERGED))
    QueueItem.objects.filter(post__in=pks, comment=None, decided_at=None).delete()
    return retention.purge_posts(pks)


def _purge_comments(erasure: Erasure) -> bool:
    """Delete the texts of some comments: of those that the person deleted, or of all."""
    comments = Comment.objects.filter(author=erasure.user).exclude(body="")
    if erasure.keeps_texts:
        comments = comments.filter(withheld="").exclude(deleted_at=None)
    pks = list(comments.order_by("pk").values_list("pk", flat=True)[:COMMENTS])
    visible = [one for one in visibility.lock_comments(pks) if one.deleted_at is None]
    if visible:
        visibility.withhold_comments(visible, "", {one.pk: None for one in visible})
    _forget_withholding(Comment.objects.filter(pk__in=pks))
    QueueItem.objects.filter(comment__in=pks, decided_at=None).delete()
    return retention.purge_comments(pks)


def _forget_withholding(texts: "QuerySet[Any]") -> None:
    """Make texts that moderation withheld deleted texts: undoing an action won't show them."""
    texts.exclude(withheld="").update(withheld="", withheld_by=None)


def _delete_revisions(erasure: Erasure) -> bool:
    """Delete some earlier versions of the person's posts and comments, and those in the log."""
    edits = ModAction.objects.filter(post__author=erasure.user, comment=None)
    moderator_edits.forget_texts(edits)
    of_posts = Revision.objects.filter(comment=None, post__author=erasure.user)
    of_comments = Revision.objects.filter(comment__author=erasure.user)
    return any([retention.delete_some(rows) for rows in (of_posts, of_comments)])  # noqa: C419


def _finish(erasure: Erasure) -> bool:
    erasure.done_at = timezone.now()
    erasure.save(update_fields=["done_at"])
    return False


PARTS: tuple[Callable[[Erasure], bool], ...] = (
    *(_empty_account, _erase_ties, _erase_inbox, _purge_posts, _purge_comments),
    *(_delete_revisions, _finish),
)
"""The parts of erasing an account, in order. A part returns whether it may have more to do."""
