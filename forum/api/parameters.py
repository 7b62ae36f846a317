"""Types for the parameters that several operations of the API share."""

import re
from datetime import date
from enum import StrEnum
from typing import Annotated, Any

from ninja import Path, Query
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from forum.web.addresses import CURSOR

DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
FURTHEST = 10**15
"""The largest id that an operation takes."""


class Family(StrEnum):
    """The orders in which a list of posts can be sorted."""

    HOT = "hot"
    NEW = "new"
    ACTIVE = "active"
    TOP = "top"
    VIEWS = "views"


class Span(StrEnum):
    """The period whose posts the order `top` ranks."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    ALL = "all"


def _as_date(value: Any) -> Any:
    """Refuse a text that isn't a date like 2026-11-24. Pydantic would also accept numbers.

    Refuses dates before 1970, too, since no site is that old.
    """
    if not isinstance(value, str):
        return value
    try:
        day = date.fromisoformat(value) if DATE.fullmatch(value) else None
    except ValueError:
        day = None
    if day is None or day.year < 1970:
        raise PydanticCustomError("day", "not a date like 2026-11-24")
    return day


Id = Annotated[int, Path(ge=1, le=FURTHEST)]
Name = Annotated[str, Path(max_length=200)]
Day = Annotated[date, BeforeValidator(_as_date)]
Before = Annotated[int | None, Query(ge=1, le=FURTHEST, description="Only items with lower ids.")]
PageNumber = Annotated[int, Query(ge=1, le=10_000, description="The number of the page.")]
Period = Annotated[Span | None, Query(alias="t", description="The period of the order top.")]
After = Annotated[
    str,
    Query(
        pattern=f"^({CURSOR.pattern})?$",
        max_length=60,
        description="From the address of the next page.",
    ),
]
