"""The worker's search for votes that deserve a look."""

from collections import defaultdict
from collections.abc import Collection
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from forum.models import AccountNetwork, User, VoteSign
from forum.moderation.vote_signs import signs
from forum.moderation.vote_signs.recent_votes import NEWEST_PEOPLE, recent_votes

SPAN = timedelta(days=7)
NEWEST = 50_000
"""At most so many entries of the ledger are searched."""
MOST = 50
"""At most so many signs of each kind are stored: those with the most accounts."""
NETWORKS = 100_000
"""At most so many rows of `AccountNetwork` are searched."""


def search() -> None:
    """Search the votes of the last seven days, and replace the stored signs.

    About ten queries, and two more for each 500 posts and comments with votes.
    """
    votes = recent_votes(SPAN, NEWEST)
    since = timezone.now() - SPAN
    networks = {} if settings.SHARED_NETWORKS else _networks(since.date())
    found = (
        signs.of_new_accounts(votes),
        signs.of_networks(votes, networks),
        signs.of_down_votes(votes, SPAN),
        signs.of_sign_ups(votes, _joined(since), networks),
    )
    with transaction.atomic():
        VoteSign.objects.all().delete()
        VoteSign.objects.bulk_create(sign for some in found for sign in _largest(some))


def _largest(found: Collection[VoteSign]) -> list[VoteSign]:
    return sorted(found, key=lambda sign: sign.accounts, reverse=True)[:MOST]


def _networks(since: date) -> signs.Networks:
    """Return the networks of people since a day, those of the last rows. One query."""
    found = defaultdict[int, dict[str, set[int]]](lambda: defaultdict(set))
    rows = AccountNetwork.objects.filter(day__gte=since).order_by("-day")[:NETWORKS]
    for who, day, month, network in rows.values_list("person_id", "day", "month", "network"):
        found[who][f"{month} {network}"].add(day.toordinal())
    return found


def _joined(since: datetime) -> dict[int, datetime]:
    """Map the newest people to the times when they signed up. Two queries."""
    last = User.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    people = User.objects.filter(
        pk__gt=last - NEWEST_PEOPLE, date_joined__gte=since, counts_at_once=False
    )
    return dict(people.values_list("pk", "date_joined"))
