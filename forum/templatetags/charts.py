"""Template tags that draw charts as SVG, without JavaScript or inline styles."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django import template

from forum.queries.activity_calendar import Calendar
from forum.queries.statistics import Series

register = template.Library()
HEIGHT = 100
"""Height of the tallest bar, in SVG units."""
ABOVE, BELOW, BEFORE, AFTER = 10, 20, 44, 12
"""Space around the bars: for numbers at the left, and for dates below, in SVG units."""
STEP, GAP = 20, 4
"""Width of a bar with the gap after it, and width of the gap, in SVG units."""
SQUARE = 12
"""Width of a day's square with the gap after it, in SVG units."""
LEFT, TOP, RIGHT = 34, 14, 24
"""Space for labels: weekdays at the left, months above, the last month's name at the right."""
APART = 3
"""Minimum number of weeks between the names of two months. With fewer, the names would overlap."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a chart, with its label."""

    day: date
    x: int
    y: int
    height: int
    value: int


@dataclass(frozen=True, slots=True)
class Line:
    """A horizontal line of a chart, with its number."""

    y: int
    value: int


@register.inclusion_tag("partials/bars.html")
def bar_chart(series: Series, name: str) -> dict[str, Any]:
    """Draw a bar chart with one bar for each day. `name` must be unique on the page.

    The axes have the numbers 0, the highest and its half, and each seventh date before the last.
    """
    top = max(series.values, default=0)
    bars = []
    for number, (day, value) in enumerate(zip(series.days, series.values, strict=True)):
        height = round(HEIGHT * value / max(top, 1))
        bars.append(Bar(day, BEFORE + number * STEP, HEIGHT - height, height, value))
    return {
        "name": name,
        "series": series,
        "bars": bars,
        "lines": [Line(round(HEIGHT * (1 - n / max(top, 1))), n) for n in _marked(top)],
        "dates": bars[::-7],
        "before": BEFORE,
        "width": BEFORE + len(bars) * STEP,
        "height": HEIGHT,
        "top_space": -ABOVE,
        "drawn_width": BEFORE + len(bars) * STEP + AFTER,
        "drawn_height": ABOVE + HEIGHT + BELOW,
        "bar_width": STEP - GAP,
        "top": top,
    }


def _marked(top: int) -> list[int]:
    """Return the numbers on the axis of a chart whose highest bar is `top`."""
    return sorted({0, top // 2, top})


@register.inclusion_tag("partials/calendar.html")
def calendar_chart(calendar: Calendar) -> dict[str, Any]:
    """Draw a calendar with a column for each week and a square for each day."""
    squares = [
        (LEFT + column * SQUARE, TOP + row * SQUARE, day)
        for column, week in enumerate(calendar.weeks)
        for row, day in enumerate(week)
    ]
    return {
        "squares": squares,
        "months": [(LEFT + column * SQUARE, day) for column, day in _months(calendar)],
        "weekdays": [(TOP + row * SQUARE + 9, calendar.weeks[0][row].date) for row in (0, 2, 4)],
        "calendar": calendar,
        "width": LEFT + len(calendar.weeks) * SQUARE + RIGHT,
        "height": TOP + 7 * SQUARE,
    }


def _months(calendar: Calendar) -> list[tuple[int, date]]:
    """Return the number and the Monday of each week (column) that gets a label with its month.

    The label of a month is at the first week that begins in the month. The very first column gets a
    label only if the next label is far enough away.
    """
    mondays = [week[0].date for week in calendar.weeks]
    columns = [n for n in range(1, len(mondays)) if mondays[n].month != mondays[n - 1].month]
    if columns[0] >= APART:
        columns.insert(0, 0)
    return [(column, mondays[column]) for column in columns]
