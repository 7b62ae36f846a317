"""The admin of vote values, which the site measures once a day.

The vote value is the time that one vote adds to a post's hot score: in the Hot list, each vote
makes the post count as that much newer. The table stores the number of votes that make a post count
as one day newer.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from forum.admin.read_only import ReadOnlyAdmin
from forum.ledger import vote_value
from forum.models import VoteValue
from forum.text.sentences import join_sentences
from forum.web import ages


def in_force() -> str:
    """Return a sentence with the current vote value and where it comes from."""
    votes = vote_value.votes_per_day()
    sentence = ngettext(
        "In the Hot list, each vote currently makes a post count as %(worth)s newer (%(count)d"
        " vote is worth one day).",
        "In the Hot list, each vote currently makes a post count as %(worth)s newer (%(count)d"
        " votes are worth one day).",
        votes,
    ) % {"count": votes, "worth": ages.worth(86_400 / votes)}
    fixed = _("The value of a vote comes from the setting VOTES_PER_DAY.")
    measured = _("The site measures the value of a vote once a day (VOTES_PER_DAY=auto).")
    return join_sentences(sentence, fixed if vote_value.is_fixed() else measured)


@admin.register(VoteValue)
class VoteValueAdmin(ReadOnlyAdmin):
    """Shows the current vote value, and below it a list of all measured values, newest first."""

    list_display = ("day", "votes_per_day", "one_vote", "measured", "posts", "at")

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {"subtitle": in_force()} | (extra_context or {})
        return super().changelist_view(request, context)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.list_display

    @admin.display(description=gettext_lazy("one vote"), ordering="-votes_per_day")
    def one_vote(self, value: VoteValue) -> str:
        return ages.worth(86_400 / value.votes_per_day)
