"""Template tags that draw charts."""

from datetime import date
from typing import Any

from django import template

from forum.pages import charts
from forum.queries.attendance import Calendar
from forum.queries.statistics import Series

register = template.Library()
SQUARE = 12
"""Side of a day's square with the gap beside it, in units of the drawing."""
LEFT, TOP, RIGHT = 34, 14, 24
"""Room for the names of weekdays and months; on the right for that of the month just begun."""
APART = 3
"""Weeks between two names of months: nearer, they would run into each other."""


@register.inclusion_tag("partials/bars.html")
def bar_chart(series: Series, name: str) -> dict[str, Any]:
    """Draw a bar for each day; `name` tells the chart from others on the page."""
    marks = charts.bars(series.values)
    return {
        "name": name,
        "series": series,
        "marks": list(zip(series.days, marks, strict=True)),
        "width": len(marks) * charts.STEP,
        "height": charts.HEIGHT,
        "bar": charts.STEP - charts.GAP,
        "top": max(series.values, default=0),
    }


@register.inclusion_tag("partials/calendar.html")
def calendar_chart(calendar: Calendar) -> dict[str, Any]:
    """Draw a column for each week and a square for each day, with names of months and weekdays."""
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
    """Return the columns with the first Monday of a month, and of the calendar if there is room."""
    mondays = [week[0].date for week in calendar.weeks]
    columns = [n for n in range(1, len(mondays)) if mondays[n].month != mondays[n - 1].month]
    if columns[0] >= APART:
        columns.insert(0, 0)
    return [(column, mondays[column]) for column in columns]
