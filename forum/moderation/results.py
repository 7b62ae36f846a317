"""The message that says what a moderator just did, also while Redis is unavailable."""

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from forum.gateway.service import get_voting_service
from forum.text.sentences import join_sentences
from voting.errors import StoreUnavailable


def add_result(request: HttpRequest, sentence: str) -> None:
    """Add a message for the next page: what was done and, in an outage, what follows later.

    Moderation changes SQL, and Redis follows by the outbox. One round trip.
    """
    try:
        get_voting_service().maintenance.server.ping()
    except StoreUnavailable:
        later = _("Lists and counts follow as soon as voting is available again.")
        sentence = join_sentences(sentence, later)
    messages.success(request, sentence)
