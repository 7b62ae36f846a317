"""Template tags that draw charts."""

from typing import Any

from django import template

from forum.pages import charts
from forum.queries.attendance import Calendar
from forum.queries.statistics import Series

register = template.Library()
SQUARE = 12
"""Side of a day's square with the gap beside it, in units of the drawing."""


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
    """Draw a column for each week and a square for each day."""
    squares = [
        (column * SQUARE, row * SQUARE, day)
        for column, week in enumerate(calendar.weeks)
        for row, day in enumerate(week)
    ]
    return {
        "squares": squares,
        "calendar": calendar,
        "width": len(calendar.weeks) * SQUARE,
        "height": 7 * SQUARE,
    }
