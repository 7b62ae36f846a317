"""The list of erased people, beside backups and exports: a restore or import erases them again.

A backup contains the people who were erased after it was made. The list isn't part of a backup,
but is in the folder that contains the backups, so that it is copied with them. It names nobody: it
has ids, and the times at which the accounts were made.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from django.utils import timezone

from forum.actions.erasure import erase_now
from forum.config.data_directory import make_private
from forum.models import Erasure, User
from forum.operations.backups import retention

FILE = "erased.jsonl"
MISSING = (
    "Warning: there is no list of erased people, neither at %(beside)s nor at %(own)s. Accounts"
    " that were deleted after this copy was made are back. Delete them again in the admin."
)
Line = dict[str, Any]


def save() -> None:
    """Add the people who were erased since to the site's list, if there are any. Two queries."""
    if Erasure.objects.exclude(done_at=None).exists():
        add_to(retention.place())


def add_to(folder: Path) -> None:
    """Add the site's erased people to the list in a folder, which is created if necessary.

    The list is also created if nobody was erased. So a list that is missing was lost.
    """
    done = Erasure.objects.exclude(done_at=None).select_related("user").order_by("done_at")
    known = {line["id"] for line in _read(folder)}
    lines = [_line(one) for one in done if one.user_id not in known]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    make_private(folder / FILE)
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def copy(source: Path, target: Path) -> None:
    """Copy the list in the folder `source`, if there is one, to the new folder `target`."""
    if (source / FILE).exists():
        target.mkdir(mode=0o700)
        (target / FILE).write_bytes((source / FILE).read_bytes())


def warning(backup: Path) -> str:
    """Return a warning if there is no list beside a backup or export and the site has none."""
    beside, own = (folder / FILE for folder in _folders(backup))
    return "" if beside.exists() or own.exists() else MISSING % {"beside": beside, "own": own}


def erase_again(backup: Path) -> int:
    """Erase people who are on the list beside a backup or export, or on the site's list.

    Ignores people of another site who have the same ids. Returns the number of people.
    """
    lines = {line["id"]: line for folder in _folders(backup) for line in _read(folder)}
    return sum(map(_erase, lines.values()))


def _folders(backup: Path) -> tuple[Path, Path]:
    return backup.parent, retention.place()


def _erase(line: Line) -> bool:
    joined = datetime.fromisoformat(line["joined"])
    person = User.objects.filter(pk=line["id"], date_joined=joined).first()
    if person is None or Erasure.objects.filter(user=person).exclude(done_at=None).exists():
        return False
    now = timezone.now()
    asked = {"keeps_texts": line["keeps_texts"], "asked_at": now, "due_at": now}
    Erasure.objects.update_or_create(user=person, defaults=asked)
    erase_now(person.pk)
    return True


def _line(erasure: Erasure) -> Line:
    joined = erasure.user.date_joined.isoformat()
    return {"id": erasure.user_id, "joined": joined, "keeps_texts": erasure.keeps_texts}


def _read(folder: Path) -> Iterator[Line]:
    if (folder / FILE).exists():
        yield from map(json.loads, (folder / FILE).read_text().splitlines())
