"""Exports of a person's own data: the worker writes a zip file, which the person fetches."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from typing import IO, Any, Self
from zipfile import ZIP_DEFLATED, ZipFile

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions import security_log, staff_log
from forum.actions.own_data import SECTIONS, Row
from forum.errors import Invalid
from forum.models import DataExport, SecurityEvent, User
from forum.store import outbox


def find(person: User) -> DataExport | None:
    """Return a person's export, finished or not, without its content. One query."""
    found = DataExport.objects.filter(user=person).defer("content").first()
    return None if found is None or found.has_ended else found


def content_of(person: User) -> bytes:
    """Return the zip file with a person's data; empty if there is none. One query."""
    found = DataExport.objects.filter(user=person).exclude(ready_at=None).first()
    return b"" if found is None or found.has_ended else bytes(found.content)


@transaction.atomic
def ask(person: User, *, by: User | None = None, network: str = "") -> None:
    """Make the worker export a person's data, instead of an earlier export.

    `by` is the member of staff who does this for the person, who alone can fetch the file.
    `network` is a hash for the security log. Raises Invalid if an export is running.
    """
    User.lock(person.pk)
    earlier = find(person)
    if earlier and earlier.ready_at is None:
        raise Invalid(_("The copy of your data is being made already."))
    DataExport.objects.filter(user=person).delete()
    DataExport.objects.create(user=person, asked_at=timezone.now())
    security_log.record(
        SecurityEvent.Kind.EXPORT,
        person_id=person.pk,
        by_id=by.pk if by else None,
        network=network,
    )
    staff_log.changed(by, [person], _("Asked for a copy of the person's data."))
    outbox.add(ExportSync(person.pk))


def delete_old() -> None:
    """Delete the files that nobody can fetch any longer."""
    DataExport.objects.filter(ready_at__lte=timezone.now() - DataExport.LIFE).delete()


@dataclass(frozen=True)
class ExportSync(outbox.Sync):
    """Outbox row that makes the worker write the file with a person's data."""

    kind = "data_export"
    in_background = True
    user_id: int

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Write the file for each person who still waits for it, and send an email."""
        for one in dict.fromkeys(syncs):
            waiting = DataExport.objects.filter(user=one.user_id, ready_at=None)
            if person := User.objects.filter(pk__in=waiting.values("user")).first():
                waiting.update(content=zip_of(person), ready_at=timezone.now())
                _notify(person)


def _notify(person: User) -> None:
    address = f"{settings.SITE_URL}{reverse('own_data')}"
    get_adapter().send_notification_mail("account/email/data_export", person, {"url": address})


def zip_of(person: User) -> bytes:
    """Return a zip file with all of a person's data as JSON, and their texts as Markdown."""
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, rows in SECTIONS.items():
            with archive.open(f"{name}.json", "w") as entry:
                _write_json(entry, rows(person))
        for name, write in MARKDOWN.items():
            with archive.open(f"{name}.md", "w") as entry:
                for row in SECTIONS[name](person):
                    entry.write(f"{write(row).strip()}\n\n".encode())
    return file.getvalue()


def _write_json(entry: IO[bytes], rows: Iterator[Row]) -> None:
    """Write rows as a JSON list, one row a line, so that a long list needs little memory."""
    before = "[\n"
    for row in rows:
        text = json.dumps(row, ensure_ascii=False, default=_as_text)
        entry.write(f"{before}{text}".encode())
        before = ",\n"
    entry.write(b"[]\n" if before == "[\n" else b"\n]\n")


def _as_text(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _post(row: Row) -> str:
    link = f"<{row['url']}>\n\n" if row["url"] else ""
    head = f"# {row['title']}\n\n{_minute(row['created_at'])} <{row['address']}>"
    return f"{head}\n\n{link}{row['body']}"


def _comment(row: Row) -> str:
    head = f"# {row['post_title']}\n\n{_minute(row['created_at'])} <{row['address']}>"
    return f"{head}\n\n{row['body']}"


def _draft(row: Row) -> str:
    head = f"# {row['title']}\n\n{_minute(row['updated_at'])}"
    return "\n\n".join(filter(None, (head, row["url"], row["body"])))


def _message(row: Row) -> str:
    writer = "Moderators" if row["from_moderators"] else "You"
    return f"# {writer}, {_minute(row['created_at'])}\n\n{row['body']}"


MARKDOWN: dict[str, Callable[[Row], str]] = {
    "posts": _post,
    "comments": _comment,
    "drafts": _draft,
    "messages": _message,
}
"""The sections that an export contains as Markdown, too."""
