"""Muting words and domains. A person's listings leave out posts that match the person's mutes."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from forum.models import Mute, User
from forum.models.user import forget_viewer
from forum.text import terms

MOST = 100
"""Maximum number of mutes per person. Each page of a listing is checked against all of them."""


@transaction.atomic
def mute(person: User, kind: Mute.Kind, text: str) -> None:
    """Mute a word or domain for a person.

    Raises ValidationError if the text is not a word or domain, or if the person already has `MOST`
    mutes.
    """
    wanted = _normalised(kind, text)
    if person.mutes.count() >= MOST:
        sentence = _("You can mute at most %(most)s words and domains.")
        raise ValidationError(sentence, "many", {"most": MOST})
    person.mutes.get_or_create(kind=kind, text=wanted)
    forget_viewer(person.pk)


@transaction.atomic
def unmute(person: User, mute_id: int) -> None:
    """Stop muting a word or domain."""
    person.mutes.filter(pk=mute_id).delete()
    forget_viewer(person.pk)


def _normalised(kind: Mute.Kind, text: str) -> str:
    if kind == Mute.Kind.WORD:
        if not terms.is_term(text):
            raise ValidationError(_("Enter a word. An asterisk (*) alone is not enough."), "empty")
        return " ".join(text.casefold().split())
    if not (host := terms.host_of(text.strip())):
        raise ValidationError(_("Enter a domain, such as example.org."), "domain")
    return host
