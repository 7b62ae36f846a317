"""Messages that confirm to moderators what they have just done."""

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.models import ModAction
from forum.store.service import get_voting_service
from forum.text.sentences import join_sentences
from forum.web.undo_buttons import with_undo
from voting.errors import StoreUnavailable


def add_result(request: HttpRequest, sentence: str, action: ModAction | None = None) -> None:
    """Show `sentence` as a message on the next page, with a button to undo `action`.

    While Redis is unavailable, the message adds that lists and counts will change later.
    """
    if (action is None or action.post_id) and not _redis_answers():
        later = _("Lists and counts will be updated when voting is available again.")
        sentence = join_sentences(sentence, later)
    if action is None:
        messages.success(request, sentence)
        return
    undo = reverse("mod_action_undo", args=[action.pk])
    messages.success(request, with_undo(sentence, undo))


def add_done(request: HttpRequest, action: ModAction) -> None:
    """Show a message like "Done: removed." on the next page, with a button to undo `action`."""
    add_result(request, _("Done: %(action)s.") % {"action": action}, action)


def _redis_answers() -> bool:
    try:
        get_voting_service().maintenance.server.ping()
    except StoreUnavailable:
        return False
    return True
