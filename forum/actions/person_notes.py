"""Notes and labels about other people, which only their writer sees."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.errors import Forbidden
from forum.models import PersonNote, User
from forum.models.user import forget_viewer

MOST = 200
"""Maximum number of people about whom a person has notes. All labels are cached with a viewer."""


@transaction.atomic
def write(writer: User, about: User, *, label: str, note: str) -> None:
    """Save the writer's label and note about a person, or delete them if both are empty.

    Raises Forbidden for a note about oneself, and ValidationError if the writer already has notes
    about `MOST` other people.
    """
    if writer == about:
        raise Forbidden(_("Notes are about other people."))
    notes = writer.person_notes
    values: dict[str, Any] = {"label": " ".join(label.split()), "note": note.strip()}
    if not any(values.values()):
        notes.filter(person=about).delete()
    elif notes.exclude(person=about).count() >= MOST:
        sentence = _("You can have notes about at most %(most)s people.")
        raise ValidationError(sentence, "many", {"most": MOST})
    else:
        values |= {"at": timezone.now()}
        PersonNote.objects.update_or_create(user=writer, person=about, defaults=values)
    forget_viewer(writer.pk)
