"""Leaderboards: the best posts and people of a day or week, for the site and for each group."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.queries import leaders as boards
from forum.queries.groups import directory
from forum.store.service import get_voting_service
from forum.templatetags.listings import Choice
from forum.web import error_responses
from forum.web.addresses import page_number
from forum.web.methods import require_safe
from forum.web.not_found import NoSuchGroup, NoSuchPage

SPANS = ("day", "week")


class NoSuchDay(Exception):
    """The day in the URL is invalid, in the future, or too long ago.

    Leaderboards go back `days` days.
    """

    def __init__(self, days: int) -> None:
        super().__init__()
        self.days = days


@dataclass(frozen=True, slots=True)
class BoardsAddress:
    """The parsed URL of a leaderboards page. If the URL has no day, `day` is the current day."""

    span: str
    day: date
    today: date
    group: str = ""
    number: int = 1

    @property
    def oldest(self) -> date:
        """The earliest day for which leaderboards of this `span` ("day" or "week") exist."""
        return self.today - timedelta(days=_days_back(self.span))

    def url(self, number: int = 1, start: int | None = None) -> str:
        """Return the URL of a page of these leaderboards.

        `start` has no effect: the template tag of the pager passes it, because listings need it.
        """
        fields = {
            "t": self.span if self.span != SPANS[0] else "",
            "day": self.day.isoformat() if self.day != self.today else "",
            "group": self.group,
            "p": str(number) if number > 1 else "",
        }
        parameters = urlencode({name: value for name, value in fields.items() if value})
        return f"{reverse('leaders')}?{parameters}" if parameters else reverse("leaders")

    def on(self, spans_later: int) -> str:
        """Return the URL of the leaderboards `spans_later` days or weeks after the current page's.

        A negative number leads to earlier leaderboards. If there are none so early or so late, uses
        the earliest or latest ones. Returns "" if these are the current page's.
        """
        step = timedelta(days=boards.WEEK if self.span == "week" else 1)
        day = min(max(self.day + spans_later * step, self.oldest), self.today)
        return replace(self, day=day, number=1).url() if day != self.day else ""

    def over(self, span: str) -> str:
        """Return the URL of the leaderboards for another `span`, which is "day" or "week".

        The day stays the same, unless it is too long ago for leaderboards of that span. Then the
        URL has the earliest possible day.
        """
        other = replace(self, span=span, number=1)
        return replace(other, day=max(other.day, other.oldest)).url()


@require_safe
def leaders(request: HttpRequest) -> HttpResponse:
    """Show the leaderboards of posts and people."""
    try:
        address = _read(request.GET)
    except NoSuchDay as error:
        sentence = _("Leaderboards are available for today and for the previous %(days)d days.")
        sentence %= {"days": error.days}
        return error_responses.refuse(request, 404, sentence, to_leaders=True)
    found = boards.leaders(
        address.day, week=address.span == "week", group=address.group, page=address.number
    )
    if address.number > found.page.pages:
        raise NoSuchPage(found.page.pages, address.url(found.page.pages))
    context = {
        "address": address,
        "found": found,
        "first": address.day - timedelta(days=boards.WEEK - 1),
        "spans": [
            Choice(label, address.over(span), span == address.span)
            for span, label in zip(SPANS, (_("Day"), _("Week")), strict=True)
        ],
        "earlier": address.on(-1),
        "later": address.on(1),
        "topics": directory.topics().values(),
        "topic": directory.find(address.group) if address.group else None,
        "nav": "leaders",
    }
    return render(request, "leaders.html", context)


def _read(query: QueryDict) -> BoardsAddress:
    """Parse the URL of a leaderboards page.

    Raises NoSuchDay or NoSuchGroup if the day or the group doesn't exist, and Http404 if the page
    number is invalid.
    """
    today = get_voting_service().activity.today()
    span, group = query.get("t", SPANS[0]), directory.current(query.get("group", ""))
    if span not in SPANS:
        span = SPANS[0]
    if group and directory.find(group) is None:
        raise NoSuchGroup(group)
    day = _day(query.get("day", ""), today, _days_back(span))
    return BoardsAddress(span, day, today, group, page_number(query.get("p", "1")))


def _days_back(span: str) -> int:
    """Return how many days back readers can go in the leaderboards.

    If `span` is "week", this is six days less: readers choose a week by its last day, and all seven
    days must have leaderboards.
    """
    days = get_voting_service().boards.days_kept
    return days - (boards.WEEK - 1) if span == "week" else days


def _day(text: str, today: date, days_back: int) -> date:
    try:
        day = date.fromisoformat(text) if text else today
    except ValueError as error:
        raise NoSuchDay(days_back) from error
    if not timedelta() <= today - day <= timedelta(days=days_back):
        raise NoSuchDay(days_back)
    return day
