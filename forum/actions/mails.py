"""The emails that people asked for: digests and notifications.

An email waits in the outbox, as a row that names its recipient and its subject. The text is made
when the email is sent. So a comment that was deleted meanwhile isn't emailed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import make_msgid
from functools import partial
from typing import Any, Self

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils.encoding import punycode
from django.utils.translation import override

from forum.actions import unsubscribe_links
from forum.actions.notice_texts import text_of
from forum.actions.unsubscribe_links import ENDED, Mail
from forum.config.environment import host_of
from forum.models import Comment, Conversation, Message, OutboxItem, Post, User
from forum.queries import digests
from forum.queries.email_addresses import confirmed_address
from forum.store import outbox


def automatic() -> dict[str, str]:
    """Return headers for an email: a new Message-ID, and no automatic replies (RFC 3834)."""
    return {"Auto-Submitted": "auto-generated", "Message-ID": make_msgid(domain=_host())}


def _host() -> str:
    """Return the site's host name in ASCII."""
    return punycode(host_of(settings.SITE_URL))


@dataclass(frozen=True)
class WaitingMail(outbox.Sync):
    """Outbox row that makes the worker email a person."""

    kind = OutboxItem.MAIL
    in_background = True
    at_most_once = True
    mail: Mail
    user_id: int
    post_id: int = 0
    comment_id: int = 0
    """The reply, the new comment in a watched thread, or the comment that mentions the person."""
    message_id: int = 0
    since: str = ""
    """A time in ISO 8601. A digest leaves out older inbox items."""

    @property
    def subject_id(self) -> int:
        """The recipient's id. The admin uses it to show the recipient's name."""
        return self.user_id

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Send the emails. Raises SMTPException or OSError if the mail server fails or refuses."""
        for waiting in syncs:
            waiting.send()

    def send(self) -> None:
        """Send the email, if the person is still subscribed and has a confirmed address."""
        mail = Mail(self.mail)
        people = User.objects.filter(pk=self.user_id, is_active=True).exclude(**ENDED[mail])
        person = people.first()
        address = confirmed_address(person) if person else ""
        if person and address and (context := self._context(person)):
            _send(person, address, mail, context)

    def _context(self, person: User) -> dict[str, Any]:
        """Return what the email's template shows; empty if there is nothing to send."""
        if self.mail == Mail.DIGEST:
            items = digests.unread_items(person, datetime.fromisoformat(self.since))
            shown = {"items": items, "posts": digests.best_posts(person)}
            return shown if any(shown.values()) else {}
        if self.mail == Mail.MODERATORS:
            messages = Message.objects.select_related("conversation__group", "action__post")
            message = messages.filter(pk=self.message_id).first()
            # The template calls `text_of`, in the person's language.
            return {"about": message, "text": partial(text_of, message)} if message else {}
        if not self.comment_id:
            posts = Post.objects.visible().select_related("author")
            post = posts.filter(pk=self.post_id).first()
            return {"about": post, "title": post.title} if post else {}
        comments = Comment.objects.visible().on_visible_posts()
        comments = comments.select_related("author", "post", "parent")
        comment = comments.filter(pk=self.comment_id).first()
        return {"about": comment, "title": comment.post.title} if comment else {}


def _send(person: User, address: str, mail: Mail, context: Mapping[str, Any]) -> None:
    """Send one email in the person's language. The first line of `mail/<mail>.txt` is the subject.

    The email has a link to unsubscribe, in its text and in its headers.
    """
    unsubscribe = unsubscribe_links.address(person.pk, mail)
    shown = {
        **context,
        "person": person,
        "site_name": settings.SITE_NAME,
        "site_url": settings.SITE_URL,
        "unsubscribe": unsubscribe,
    }
    with override(person.mail_language):
        text = render_to_string(f"mail/{mail}.txt", shown)
    subject, _newline, body = text.strip().partition("\n")
    EmailMessage(
        subject=" ".join(subject.split()),
        body=body.lstrip("\n") + "\n",
        to=[address],
        headers={
            **automatic(),
            **_threading(person, context.get("about")),
            "List-Id": f"<{mail}.{_host()}>",
            "List-Unsubscribe": f"<{unsubscribe}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
    ).send()


def _threading(person: User, about: Post | Comment | Message | None) -> dict[str, str]:
    """Return the headers by which a mail program shows the emails of a thread as a conversation.

    Every email of a thread refers to the thread's first, even if this person didn't receive it.
    """

    def name(thing: Post | Comment | Conversation | Message) -> str:
        return f"<{type(thing).__name__.lower()}-{thing.pk}.{person.pk}@{_host()}>"

    earlier: list[str] = []
    if isinstance(about, Comment):
        earlier = [name(about.post), *([name(about.parent)] if about.parent else [])]
    elif isinstance(about, Message):
        earlier = [name(about.conversation)]
    headers = {"Message-ID": name(about)} if about else {}
    if earlier:
        headers |= {"In-Reply-To": earlier[-1], "References": " ".join(earlier)}
    return headers
