"""Measure the CPU time that a page costs the web process.

    .venv/bin/python -m benchmarks.http [--quick]

Measures a site with demo content, and for comparison a site with one empty page. Linux only,
because the benchmark reads /proc.
"""

import sqlite3
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

if not __package__:  # run as a script: don't import this folder's voting.py and http.py
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.crowds import Crowd, crowd
from benchmarks.report import Figure, table, times
from benchmarks.sites import Site, empty_view, rostra
from benchmarks.visitors import Visitor, visiting

HEAD = ("what", "a second", "CPU", "to empty", "to reach", "")
DEMO_LOGIN = ("bram", "rostra-demo-bram")
LIST = "/api/v1/lists/hot"
COMMENT = 'id="comment-'
INBOX, UNREAD_ITEM = "/inbox", 'class="inbox-item unread"'
SEARCH, HIT = "/search?q=page", '<h2 class="title">'
"""A search with 25 results in the demo content: 11 posts and 14 comments."""
ROWS = 25
"""How many unread items the measured inbox has on its page, and how many results the search."""
EMPTY = "an empty Django view"
NOTICES, RESULTS = f"inbox with {ROWS} unread items", f"search with {ROWS} results, logged in"
TARGETS = {
    "front page, logged out": 0.8,
    "front page, logged in": 1.5,
    NOTICES: 7.4,
    RESULTS: 7.4,
}
"""Goals in milliseconds of CPU per request, on a machine where an empty view takes `EMPTY_VIEW`."""
EMPTY_VIEW = 0.37
"""Milliseconds of CPU per request of an empty view, on the machine used to set the goals.

On a slower machine, the goals rise in proportion.
"""
CALLS = 400
WARM = 2
"""Number of unmeasured rounds at the beginning, which fill the caches."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page to measure: its site, the requests, and the clients that send these requests."""

    site: Site
    crowd: Crowd
    requests: Sequence[bytes]
    status: int = 200


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a page: requests per second, and CPU of the web processes per request in ms."""

    rate: float
    cpu: float


def main() -> None:
    """Measure every page and print the table."""
    parser = ArgumentParser(description="Measure the CPU time of pages.")
    parser.add_argument("--quick", action="store_true", help="a third of the rounds")
    rounds = 5 if parser.parse_args().quick else 15
    with ExitStack() as stack:
        pages = _pages(stack)
        print(table(list(_figures(_measured(pages, rounds))), HEAD))


def _pages(stack: ExitStack) -> dict[str, Page]:
    data = stack.enter_context(TemporaryDirectory(prefix="rostra-bench-"))
    empty = stack.enter_context(empty_view())
    site = stack.enter_context(rostra(FORUM_DATA=data))
    nobody, people = stack.enter_context(crowd(empty)), stack.enter_context(crowd(site))
    guest, member, moderator = (stack.enter_context(visiting(site)) for _ in range(3))
    member.log_in(*DEMO_LOGIN)
    moderator.log_in("kenji", "rostra-demo-kenji")
    group, thread = guest.group(), guest.thread()
    day = f"/day/{datetime.now(UTC) - timedelta(days=1):%Y-%m-%d}"
    talk = f"thread of {guest.get(thread).count(COMMENT)} comments"
    _make_unread(Path(data), DEMO_LOGIN[0])
    _require_rows(member.get(INBOX), UNREAD_ITEM)
    _require_rows(member.get(SEARCH), HIT)
    return {
        EMPTY: Page(empty, nobody, [guest.request("/")]),
        "front page, logged out": Page(site, people, [guest.request("/")]),
        "front page, logged in": Page(site, people, [member.request("/")]),
        "front page as JSON, without a token": Page(site, people, [guest.request(LIST)]),
        "front page as JSON, with a token": Page(
            site, people, [member.program(DEMO_LOGIN[1]).request(LIST)]
        ),
        "group page, logged out": Page(site, people, [guest.request(group)]),
        "group page, logged in": Page(site, people, [member.request(group)]),
        f"{talk}, logged out": Page(site, people, [guest.request(thread)]),
        f"{talk}, logged in": Page(site, people, [member.request(thread)]),
        NOTICES: Page(site, people, [member.request(INBOX)]),
        RESULTS: Page(site, people, [member.request(SEARCH)]),
        "unread posts": Page(site, people, [member.request("/unread")]),
        "unanswered questions, logged out": Page(site, people, [guest.request("/unanswered")]),
        "what a member missed": Page(site, people, [member.request("/missed")]),
        "the best of a day, logged out": Page(site, people, [guest.request(day)]),
        "a member's drafts": Page(site, people, [member.request(f"/u/{DEMO_LOGIN[0]}/drafts")]),
        "where a member is logged in": Page(site, people, [member.request("/accounts/sessions/")]),
        "a member's security log": Page(site, people, [member.request("/preferences/security")]),
        "privacy, logged out": Page(site, people, [guest.request("/privacy")]),
        "votes that deserve a look": Page(site, people, [moderator.request("/moderation/votes")]),
        "vote, by form": Page(site, people, votes(member), 303),
    }


def _make_unread(data: Path, name: str) -> None:
    """Make all inbox items of a member unread: replies, mentions, followers, messages and so on.

    They stay unread, because the inbox doesn't mark items as read. Only opening one does. The site
    caches no item's HTML, so a request costs as much as one for items that nobody has seen.
    """
    with closing(sqlite3.connect(data / "forum.sqlite3")) as database, database:
        database.execute(
            "UPDATE forum_inboxitem SET read_at = NULL"
            " WHERE user_id = (SELECT id FROM forum_user WHERE username = ?)",
            [name],
        )


def _require_rows(page: str, row: str) -> None:
    """Raise SystemExit if a page doesn't have the number of rows that the benchmark promises."""
    if page.count(row) != ROWS:
        raise SystemExit(f"A page has {page.count(row)} times {row}, not {ROWS} times.")


def votes(member: Visitor) -> list[bytes]:
    """Return two requests to vote: the first votes a post up, the second removes that vote."""
    path, token = member.open_post(), member.token()
    common = {"next": "/", "csrfmiddlewaretoken": token}
    return [member.request(path, {"vote": vote, **common}) for vote in ("up", "none")]


def _measured(pages: dict[str, Page], rounds: int) -> dict[str, Cost]:
    """Return the median cost of each page over several rounds."""
    found: dict[str, list[Cost]] = {name: [] for name in pages}
    for number in range(rounds + WARM):
        for name, page in pages.items():
            cost = _cost(page)
            if number >= WARM:
                found[name].append(cost)
    return {
        name: Cost(median(cost.rate for cost in costs), median(cost.cpu for cost in costs))
        for name, costs in found.items()
    }


def _cost(page: Page) -> Cost:
    cpu, began = page.site.cpu(), perf_counter()
    page.crowd.ask(page.requests, page.status, CALLS)
    took = perf_counter() - began
    return Cost(CALLS / took, (page.site.cpu() - cpu) / CALLS)


def _figures(costs: dict[str, Cost]) -> Iterator[Figure]:
    for name, cost in costs.items():
        ratio = cost.cpu / costs[EMPTY].cpu
        target = TARGETS.get(name, 0) / EMPTY_VIEW
        yield Figure(
            name,
            f"{cost.rate:,.0f}",
            f"{cost.cpu:.2f} ms",
            times(ratio),
            f"under {times(target)}" if target else "",
            ratio < target if target else None,
        )


if __name__ == "__main__":
    main()
